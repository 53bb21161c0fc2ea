/** The deployment's settings, checked once. A wrong setting fails every request, with a log line that names it. */
import * as z from "zod/mini";
import { importSigningKeys, type SigningKeys } from "./credentials/envelope.ts";

/**
 * `freshnessMs`: how old a snapshot of an idea bank may be when it is used for an answer. `anchorMs`: how far behind the primary
 * a replica may be that is read for it.
 */
export type Settings = { readonly freshnessMs: number; readonly anchorMs: number; readonly signingKeys: SigningKeys };

const secret = z.string().check(z.minLength(32, "each secret in CREDENTIAL_SECRETS must have at least 32 characters"));

const seconds = z.pipe(
  z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.transform(Number)),
  z.number().check(z.lte(300)),
);

const Variables = z.object({
  FRESHNESS_SECONDS: seconds,
  ANCHOR_SECONDS: seconds,
  CREDENTIAL_SECRETS: z.pipe(
    z.pipe(
      z.string(),
      z.transform((list) => list.split(",").map((item) => item.trim())),
    ),
    z.tuple([secret], secret),
  ),
});

type SettingsEnv = Pick<Env, "FRESHNESS_SECONDS" | "ANCHOR_SECONDS" | "CREDENTIAL_SECRETS">;

/** Reads and checks the variables. Throws a ZodError that names the broken ones, never their values. */
async function readSettings(env: SettingsEnv): Promise<Settings> {
  const variables = Variables.parse(env);
  return {
    freshnessMs: variables.FRESHNESS_SECONDS * 1000,
    anchorMs: variables.ANCHOR_SECONDS * 1000,
    signingKeys: await importSigningKeys(variables.CREDENTIAL_SECRETS),
  };
}

/** A reader that caches the last settings, so that an isolate imports its signing keys once. */
export function createSettingsReader(): (env: SettingsEnv) => Promise<Settings> {
  let kept: { freshness: string; anchor: string; secrets: string; settings: Settings } | undefined;
  return async (env) => {
    const { FRESHNESS_SECONDS: freshness, ANCHOR_SECONDS: anchor, CREDENTIAL_SECRETS: secrets } = env;
    if (kept?.freshness !== freshness || kept.anchor !== anchor || kept.secrets !== secrets) {
      kept = { freshness, anchor, secrets, settings: await readSettings(env) };
    }
    return kept.settings;
  };
}
