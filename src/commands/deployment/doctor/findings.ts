/** The faults of a deployment with their fixes, from the observations of `npm run doctor` (pure). */

import { isIP } from "node:net";
import type { ByAccount, Diagnostics } from "../../../worker/database/diagnostics.ts";
import { LEDGER } from "../../../worker/database/schema.ts";
import { readZones } from "../../../worker/model/webhook-url.ts";
import { nameSome } from "../../command-line/name-some.ts";
import { describeMissing } from "../databases/schema-steps.ts";
import type { Rotation } from "../secrets/rotation.ts";

/** What a database has not of the schema. */
export type SchemaSeen = {
  readonly binding: string;
  /** The steps that it has not had. Undefined when it could not be asked. */
  readonly missingSteps: readonly string[] | undefined;
  /** Tables, columns, indexes, triggers and views that its steps have made. */
  readonly missingObjects: readonly string[];
};

export type DatabaseSeen = SchemaSeen &
  Diagnostics & {
    readonly isCreated: boolean;
    /** The mode that Cloudflare's API reports. Undefined when it could not be read. */
    readonly replication: string | undefined;
  };

/** `detail`: of an answer that names no store. */
type HealthSeen = {
  readonly status: number;
  readonly stores: Readonly<Record<string, unknown>>;
  readonly detail?: string | undefined;
};

/** The results of requests to the deployment's address. */
export type AddressSeen = {
  readonly host: string;
  /** Why no request got an answer. Undefined when one did. */
  readonly noAnswer: string | undefined;
  /** The status of `GET /tenant/whoami` over plain http with a forged key. Undefined when nothing listens there. */
  readonly plainHttp: number | undefined;
  readonly forgedKey: number | undefined;
  readonly accountSignedOut: number | undefined;
  readonly health: HealthSeen | undefined;
  /** The deployment's clock less this machine's. */
  readonly clockMs: number | undefined;
};

export type Seen = {
  readonly variables: Readonly<Record<string, unknown>>;
  /** The live version's variables, and the slots that sign. Undefined before the first deployment. */
  readonly live:
    | { readonly variables: Readonly<Record<string, string>>; readonly signers: readonly string[] }
    | undefined;
  readonly secrets: readonly string[];
  readonly rotation: Rotation;
  readonly databases: readonly DatabaseSeen[];
  /** Addresses that sign in: each one is a seat of Cloudflare Access. */
  readonly owners: number;
  /** Undefined without --url. */
  readonly address: AddressSeen | undefined;
};

export type Finding = { readonly what: string; readonly fix: string };

const YEAR_MS = 365 * 86_400_000;
/** The free plan of Cloudflare Zero Trust. */
const FREE_SEATS = 50;
const CLOCK_MS = 30_000;
/** The bounds of settings.ts. */
const SECONDS: Readonly<Record<string, number>> = { FRESHNESS_SECONDS: 300, ANCHOR_SECONDS: 300, LEASE_SECONDS: 5 };
const DAYS = { AUDIT_EVENT_DAYS: [30, 3_650], CHANGE_DAYS: [30, 365], USAGE_DAYS: [1, 31] } as const;

const deploy = "npm run deploy";

export const findingsOf = (seen: Seen, now: number): readonly Finding[] => [
  ...ofVariables(seen),
  ...ofSecrets(seen, now),
  ...seen.databases.flatMap(ofDatabase),
  ...(seen.owners > FREE_SEATS
    ? [
        {
          what: `${seen.owners} addresses sign in, and each is a seat of Cloudflare Access: the first ${FREE_SEATS} are free`,
          fix: "check the seats of your Zero Trust plan",
        },
      ]
    : []),
  ...ofZones(seen),
  ...(seen.address === undefined ? [] : ofAddress(seen.address, seen.databases)),
];

/** A host of more labels may be deeper than its zone: nobody but the operator knows how far. */
const LABELS_OF_ZONE_AND_NAME = 3;

function ofZones({ variables, address }: Seen): readonly Finding[] {
  const { zones, wrong } = readZones(String(variables.OWN_ZONES ?? ""));
  if (wrong.length > 0)
    return [
      {
        what: `OWN_ZONES has parts that are not domains, so every request is refused: ${wrong.map((each) => JSON.stringify(each)).join(", ")}`,
        fix: `list your zones in wrangler.toml, such as "example.com, example.org", then ${deploy}`,
      },
    ];
  const host = address?.host ?? "";
  const [, ...parent] = host.split(".");
  const isGuarded =
    zones.length > 0 ||
    isIP(host) !== 0 ||
    parent.length < LABELS_OF_ZONE_AND_NAME ||
    parent.join(".").endsWith(".workers.dev");
  if (isGuarded) return [];
  const guarded = parent.join(".");
  return [
    {
      what: `OWN_ZONES is empty, and the API is at ${host}: webhooks are kept out of ${guarded}, but not out of the rest of its zone`,
      fix: `put the zone's name from Cloudflare's dashboard into OWN_ZONES in wrangler.toml (${guarded}, if that is it), then ${deploy}`,
    },
  ];
}

