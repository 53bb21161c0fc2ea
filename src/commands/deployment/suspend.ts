/**
 * `npm run suspend -- <account> --url <deployment>`: suspends an account, or with `--resume` opens it again. `<account>` is the
 * owner's e-mail address or the account's identifier. Sends the secret in the environment variable OPERATOR_SECRET.
 */
import { defineCommand, misused } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { secretFrom } from "../command-line/secret.ts";

/** Longer than the Worker waits for a gate. */
const DEADLINE_MS = 30_000;

type Answer = { accountId?: string; status?: string | number; apiKeys?: number; detail?: string };

export const suspend = defineCommand({
  name: "suspend",
  summary: [
    "Suspends an account, or opens it again. It answers when the gate of each API key has confirmed it.",
    "Sends the deployment's operator secret, from the environment variable OPERATOR_SECRET.",
  ],
  positionals: {
    usage: "<account>",
    help: [["<account>", "The owner's e-mail address, or the account's identifier."]],
  },
  options: {
    url: { type: "string", value: "<address>", help: "The deployment, such as https://api.example.com. Required." },
    resume: { type: "boolean", default: false, help: "Opens the account again." },
  },
  run: async ({ values: { url, resume }, positionals }, context) => {
    const [account, ...more] = positionals;
    if (account === undefined)
      throw misused("Name the account: its owner's e-mail address or its identifier.", suspend);
    if (more.length > 0) throw misused(`Name one account: ${account} and ${more.join(", ")} are several.`, suspend);
    if (url === undefined)
      throw misused("Say where: --url https://api.example.com, the deployment's address.", suspend);
    const origin = originOf(url);
    const status = resume ? "active" : "suspended";
    const secret = secretFrom(context, "OPERATOR_SECRET", "the deployment's operator secret");

    const response = await fetch(new URL("/operator/account-status", origin), {
      method: "PUT",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify({ account, status }),
      redirect: "error",
      signal: AbortSignal.timeout(DEADLINE_MS),
    }).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message || error.message : error.message;
      throw new Failure(`${origin} does not answer: ${cause}. Nothing is certain; run it again.`);
    });
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (!response.ok) {
      const hint =
        response.status === 404 && !String(answer.detail).includes("account") ? " Is OPERATOR_SECRET set there?" : "";
      throw new Failure(`${response.status}: ${answer.detail ?? "no problem document"}${hint}`);
    }
    if (answer.status !== status || answer.accountId === undefined || answer.apiKeys === undefined)
      throw new Failure(
        `${origin} answered ${response.status}, and not that the account is ${status}. Nothing is certain: see that --url is the deployment's address, and run it again.`,
      );
    const keys = answer.apiKeys === 1 ? "Its API key's gate has" : `The gates of its ${answer.apiKeys} API keys have`;
    context.print(`${account} (account ${answer.accountId}) is ${answer.status}. ${keys} confirmed it.`);
    context.print(
      resume
        ? "Panelists see it within the freshness of their answers."
        : `Panelists see it within the freshness of their answers. To undo it: npm run suspend -- ${account} --url ${origin} --resume`,
    );
  },
});

/** Where the secret goes. Throws a Failure for an address that would show it on the way. */
export function originOf(url: string): string {
  if (!URL.canParse(url)) throw new Failure(`--url ${url}: an address such as https://api.example.com.`);
  const { origin, protocol, hostname } = new URL(url);
  const isThisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === "https:" || (protocol === "http:" && isThisMachine)) return origin;
  throw new Failure(`${url} is not https: the secret would be readable on the way.`);
}

if (import.meta.main) await main(suspend);
