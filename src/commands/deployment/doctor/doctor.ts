/** `npm run doctor`: examines a deployment, and prints each fault with its fix. It changes nothing. */

import { join } from "node:path";
import { countPeople, type Diagnostics, loadDiagnostics } from "../../../worker/database/diagnostics.ts";
import { Schema } from "../../../worker/model/operator.ts";
import type { Session } from "../../../worker/store/session.ts";
import { defineCommand, misused } from "../../command-line/command.ts";
import type { Context } from "../../command-line/context.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { whyNoAnswer } from "../../command-line/no-answer.ts";
import {
  ENVIRONMENT,
  type Here,
  inEnvironment,
  ON_THIS_MACHINE,
  PERSIST_TO,
  STATE_FOLDER,
  stateFolderOf,
} from "../arguments.ts";
import { askDeployment, deploymentAt, deploymentHere, originOf, URL_OF_DEPLOYMENT } from "../ask-deployment.ts";
import { describeOwner } from "../backups/manifest.ts";
import { chooseAccount, NotLoggedIn } from "../cloudflare/account.ts";
import { type Resource, readConfiguration } from "../cloudflare/configuration.ts";
import { listDeployments, signerOf, viewVersion } from "../cloudflare/deployments.ts";
import { readReplicationMode } from "../cloudflare/read-replication.ts";
import { Wrangler } from "../cloudflare/wrangler.ts";
import { openEveryDatabase } from "../databases/every-database.ts";
import { readRemoteSchema } from "../databases/remote-schema.ts";
import { lackingOf, readSchemaState, readSchemaSteps, type SchemaStep } from "../databases/schema-steps.ts";
import { remoteSession } from "../databases/wrangler-session.ts";
import { readRotation } from "../secrets/rotation.ts";
import { listSecrets } from "../secrets/signing-secrets.ts";
import {
  type AddressSeen,
  type DatabaseSeen,
  type Finding,
  findingsOf,
  ofAddress,
  ofDatabase,
  ofSchema,
  type SchemaSeen,
  type Seen,
} from "./findings.ts";

/** For each request. All of them run at the same time. */
const DEADLINE_MS = 4_000;
const LATE_MS = 600_000;
/** An endpoint that is down for a moment is nobody's concern. */
const FAILING_MS = 3_600_000;

