/** `npm run doctor`: examines a deployment, and prints each fault with its fix. It changes nothing. */

import { join } from "node:path";
import { STORED_BYTES } from "../../worker/database/quota.ts";
import { defineCommand, misused } from "../command-line/command.ts";
import type { Context } from "../command-line/context.ts";
import { Failure } from "../command-line/failure.ts";
import { main } from "../command-line/main.ts";
import { whyNoAnswer } from "../command-line/no-answer.ts";
import { chooseAccount, NotLoggedIn } from "./account.ts";
import {
  ENVIRONMENT,
  type Here,
  inEnvironment,
  ON_THIS_MACHINE,
  PERSIST_TO,
  STATE_FOLDER,
  stateFolderOf,
} from "./arguments.ts";
import { deploymentHere, originOf, URL_OF_DEPLOYMENT } from "./ask-deployment.ts";
import { type Resource, readConfiguration } from "./configuration.ts";
import { listDeployments, signerOf, viewVersion } from "./deployments.ts";
import { openEveryDatabase, type Row } from "./every-database.ts";
import {
  type AddressSeen,
  type DatabaseSeen,
  type Finding,
  findingsOf,
  ofAddress,
  ofDatabase,
  type Seen,
} from "./findings.ts";
import { describeOwner } from "./manifest.ts";
import { readReplicationMode } from "./read-replication.ts";
import { planRemoteSteps } from "./remote-schema.ts";
import { readRotation } from "./rotation.ts";
import { readSchemaSteps, type SchemaStep } from "./schema-steps.ts";
import { listSecrets } from "./signing-secrets.ts";
import { Wrangler } from "./wrangler.ts";

/** For each request. All of them run at the same time. */
const DEADLINE_MS = 4_000;
const LATE_MS = 600_000;

export const doctor = defineCommand({
  name: "doctor",
  summary: [
    "Checks a deployment, and says what is wrong and how to fix it. Changes nothing. Fails when it finds something.",
    "With --url and without a Cloudflare login it only checks from outside.",
  ],
  options: {
    url: {
      ...URL_OF_DEPLOYMENT,
      help: "The deployment, such as https://api.example.com. Without it, no request is sent.",
    },
    [ON_THIS_MACHINE]: {
      type: "boolean",
      default: false,
      help: "Checks the server of `npm run dev` and its databases, instead of a deployment.",
    },
    [PERSIST_TO]: STATE_FOLDER,
    env: ENVIRONMENT,
  },
  run: async ({ values: { url, env, ...here } }, context) => {
    const isHere = here[ON_THIS_MACHINE];
    if (isHere && url !== undefined) throw misused("Use --url or --on-this-machine, not both.", doctor);
    stateFolderOf(context, here);
    if (isHere) return report(context, await examineHere(context, env, here));
    const origin = url === undefined ? undefined : originOf(url);
    const wrangler = new Wrangler(context, env);
    const configuration = await readConfiguration(context.folder, env);
    const rotation = await readRotation(wrangler);
    const account = await chooseAccount(wrangler, configuration.accountId).catch((error: unknown) => {
      if (error instanceof NotLoggedIn && origin !== undefined) return { outside: origin };
      throw error;
    });
    if ("outside" in account) {
      context.print(
        `Checking ${account.outside} from outside. To check settings, secrets and databases, too: \`npx wrangler login\`, or CLOUDFLARE_API_TOKEN.`,
      );
      return report(context, { findings: ofAddress(await lookAtAddress(account.outside), []), environment: env });
    }
    wrangler.accountId = account.id;
    context.print(`Checking ${describeOwner({ environment: env, account })}.`);
    const steps = await readSchemaSteps(join(context.folder, "migrations"));
    const [databases, live, secrets, address, owners] = await Promise.all([
      Promise.all(
        configuration.databases.map((one) => lookAtDatabase(wrangler, { accountId: account.id, database: one, steps })),
      ),
      readLiveVersion(wrangler),
      listSecrets(wrangler),
      origin === undefined ? undefined : lookAtAddress(origin),
      countOwners(wrangler, configuration.databases),
    ]);
    const seen: Seen = { variables: configuration.variables, live, secrets, rotation, databases, owners, address };
    const more = origin === undefined ? " With --url it also checks the deployment itself." : "";
    report(context, { findings: findingsOf(seen, Date.now()), environment: env, more });
  },
});

type Examined = { readonly findings: readonly Finding[]; readonly environment: string; readonly more?: string };

/** Throws a Failure when something was found. */
function report(context: Context, { findings, environment, more = "" }: Examined): void {
  for (const { what, fix } of findings) context.print(`- ${what}\n  Fix: ${inEnvironment(fix, environment)}`);
  if (findings.length > 0) throw new Failure(`${findings.length} ${findings.length === 1 ? "finding" : "findings"}.`);
  context.print(`Nothing found.${more}`);
}

