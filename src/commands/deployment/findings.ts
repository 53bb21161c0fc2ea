/** The faults of a deployment with their mends, from the observations of `npm run doctor` (pure). */
import { isIP } from "node:net";
import { readZones } from "../../worker/model/webhook-url.ts";
import type { Rotation } from "./rotation.ts";

export type DatabaseSeen = {
  readonly binding: string;
  readonly isCreated: boolean;
  /** The mode that Cloudflare's API reports. Undefined when it could not be read. */
  readonly replication: string | undefined;
  /** The schema steps that it lacks. Undefined when it could not be asked. */
  readonly missingSteps: readonly string[] | undefined;
  readonly failedWebhooks: number;
  /** Webhooks that wait for the scheduled job for more than ten minutes. */
  readonly lateWebhooks: number;
  readonly fullAccounts: number;
};

/** The results of requests to the deployment's address. */
export type AddressSeen = {
  readonly host: string;
  /** The status of `GET /tenant/whoami` over plain http with a forged key. Undefined when nothing listens there. */
  readonly plainHttp: number | undefined;
  readonly forgedKey: number | undefined;
  readonly accountSignedOut: number | undefined;
  readonly health: { readonly status: number; readonly stores: Readonly<Record<string, unknown>> } | undefined;
  /** The deployment's clock less this machine's. */
  readonly clockMs: number | undefined;
};

export type Seen = {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Those of the live version, and which secrets the Worker has. Undefined before the first deployment. */
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

export type Finding = { readonly what: string; readonly mend: string };

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
          mend: "check the seats of your Zero Trust plan",
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
        what: `OWN_ZONES has no domain in ${wrong.map((each) => JSON.stringify(each)).join(", ")}: every request is refused`,
        mend: `write the names of your zones, as "example.com, example.org", in wrangler.toml, then ${deploy}`,
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
      what: `OWN_ZONES is empty, and the API is at ${host}: of its zone, webhooks are kept out of ${guarded} alone`,
      mend: `put the zone's name, as Cloudflare's dashboard has it, into OWN_ZONES in wrangler.toml (${guarded}, if that is it), then ${deploy}`,
    },
  ];
}

function ofVariables({ variables, live, databases }: Seen): readonly Finding[] {
  const found: Finding[] = [];
  if (!variables.ACCESS_AUD)
    found.push({
      what: "Access has no audience: a sign-in for any Access application of your organization opens Account Settings",
      mend: `put the application's AUD tag into ACCESS_AUD in wrangler.toml, then ${deploy}`,
    });
  for (const [name, most] of Object.entries(SECONDS)) {
    const text = String(variables[name] ?? "");
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > most)
      found.push({
        what: `${name} is ${JSON.stringify(text)}: not a number of seconds up to ${most}`,
        mend: `correct it in wrangler.toml, then ${deploy}`,
      });
  }
  for (const [name, [least, most]] of Object.entries(DAYS)) {
    const text = String(variables[name] ?? least);
    if (!/^\d{1,4}$/.test(text) || Number(text) < least || Number(text) > most)
      found.push({
        what: `${name} is ${JSON.stringify(text)}: not a number of days from ${least} to ${most}. Nothing of it is deleted`,
        mend: `correct it in wrangler.toml, then ${deploy}`,
      });
  }
  for (const digit of new Set(String(variables.NEW_ACCOUNTS ?? "0"))) {
    const binding = digit === "0" ? "DB" : `DB_${digit}`;
    if (!databases.some((one) => one.binding === binding))
      found.push({
        what: `NEW_ACCOUNTS names ${binding}, which is no database of wrangler.toml: accounts cannot be made there`,
        mend: `add the database, or take ${digit} out, then ${deploy}`,
      });
  }
  if (live === undefined) return [...found, { what: "nothing is deployed", mend: deploy }];
  const changed = Object.keys(live.variables).filter(
    (name) => Object.hasOwn(variables, name) && String(variables[name]) !== live.variables[name],
  );
  if (changed.length > 0)
    found.push({
      what: `the deployed version has other values of ${changed.join(", ")} than wrangler.toml`,
      mend: deploy,
    });
  return found;
}

