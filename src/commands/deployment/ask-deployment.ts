/** Calls of a deployment with its operator's secret. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { type Command, misused, type Option } from "../command-line/command.ts";
import type { Context } from "../command-line/context.ts";
import { Failure } from "../command-line/failure.ts";
import { whyNoAnswer } from "../command-line/no-answer.ts";
import { tellWhileWaiting } from "../command-line/progress.ts";
import { secretFrom } from "../command-line/secret.ts";
import { addressOf, type Here, isThisHost, ON_THIS_MACHINE, PERSIST_TO, stateFolderOf } from "./arguments.ts";

export const URL_OF_DEPLOYMENT = {
  type: "string",
  value: "<address>",
  help: "The deployment, such as https://api.example.com.",
} as const satisfies Option;

type Where = Here & { readonly url?: string | undefined };

/** The deployment at `--url`, or the server of this folder. Throws a Failure unless one of the two is named. */
export function findDeployment(
  { url, ...here }: Where,
  command: Pick<Command, "help">,
  context: Context,
): Promise<Deployment> | Deployment {
  const local = here[ON_THIS_MACHINE];
  if (local && url === undefined) return deploymentHere(context, here);
  if (local || url === undefined) throw misused("Use --url https://api.example.com, or --on-this-machine.", command);
  stateFolderOf(context, here);
  return deploymentAt(context, url);
}

/** Longer than the Worker waits for D1, for a gate, and for the end of a lease. */
const DEADLINE_MS = 45_000;

export type Deployment = { readonly origin: string; readonly secret: string };

type Answer = Readonly<Record<string, unknown>>;

export type Call = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Whether the answer says that it is done. */
  readonly confirms: (answer: Answer) => boolean;
  /** Such as "the account is suspended". */
  readonly done: string;
};

/** Throws a Failure for an address that would show the secret on the way, and without the secret. */
export const deploymentAt = (context: Context, url: string): Deployment => ({
  origin: originOf(url),
  secret: secretFrom(context, "OPERATOR_SECRET", "the deployment's operator secret"),
});

/** The server of `npm run dev` in this folder, which writes down where it answers. */
export async function deploymentHere(context: Context, here: Here): Promise<Deployment> {
  const { folder } = context;
  const read = (file: string) => readFile(resolve(folder, file), "utf8").catch(() => "");
  stateFolderOf(context, here);
  const state = here[PERSIST_TO];
  const file = join(state ?? ".wrangler/state", "dev-address.txt");
  const origin = (await read(file)).trim();
  if (origin === "")
    throw new Failure(
      [
        `No server found: ${file} does not exist. Start the server of this folder: npm run dev`,
        ...(state === undefined ? [`If it was started with --${PERSIST_TO}, add the same option here.`] : []),
        "A server of `npx wrangler dev` writes no such file: use --url with its address, such as http://localhost:8787.",
      ].join("\n"),
    );
  const { OPERATOR_SECRET: secret } = parseEnv(await read(".dev.vars"));
  if (!secret) throw new Failure(".dev.vars has no OPERATOR_SECRET. `npm run dev` writes one there when it starts.");
  return { origin, secret };
}

/** Returns the answer that confirms it. Throws a Failure for any other, and without an answer. */
export async function askDeployment(
  context: Context,
  { origin, secret }: Deployment,
  { method, path, body, confirms, done }: Call,
): Promise<Answer> {
  const stop = tellWhileWaiting(context, origin);
  const response = await fetch(new URL(path, origin), {
    method,
    headers: { Authorization: `Bearer ${secret}`, ...(body && { "Content-Type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
    redirect: "error",
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
    .catch((error: unknown) => {
      const { words, mayHaveArrived } = whyNoAnswer(error);
      const state = mayHaveArrived
        ? "It may have been done or not; run it again."
        : "Nothing was done. Check the address, and run it again.";
      throw new Failure(`${origin} does not answer: ${words}. ${state}`);
    })
    .finally(stop);
  const answer = await readObject(response);
  if (!response.ok) {
    const detail = String(answer.detail ?? "no problem document");
    const hint =
      response.status === 404 && !detail.startsWith("There is no such") ? " Is OPERATOR_SECRET set there?" : "";
    throw new Failure(`${response.status}: ${detail}${hint}`);
  }
  if (confirms(answer)) return answer;
  throw new Failure(
    `${origin} answered ${response.status} and did not confirm that ${done}. It may have been done or not: check that it is the deployment's address, and run it again.`,
  );
}

async function readObject(response: Response): Promise<Answer> {
  const value: unknown = await response.json().catch(() => undefined);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The origin to which the secret is sent. Throws a Failure for an address that would expose it on the way. */
export function originOf(url: string): string {
  const address = addressOf("--url", url);
  const { origin, protocol } = address;
  if (protocol === "https:" || (protocol === "http:" && isThisHost(address))) return origin;
  throw new Failure(
    `--url ${url} is not https, so others could read what is sent. Write --url https://${address.host}.`,
  );
}