/** The server of `npm run dev` and its databases. Its job runs with it, and it plays the sign-in: neither is looked at. */
async function examineHere(context: Context, environment: string, here: Here): Promise<Examined> {
  const { origin } = await deploymentHere(context, here);
  const address = await lookAtAddress(origin);
  if (address.health === undefined)
    throw new Failure(`${origin} does not answer. Start the server of this folder: npm run dev`);
  context.print(`Checking ${origin}, the server of this folder.`);
  const { bindings, query } = await openEveryDatabase(context, environment, here);
  const findings = [...ofAddress({ ...address, accountSignedOut: undefined }, [])];
  for (const binding of bindings) {
    const counts = countsIn((await query(binding, troubleBefore(Date.now())))[0]);
    const state = { binding, isCreated: true, replication: "auto", missingSteps: [] };
    findings.push(...ofDatabase({ ...state, ...counts, lateWebhooks: 0 }));
  }
  return { findings, environment };
}

/** Undefined for a failed request, which is a separate finding. */
async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function query(wrangler: Wrangler, binding: string, sql: string): Promise<Row> {
  const [answer] = await wrangler.json<{ results: Row[] }[]>([
    ...["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql.replace(/\s+/g, " ")],
  ]);
  return answer?.results[0] ?? {};
}

async function lookAtDatabase(
  wrangler: Wrangler,
  {
    accountId,
    database: { binding, id },
    steps,
  }: { readonly accountId: string; readonly database: Resource; readonly steps: readonly SchemaStep[] },
): Promise<DatabaseSeen> {
  if (id === undefined)
    return { binding, isCreated: false, replication: undefined, missingSteps: undefined, ...countsIn(undefined) };
  const [replication, plan, counts] = await Promise.all([
    readReplicationMode(wrangler, accountId, id),
    orUndefined(planRemoteSteps(wrangler, binding, steps)),
    orUndefined(query(wrangler, binding, troubleBefore(Date.now()))),
  ]);
  return {
    binding,
    isCreated: true,
    replication,
    missingSteps: plan?.files.map(({ name }) => name),
    ...countsIn(counts),
  };
}

const troubleBefore = (now: number): string =>
  `SELECT (SELECT count(*) FROM webhooks WHERE state = 'failed') AS failed,
    (SELECT count(*) FROM webhooks WHERE due_at < ${now - LATE_MS}) AS late,
    (SELECT count(*) FROM accounts WHERE ${STORED_BYTES} > 0.9 * max_bytes) AS nearlyFull`;

const countsIn = (row: Row | undefined) => ({
  failedWebhooks: Number(row?.failed ?? 0),
  lateWebhooks: Number(row?.late ?? 0),
  fullAccounts: Number(row?.nearlyFull ?? 0),
});

/** The directory of owners and members is in the first database. */
async function countOwners(wrangler: Wrangler, [first]: readonly Resource[]): Promise<number> {
  if (first?.id === undefined) return 0;
  const sql = "SELECT count(*) AS n FROM (SELECT email FROM owners UNION SELECT email FROM memberships)";
  return Number((await orUndefined(query(wrangler, first.binding, sql)))?.n ?? 0);
}

async function readLiveVersion(wrangler: Wrangler): Promise<Seen["live"]> {
  const deployments = await orUndefined(listDeployments(wrangler));
  const ids = deployments?.[0]?.versions.map(({ version_id }) => version_id) ?? [];
  const versions = await Promise.all(ids.map((id) => viewVersion(wrangler, id)));
  const signers = versions.flatMap((version) => signerOf(version) ?? []);
  if (signers.length === 0) return undefined;
  const bindings = versions.flatMap(({ resources }) => resources.bindings);
  const variables = bindings.flatMap(({ type, name, text }) =>
    type === "plain_text" && text !== undefined ? [[name, text] as const] : [],
  );
  return { variables: Object.fromEntries(variables), signers };
}

async function lookAtAddress(origin: string): Promise<AddressSeen> {
  const forged = { "X-API-Key": `ibk_${"0".repeat(47)}` };
  const unanswered: unknown[] = [];
  const ask = async (path: string, headers: Record<string, string> = {}, base = origin) => {
    try {
      return await fetch(new URL(path, base), {
        headers,
        redirect: "manual",
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
    } catch (error) {
      if (base === origin) unanswered.push(error);
      return undefined;
    }
  };
  const plain = origin.startsWith("https:") ? origin.replace("https:", "http:") : undefined;
  const [plainHttp, whoami, accountSignedOut, health] = await Promise.all([
    plain === undefined ? undefined : ask("/tenant/whoami", forged, plain),
    ask("/tenant/whoami", forged),
    ask("/account/api/accounts"),
    ask("/health"),
  ]);
  const stores: unknown = await health?.json().catch(() => undefined);
  const date = Date.parse(whoami?.headers.get("Date") ?? "");
  return {
    host: new URL(origin).hostname,
    noAnswer: whoami || accountSignedOut || health ? undefined : whyNoAnswer(unanswered[0]).words,
    plainHttp: plainHttp?.status,
    forgedKey: whoami?.status,
    accountSignedOut: accountSignedOut?.status,
    health: health && { status: health.status, stores: storesIn(stores) },
    clockMs: Number.isNaN(date) ? undefined : date - Date.now(),
  };
}

/** The states of the stores, as `/health` has them, and as its problem document has them. */
function storesIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) return {};
  const stores = "stores" in body && typeof body.stores === "object" && body.stores !== null ? body.stores : body;
  return Object.fromEntries(Object.entries(stores).filter(([, state]) => state === "ok" || state === "down"));
}

if (import.meta.main) await main(doctor);