function ofVariables({ variables, live, databases }: Seen): readonly Finding[] {
  const found: Finding[] = [];
  if (!variables.ACCESS_AUD)
    found.push({
      what: "Access has no audience: a sign-in for any Access application of your organization opens Account Settings",
      fix: `put the application's AUD tag into ACCESS_AUD in wrangler.toml, then ${deploy}`,
    });
  for (const [name, most] of Object.entries(SECONDS)) {
    const text = String(variables[name] ?? "");
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > most)
      found.push({
        what: `${name} is ${JSON.stringify(text)}: not a number of seconds up to ${most}`,
        fix: `correct it in wrangler.toml, then ${deploy}`,
      });
  }
  for (const [name, [least, most]] of Object.entries(DAYS)) {
    const text = String(variables[name] ?? least);
    if (!/^\d{1,4}$/.test(text) || Number(text) < least || Number(text) > most)
      found.push({
        what: `${name} is ${JSON.stringify(text)}: not a number of days from ${least} to ${most}. Nothing of that kind is deleted`,
        fix: `correct it in wrangler.toml, then ${deploy}`,
      });
  }
  for (const digit of new Set(String(variables.NEW_ACCOUNTS ?? "0"))) {
    const binding = digit === "0" ? "DB" : `DB_${digit}`;
    if (!databases.some((one) => one.binding === binding))
      found.push({
        what: `NEW_ACCOUNTS names ${binding}, which is not a database in wrangler.toml: accounts cannot be created there`,
        fix: `add the database or remove ${digit}, then ${deploy}`,
      });
  }
  if (live === undefined) return [...found, { what: "nothing is deployed", fix: deploy }];
  const changed = Object.keys(live.variables).filter(
    (name) => Object.hasOwn(variables, name) && String(variables[name]) !== live.variables[name],
  );
  if (changed.length > 0)
    found.push({
      what: `the deployed version and wrangler.toml differ in ${changed.join(", ")}`,
      fix: deploy,
    });
  return found;
}

function ofSecrets({ secrets, rotation, live }: Seen, now: number): readonly Finding[] {
  const found: Finding[] = [];
  if (live !== undefined && !secrets.includes(rotation.slot))
    found.push({ what: `the Worker has no secret ${rotation.slot}, which should sign`, fix: deploy });
  const another = live?.signers.find((signer) => signer !== rotation.slot);
  if (another !== undefined && rotation.stage !== "deploying")
    found.push({
      what: `the deployed version signs with ${another}, and wrangler.toml says ${rotation.slot}`,
      fix: "pull the change to wrangler.toml that the last rotation made",
    });
  if (rotation.stage === "setting" || rotation.stage === "deploying")
    found.push({
      what: "a rotation of the signing secret stopped in the middle",
      fix: "npm run rotate-secret, which continues it",
    });
  if (rotation.since !== undefined && now - rotation.since > YEAR_MS)
    found.push({
      what: `the signing secret is from ${new Date(rotation.since).toISOString().slice(0, 10)}: older than a year`,
      fix: "npm run rotate-secret",
    });
  if (live !== undefined && !secrets.includes("OPERATOR_SECRET"))
    found.push({
      what: "OPERATOR_SECRET is missing: you cannot suspend accounts or revoke keys",
      fix: "npx wrangler secret put OPERATOR_SECRET",
    });
  return found;
}

export function ofSchema({ binding, missingSteps, missingObjects }: SchemaSeen): readonly Finding[] {
  if (missingSteps === undefined)
    return [{ what: `${binding} could not be queried`, fix: "look at D1 in Cloudflare's dashboard" }];
  const found: Finding[] = [];
  if (missingSteps.length > 0)
    found.push({ what: `${binding} has not had the schema step ${missingSteps.join(", ")}`, fix: deploy });
  if (missingObjects.length > 0)
    found.push({
      what: `${binding} is incomplete: it has ${describeMissing(missingObjects)}`,
      fix:
        missingObjects.join() === `table ${LEDGER}`
          ? deploy
          : "npm run restore, to a moment or a backup that has it. An index, a trigger or a view can also be created again from schema.sql",
    });
  return found;
}