function ofSecrets({ secrets, rotation, live }: Seen, now: number): readonly Finding[] {
  const found: Finding[] = [];
  if (live !== undefined && !secrets.includes(rotation.slot))
    found.push({ what: `the Worker has no secret ${rotation.slot}, which signs`, mend: deploy });
  const another = live?.signers.find((signer) => signer !== rotation.slot);
  if (another !== undefined && rotation.stage !== "deploying")
    found.push({
      what: `the deployed version signs with ${another}, and wrangler.toml says ${rotation.slot}`,
      mend: "pull the change of wrangler.toml that the last rotation made",
    });
  if (rotation.stage === "setting" || rotation.stage === "deploying")
    found.push({
      what: "a rotation of the signing secret stopped in the middle",
      mend: "npm run rotate-secret, which goes on",
    });
  if (rotation.since !== undefined && now - rotation.since > YEAR_MS)
    found.push({
      what: `the signing secret is of ${new Date(rotation.since).toISOString().slice(0, 10)}: older than a year`,
      mend: "npm run rotate-secret",
    });
  if (live !== undefined && !secrets.includes("OPERATOR_SECRET"))
    found.push({
      what: "there is no OPERATOR_SECRET: no account can be suspended, and no key revoked by you",
      mend: "npx wrangler secret put OPERATOR_SECRET",
    });
  return found;
}

export function ofDatabase({
  binding,
  isCreated,
  replication,
  missingSteps,
  ...counts
}: DatabaseSeen): readonly Finding[] {
  if (!isCreated) return [{ what: `${binding} has no id in wrangler.toml: it was never created`, mend: deploy }];
  const found: Finding[] = [];
  if (missingSteps === undefined)
    found.push({ what: `${binding} could not be asked`, mend: "look at D1 in Cloudflare's dashboard" });
  else if (missingSteps.length > 0)
    found.push({ what: `${binding} has not had the schema step ${missingSteps.join(", ")}`, mend: deploy });
  if (replication === undefined)
    found.push({
      what: `whether read replication of ${binding} is on could not be read`,
      mend: "look at D1, Settings, in Cloudflare's dashboard",
    });
  else if (replication !== "auto")
    found.push({ what: `read replication of ${binding} is off: readers far away wait for its primary`, mend: deploy });
  const { failedWebhooks, lateWebhooks, fullAccounts } = counts;
  if (failedWebhooks > 0)
    found.push({
      what: `webhooks of ${binding} that failed for days and get nothing any more: ${failedWebhooks}`,
      mend: "their owners correct the receiver, and switch them on in Account Settings",
    });
  if (lateWebhooks > 0)
    found.push({
      what: `webhooks of ${binding} that have waited for the scheduled job for more than ten minutes: ${lateWebhooks}`,
      mend: "look at the Worker's Triggers in Cloudflare's dashboard: the job fails, or does not run",
    });
  if (fullAccounts > 0)
    found.push({
      what: `accounts of ${binding} that use more than nine tenths of their storage: ${fullAccounts}`,
      mend: "npm run account -- list; npm run account -- quota <account> <MiB>",
    });
  return found;
}

/** From outside, without a look at Cloudflare, `databases` is empty. */
export function ofAddress(address: AddressSeen, databases: readonly DatabaseSeen[]): readonly Finding[] {
  const { plainHttp, forgedKey, accountSignedOut, health, clockMs } = address;
  const found: Finding[] = [];
  if (plainHttp !== undefined && plainHttp !== 403 && (plainHttp < 300 || plainHttp > 399))
    found.push({
      what: `plain http is answered with ${plainHttp}: keys can be read on the way`,
      mend: "turn on Always Use HTTPS for the zone, and deploy this version",
    });
  if (forgedKey !== 401)
    found.push({
      what: `a forged API key is answered with ${forgedKey ?? "nothing"}, not 401`,
      mend: "see that it is the deployment's address; npx wrangler tail",
    });
  if (accountSignedOut === 200)
    found.push({
      what: "Account Settings answer somebody who is not signed in",
      mend: "protect the path /account by an application of Cloudflare Access",
    });
  if (health === undefined) found.push({ what: "/health does not answer", mend: "npx wrangler tail" });
  for (const [store, state] of Object.entries(health?.stores ?? {})) {
    if (state === "ok") continue;
    const answers = databases.some(({ binding, missingSteps }) => binding === store && missingSteps !== undefined);
    found.push(
      answers
        ? {
            what: `D1 sessions of ${store} hang: the database itself answers, and so do requests, more slowly`,
            mend: "wait: do not deploy or roll back for it. Cloudflare's status page tells of it",
          }
        : { what: `/health says that ${store} is down`, mend: "look at Cloudflare's status page" },
    );
  }
  if (clockMs !== undefined && Math.abs(clockMs) > CLOCK_MS)
    found.push({
      what: `the clock of this machine is ${Math.round(Math.abs(clockMs) / 1_000)} s ${clockMs > 0 ? "behind" : "ahead"}: tokens that it signs are refused`,
      mend: "synchronize it (NTP)",
    });
  return found;
}
