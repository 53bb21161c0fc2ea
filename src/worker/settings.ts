/** The deployment's settings, checked once. A wrong setting fails every request, and the log names it; on a developer's machine the answer does, too. */
import * as z from "zod/mini";
import { importSigningKeys, type SigningKeys } from "./credentials/envelope.ts";
import { BRAND_VARIABLES, type Brand, toBrand } from "./model/brand.ts";
import { toPagesHost } from "./model/pages-origin.ts";
import { readZones } from "./model/webhook-url.ts";

/**
 * `freshnessMs` is the maximum age of an idea bank's view when it is used for an answer. `anchorMs` is the maximum lag of a
 * replica that is read for it. `signingKeys` are the secrets of the slot that signs, then those of the other slot.
 */
export type Settings = {
  readonly freshnessMs: number;
  readonly anchorMs: number;
  readonly signingKeys: SigningKeys;
  readonly brand: Brand;
};

const DEFAULT_LEASE_SECONDS = 1;
const DEFAULT_ANCHOR_SECONDS = 6;

/** A decimal number of seconds, at most `most`. */
const seconds = (most: number) =>
  z.pipe(z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.transform(Number)), z.number().check(z.lte(most)));

const secret = z.string().check(z.minLength(32, "each secret must have at least 32 characters"));

/** The secrets of a slot, separated by commas. */
const Secrets = z.pipe(
  z.pipe(
    z.string("not set"),
    z.transform((list) => list.split(",").map((item) => item.trim())),
  ),
  z.array(secret),
);

/** It is no secret, so the fault names it. */
const Domains = z.string().check((setting) => {
  const { wrong } = readZones(setting.value);
  const message = `${wrong.map((each) => JSON.stringify(each)).join(", ")} is no domain`;
  if (wrong.length > 0) setting.issues.push({ code: "custom", input: setting.value, message });
});

/** The visitor's token of START_PAGE_TOKEN. Undefined when it is empty, or could be another kind of credential. */
export const toStartPageToken = (setting: string | undefined): string | undefined =>
  setting?.trim().startsWith("ibv_") ? setting.trim() : undefined;

const StartPageToken = z.string().check(({ value, issues }) => {
  const message = "must be a visitor's token (ibv_…), because everyone who opens the start page can read it";
  if (value.trim() !== "" && toStartPageToken(value) === undefined)
    issues.push({ code: "custom", input: value, message });
});

const PagesHost = z.string().check(({ value, issues }) => {
  const message = `${JSON.stringify(value)} is no host, such as ideas.example.com`;
  if (value.trim() !== "" && toPagesHost(value) === undefined) issues.push({ code: "custom", input: value, message });
});

const Variables = z.object({
  FRESHNESS_SECONDS: seconds(300),
  ANCHOR_SECONDS: z.optional(seconds(300)),
  LEASE_SECONDS: z.optional(seconds(5)),
  CREDENTIAL_SECRETS: Secrets,
  // The first rotation sets it. From then on the two slots take turns, so that nobody ever has to read a secret.
  CREDENTIAL_SECRETS_2: z.optional(Secrets),
  SIGNING_SECRETS: z.optional(z.enum(["CREDENTIAL_SECRETS", "CREDENTIAL_SECRETS_2"])),
  OWN_ZONES: z.optional(Domains),
  START_PAGE_TOKEN: z.optional(StartPageToken),
  PAGES_HOST: z.optional(PagesHost),
  ...BRAND_VARIABLES,
});

declare global {
  /** Optional variables. `npm run types` declares those in wrangler.toml. */
  interface __BaseEnv_Env {
    readonly CREDENTIAL_SECRETS_2?: string;
    /** The operator's commands send it. Without it their routes do not exist. */
    readonly OPERATOR_SECRET?: string;
    /** A GitHub token, for fetching the keys that sign its reports. */
    readonly GITHUB_KEYS_TOKEN?: string;
    /** Sends e-mail to members. */
    readonly NOTICES?: SendEmail;
    /** Receives a data point for each request. */
    readonly REQUESTS?: AnalyticsEngineDataset;
  }
}