const total = (webhooks: ByAccount) => webhooks.reduce((sum, [, count]) => sum + count, 0);
/** "3 (account a: 2, account b: 1)" */
const describeByAccount = (webhooks: ByAccount): string =>
  `${total(webhooks)} (${nameSome(webhooks.map(([account, count]) => `account ${account}: ${count}`))})`;

export function ofDatabase({ isCreated, replication, ...seen }: DatabaseSeen): readonly Finding[] {
  const { binding } = seen;
  if (!isCreated) return [{ what: `${binding} has no id in wrangler.toml: it was never created`, fix: deploy }];
  const found = [...ofSchema(seen)];
  if (replication === undefined)
    found.push({
      what: `the read replication of ${binding} could not be read`,
      fix: "look at D1, Settings, in Cloudflare's dashboard",
    });
  else if (replication !== "auto")
    found.push({ what: `read replication of ${binding} is off: readers far away wait for its primary`, fix: deploy });
  const { failedWebhooks, failingWebhooks, lateWebhooks, fullAccounts } = seen;
  if (failedWebhooks.length > 0)
    found.push({
      what: `webhooks of ${binding} that failed for days and no longer receive anything: ${describeByAccount(failedWebhooks)}`,
      fix: "ask their owners to fix the endpoint and turn the webhook on again in Account Settings",
    });
  if (failingWebhooks.length > 0)
    found.push({
      what: `webhooks of ${binding} whose deliveries have failed for more than an hour, and are tried again: ${describeByAccount(failingWebhooks)}`,
      fix: "npm run account -- show <account>, which says since when; ask their owners to fix the endpoint",
    });
  if (lateWebhooks > 0)
    found.push({
      what: `webhooks of ${binding} that have waited for the scheduled job for more than ten minutes: ${lateWebhooks}`,
      fix: "look at the Worker's Triggers in Cloudflare's dashboard: the job fails, or does not run",
    });
  if (fullAccounts > 0)
    found.push({
      what: `accounts of ${binding} that use more than nine tenths of their storage: ${fullAccounts}`,
      fix: "npm run account -- list; npm run account -- quota <account> <MiB>",
    });
  return found;
}

/** From outside, without a look at Cloudflare, `databases` is empty. */
export function ofAddress(address: AddressSeen, databases: readonly DatabaseSeen[]): readonly Finding[] {
  const { host, noAnswer, plainHttp, forgedKey, accountSignedOut, health, clockMs } = address;
  if (noAnswer !== undefined)
    return [
      {
        what: `${host} does not answer: ${noAnswer}`,
        fix: "check --url: `npm run deploy` prints the address when it ends. If it is right, try another network, and check Cloudflare's status page",
      },
    ];
  const found: Finding[] = [];
  if (plainHttp !== undefined && plainHttp !== 403 && (plainHttp < 300 || plainHttp > 399))
    found.push({
      what: `plain http is answered with ${plainHttp}: keys can be read in transit`,
      fix: "turn on Always Use HTTPS for the zone, and deploy this version",
    });
  // Every request fails for the same reason, which is said once.
  const failsAlways = health !== undefined && health.status >= 500 && Object.keys(health.stores).length === 0;
  if (failsAlways)
    found.push({
      what: `/health is answered with ${health.status}${health.detail === undefined ? "" : `: ${health.detail}`}`,
      fix: "npx wrangler tail --search internal-error, which names a wrong setting. Correct it, then npm run deploy",
    });
  if (forgedKey !== 401 && !(failsAlways && forgedKey === health.status))
    found.push({
      what: `a forged API key is answered with ${forgedKey ?? "nothing"}, not 401`,
      fix: "check that it is the deployment's address; npx wrangler tail",
    });
  if (accountSignedOut === 200)
    found.push({
      what: "Account Settings answers without a sign-in",
      fix: "protect the path /account with a Cloudflare Access application",
    });
  if (health === undefined) found.push({ what: "/health does not answer", fix: "npx wrangler tail" });
  for (const [store, state] of Object.entries(health?.stores ?? {})) {
    if (state === "ok") continue;
    const answers = databases.some(({ binding, missingSteps }) => binding === store && missingSteps !== undefined);
    found.push(
      answers
        ? {
            what: `D1 sessions of ${store} hang: the database itself answers, and so do requests, more slowly`,
            fix: "check Cloudflare's status page and wait: do not deploy or roll back because of it",
          }
        : { what: `/health says that ${store} is down`, fix: "look at Cloudflare's status page" },
    );
  }
  if (clockMs !== undefined && Math.abs(clockMs) > CLOCK_MS)
    found.push({
      what: `the clock of this machine is ${Math.round(Math.abs(clockMs) / 1_000)} s ${clockMs > 0 ? "behind" : "ahead"}: tokens that it signs are refused`,
      fix: "synchronize it (NTP)",
    });
  return found;
}
