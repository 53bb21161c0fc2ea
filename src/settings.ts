/** The deployment's settings, checked once. A wrong setting fails every request, with a log line that names it. */
import * as z from "zod/mini";
import { importSigningKeys, type SigningKeys } from "./credentials/envelope.ts";

/** `freshnessMs`: how old a snapshot of an idea bank may be when it is used for an answer. */
export type Settings = { readonly freshnessMs: number; readonly signingKeys: SigningKeys };

const DEFAULT_LEASE_SECONDS = 1;

/** A decimal number of seconds, at most `most`. */
const seconds = (most: number) =>
  z.pipe(z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.transform(Number)), z.number().check(z.lte(most)));

const secret = z.string().check(z.minLength(32, "each secret in CREDENTIAL_SECRETS must have at least 32 characters"));

const Variables = z.object({
  FRESHNESS_SECONDS: seconds(300),
  LEASE_SECONDS: z.optional(seconds(5)),
  CREDENTIAL_SECRETS: z.pipe(
    z.pipe(
      z.string(),
      z.transform((list) => list.split(",").map((item) => item.trim())),
    ),
    z.tuple([secret], secret),
  ),
});

type SettingsEnv = Pick<Env, "FRESHNESS_SECONDS" | "LEASE_SECONDS" | "CREDENTIAL_SECRETS">;

/** For how long a gate lets an isolate decide by itself, in milliseconds. A wrong variable is 0: no lease. */
export function readLeaseMs({ LEASE_SECONDS }: Pick<Env, "LEASE_SECONDS">): number {
  const { success, data = DEFAULT_LEASE_SECONDS } = Variables.shape.LEASE_SECONDS.safeParse(LEASE_SECONDS);
  return success ? data * 1000 : 0;
}

/** Reads and checks the variables. Throws a ZodError that names the broken ones, never their values. */
async function readSettings(env: SettingsEnv): Promise<Settings> {
  const variables = Variables.parse(env);
  return {
    freshnessMs: variables.FRESHNESS_SECONDS * 1000,
    signingKeys: await importSigningKeys(variables.CREDENTIAL_SECRETS),
  };
}

/** A reader that caches the last settings, so that an isolate imports its signing keys once. */
export function createSettingsReader(): (env: SettingsEnv) => Promise<Settings> {
  let kept: { freshness: string; secrets: string; settings: Settings } | undefined;
  return async (env) => {
    const { FRESHNESS_SECONDS: freshness, CREDENTIAL_SECRETS: secrets } = env;
    if (kept?.freshness !== freshness || kept.secrets !== secrets) {
      kept = { freshness, secrets, settings: await readSettings(env) };
    }
    return kept.settings;
  };
}
