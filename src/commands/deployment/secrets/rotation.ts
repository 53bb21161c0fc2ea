/**
 * The two slots of signing secrets, and the note of their rotation in wrangler.toml, behind the variable that names the slot that signs:
 *
 *     SIGNING_SECRETS = "CREDENTIAL_SECRETS_2" # since 2026-11-21T10:00:00.000Z
 *
 * The note lets a stopped rotation continue, and says whether the other slot is still needed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { countKeysFromBefore } from "../../../worker/database/diagnostics.ts";
import { Failure } from "../../command-line/failure.ts";
import { replaceFile } from "../../command-line/replace-file.ts";
import { CONFIGURATION, withVariable } from "../cloudflare/configuration.ts";
import type { Wrangler } from "../cloudflare/wrangler.ts";
import { remoteSession } from "../databases/wrangler-session.ts";

const VARIABLE = "SIGNING_SECRETS";
const SLOTS = ["CREDENTIAL_SECRETS", "CREDENTIAL_SECRETS_2"] as const;

type Slot = (typeof SLOTS)[number];

const STAGES = ["setting", "deploying", "ended", "done"] as const;

/**
 * `setting`: the other slot is being set. `deploying`: the slot that signs is not deployed yet. `ended`: the other slot has a secret
 * that signed nothing. `done`: the other slot has the secret before.
 */
type Stage = (typeof STAGES)[number];

/** `since`: when the slot began to sign, in Unix milliseconds; undefined if that is not known. */
export type Rotation = { readonly slot: Slot; readonly since: number | undefined; readonly stage: Stage };

export const otherSlot = (slot: Slot): Slot => (slot === SLOTS[0] ? SLOTS[1] : SLOTS[0]);

const NOTE = /# (?:since (\S+?))?(?:; )?(setting|deploying|ended)?$/;

export async function readRotation({ environment, context }: Wrangler): Promise<Rotation> {
  const header = environment === "" ? "[vars]" : `[env.${environment}.vars]`;
  const toml = await readFile(join(context.folder, CONFIGURATION), "utf8");
  const line = toml
    .split(`\n${header}\n`)[1]
    ?.split("\n[")[0]
    ?.match(new RegExp(`^${VARIABLE} = "(\\w+)"(.*)$`, "m"));
  const slot = SLOTS.find((one) => one === line?.[1]);
  if (slot === undefined)
    throw new Failure(`${header} in ${CONFIGURATION} needs ${VARIABLE} = "${SLOTS.join('" or "')}".`);
  const [, since, stage] = NOTE.exec(line?.[2] ?? "") ?? [];
  return {
    slot,
    since: since === undefined ? undefined : Date.parse(since),
    stage: STAGES.find((one) => one === stage) ?? "done",
  };
}

export async function writeRotation(
  { environment, context }: Wrangler,
  { slot, since, stage }: Rotation,
): Promise<void> {
  const notes = [
    ...(since === undefined ? [] : [`since ${new Date(since).toISOString()}`]),
    ...(stage === "done" ? [] : [stage]),
  ];
  const file = join(context.folder, CONFIGURATION);
  const toml = await readFile(file, "utf8");
  await replaceFile(file, withVariable(toml, { environment, name: VARIABLE, value: slot, comment: notes.join("; ") }));
}

/** A token lives for at most 90 days. */
const LONGEST_TOKEN_MS = 90 * 86_400_000;

/** For how long after a deployment an isolate of the version before may still sign. */
const ROLLOUT_MS = 300_000;

/**
 * The credentials that need the slot that does not sign. `keys`: valid API keys that it signed, now or with a previous secret in
 * its grace.
 */
export type Need = { readonly keys: number; readonly tokensUntil: number };

export async function readNeed(
  wrangler: Wrangler,
  { bindings, since, now }: { readonly bindings: readonly string[]; readonly since: number; readonly now: number },
): Promise<Need> {
  const before = since + ROLLOUT_MS;
  let keys = 0;
  for (const binding of bindings) {
    keys += await countKeysFromBefore(remoteSession(wrangler, binding), { before, now });
  }
  return { keys, tokensUntil: before + LONGEST_TOKEN_MS };
}

export const isNeeded = ({ keys, tokensUntil }: Need, now: number): boolean => keys > 0 || now < tokensUntil;

export const describeNeed = ({ keys, tokensUntil }: Need): string =>
  `${keys} valid API ${keys === 1 ? "key" : "keys"} (their owners rotate them in Account Settings), ` +
  `and tokens until ${new Date(tokensUntil).toISOString().slice(0, 10)}`;