type Name = keyof typeof Variables.shape;
const NAMES = Object.keys(Variables.shape) as Name[];
type SettingsEnv = Pick<Env, Name>;

/**
 * The maximum lag of a replica that is read for an answer, in milliseconds. 0 when the variable is wrong: then no replica is
 * read.
 */
export function readAnchorMs({ ANCHOR_SECONDS }: Partial<Pick<Env, "ANCHOR_SECONDS">>): number {
  const { success, data = DEFAULT_ANCHOR_SECONDS } = Variables.shape.ANCHOR_SECONDS.safeParse(ANCHOR_SECONDS);
  return success ? data * 1000 : 0;
}

/** The longest lease, in milliseconds. 0 when the variable is wrong: then there are no leases. */
export function readLeaseMs({ LEASE_SECONDS }: Pick<Env, "LEASE_SECONDS">): number {
  const { success, data = DEFAULT_LEASE_SECONDS } = Variables.shape.LEASE_SECONDS.safeParse(LEASE_SECONDS);
  return success ? data * 1000 : 0;
}

/**
 * How many days rows are kept before the scheduled job deletes them. Clients are promised 30 days of changes, and the pages of
 * keys show at most 31 days of use.
 */
const RETENTION = {
  AUDIT_EVENT_DAYS: { least: 30, most: 3_650, standard: 400 },
  CHANGE_DAYS: { least: 30, most: 365, standard: 30 },
  USAGE_DAYS: { least: 1, most: 31, standard: 31 },
};
export type RetentionEnv = { readonly [Name in keyof typeof RETENTION]?: string };

/** How long rows are kept, in milliseconds. Throws an Error when the variable is wrong, so that nothing is deleted. */
export function readKeptMs(env: RetentionEnv, name: keyof RetentionEnv): number {
  const { least, most, standard } = RETENTION[name];
  const text = env[name] ?? String(standard);
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= least && days <= most) return days * 86_400_000;
  throw new Error(`${name} must be a number of days from ${least} to ${most}`);
}

/** Its message names the settings, and never has the value of a secret. */
export class WrongSettings extends Error {}

/** Reads and checks the variables. Throws WrongSettings. */
async function readSettings(env: SettingsEnv): Promise<Settings> {
  const { data, error } = Variables.safeParse(env);
  if (error !== undefined) {
    const wrong = error.issues.map(({ path, message }) => `${String(path[0])} (${message})`);
    throw new WrongSettings(`wrong settings: ${wrong.join(", ")}`);
  }
  const { FRESHNESS_SECONDS, ANCHOR_SECONDS, CREDENTIAL_SECRETS, CREDENTIAL_SECRETS_2, SIGNING_SECRETS } = data;
  const slots =
    CREDENTIAL_SECRETS_2 && SIGNING_SECRETS === "CREDENTIAL_SECRETS_2"
      ? [CREDENTIAL_SECRETS_2, CREDENTIAL_SECRETS]
      : [CREDENTIAL_SECRETS, CREDENTIAL_SECRETS_2 ?? []];
  // `split` returns at least one part.
  const [newest = "", ...older] = slots.flat();
  return {
    freshnessMs: FRESHNESS_SECONDS * 1000,
    anchorMs: (ANCHOR_SECONDS ?? DEFAULT_ANCHOR_SECONDS) * 1000,
    signingKeys: await importSigningKeys([newest, ...older]),
    brand: toBrand(data),
  };
}

/** Caches the last settings, so that an isolate imports its signing keys once. */
export class SettingsReader {
  #kept: { readonly env: SettingsEnv; readonly settings: Settings } | undefined;

  /** The settings that were read last; undefined when `env` has other variables. */
  peek(env: SettingsEnv): Settings | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    return env === kept.env || NAMES.every((name) => env[name] === kept.env[name]) ? kept.settings : undefined;
  }

  async read(env: SettingsEnv): Promise<Settings> {
    const settings = await readSettings(env);
    this.#kept = { env, settings };
    return settings;
  }
}