export const doctor = defineCommand({
  name: "doctor",
  summary: [
    "Checks a deployment, and says what is wrong and how to fix it. Changes nothing. Fails when it finds something.",
    "With --url and without a Cloudflare login it only checks from outside. With the operator secret in the environment variable",
    "OPERATOR_SECRET it then asks the deployment whether its databases are complete.",
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
    const steps = await readSchemaSteps(join(context.folder, "migrations"));
    const account = await chooseAccount(wrangler, configuration.accountId).catch((error: unknown) => {
      if (error instanceof NotLoggedIn && origin !== undefined) return { outside: origin };
      throw error;
    });
    if ("outside" in account) {
      context.print(
        `Checking ${account.outside} from outside. To check settings, secrets and databases, too: \`npx wrangler login\`, or CLOUDFLARE_API_TOKEN. OPERATOR_SECRET is enough to check whether the databases are complete.`,
      );
      return report(context, await examineOutside(context, account.outside, { environment: env, steps }));
    }
    wrangler.accountId = account.id;
    context.print(`Checking ${describeOwner({ environment: env, account })}.`);
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

/** Without the operator's secret only what anybody sees. */
async function examineOutside(
  context: Context,
  origin: string,
  { environment, steps }: { readonly environment: string; readonly steps: readonly SchemaStep[] },
): Promise<Examined> {
  const address = await lookAtAddress(origin);
  const findings = ofAddress(address, []);
  if (address.noAnswer !== undefined || !context.variables.OPERATOR_SECRET) return { findings, environment };
  return { findings: [...findings, ...(await askForSchema(context, origin, steps))], environment };
}

/** The deployment's own databases, compared with the steps of this version. */
async function askForSchema(
  context: Context,
  origin: string,
  steps: readonly SchemaStep[],
): Promise<readonly Finding[]> {
  try {
    const answer = await askDeployment(context, deploymentAt(context, origin), {
      ...{ method: "GET", path: "/operator/schema", done: "this is its schema" },
      confirms: (given) => Schema.safeParse(given).success,
    });
    return Schema.parse(answer).databases.flatMap(({ binding, steps: ledger, objects }) =>
      ofSchema({ binding, ...lackingOf({ ledger, objects }, steps) }),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [
      {
        what: `the deployment does not say what its databases have: ${error.message}`,
        fix: "check OPERATOR_SECRET, and that the deployment is of this version",
      },
    ];
  }
}

/** The server of `npm run dev` and its databases. Its job runs with it, and it plays the sign-in: neither is looked at. */
async function examineHere(context: Context, environment: string, here: Here): Promise<Examined> {
  const { origin } = await deploymentHere(context, here);
  const address = await lookAtAddress(origin);
  if (address.health === undefined)
    throw new Failure(`${origin} does not answer. Start the server of this folder: npm run dev`);
  context.print(`Checking ${origin}, the server of this folder.`);
  const { bindings, query, session } = await openEveryDatabase(context, environment, here);
  const steps = await readSchemaSteps(join(context.folder, "migrations"));
  const findings = [...ofAddress({ ...address, accountSignedOut: undefined }, [])];
  for (const binding of bindings) {
    const schema = lackingOf(await readSchemaState((sql) => query(binding, sql)), steps);
    const counts = (await orUndefined(diagnose(session(binding)))) ?? NOTHING_COUNTED;
    const state = { binding, isCreated: true, replication: "auto", ...schema };
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

const NOTHING_COUNTED: Diagnostics = { failedWebhooks: [], failingWebhooks: [], lateWebhooks: 0, fullAccounts: 0 };

const diagnose = (session: Session): Promise<Diagnostics> =>
  loadDiagnostics(session, { failingSince: Date.now() - FAILING_MS, dueBefore: Date.now() - LATE_MS });

async function lookAtDatabase(
  wrangler: Wrangler,
  {
    accountId,
    database: { binding, id },
    steps,
  }: { readonly accountId: string; readonly database: Resource; readonly steps: readonly SchemaStep[] },
): Promise<DatabaseSeen> {
  const unasked = { missingSteps: undefined, missingObjects: [] };
  if (id === undefined) return { binding, isCreated: false, replication: undefined, ...unasked, ...NOTHING_COUNTED };
  const [replication, schema, counts] = await Promise.all([
    readReplicationMode(wrangler, accountId, id),
    orUndefined(readRemoteSchema(wrangler, binding)),
    orUndefined(diagnose(remoteSession(wrangler, binding))),
  ]);
  const lacking = schema === undefined ? unasked : lackingOf(schema, steps);
  // What is missing may be the reason why nothing could be counted.
  const isAsked = counts !== undefined || isLacking(lacking);
  return { binding, isCreated: true, replication, ...(isAsked ? lacking : unasked), ...(counts ?? NOTHING_COUNTED) };
}

const isLacking = ({ missingSteps, missingObjects }: Omit<SchemaSeen, "binding">) =>
  missingObjects.length > 0 || (missingSteps !== undefined && missingSteps.length > 0);

/** The directory of owners and members is in the first database. */
async function countOwners(wrangler: Wrangler, [first]: readonly Resource[]): Promise<number> {
  if (first?.id === undefined) return 0;
  return (await orUndefined(countPeople(remoteSession(wrangler, first.binding)))) ?? 0;
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
  const body: unknown = await health?.json().catch(() => undefined);
  const date = Date.parse(whoami?.headers.get("Date") ?? "");
  return {
    host: new URL(origin).hostname,
    noAnswer: whoami || accountSignedOut || health ? undefined : whyNoAnswer(unanswered[0]).words,
    plainHttp: plainHttp?.status,
    forgedKey: whoami?.status,
    accountSignedOut: accountSignedOut?.status,
    health: health && { status: health.status, stores: storesIn(body), detail: detailIn(body) },
    clockMs: Number.isNaN(date) ? undefined : date - Date.now(),
  };
}

const detailIn = (body: unknown): string | undefined =>
  typeof body === "object" && body !== null && "detail" in body ? String(body.detail) : undefined;

/** The states of the stores, as `/health` has them, and as its problem document has them. */
function storesIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) return {};
  const stores = "stores" in body && typeof body.stores === "object" && body.stores !== null ? body.stores : body;
  return Object.fromEntries(Object.entries(stores).filter(([, state]) => state === "ok" || state === "down"));
}

if (import.meta.main) await main(doctor);
