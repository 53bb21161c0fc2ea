/** Actions of an owner on API keys: first D1 is written, then the key's gate is notified, then the owner is answered. */
import type { Context } from "hono";
import {
  changeOwnKey,
  endedKey,
  type KeyChanger,
  NOT_NOTIFIED,
  noSuchKey,
  notifyGates,
  type OwnKey,
  requireNotified,
  revokeOwnKey,
} from "../../api-key-gate/key-changes.ts";
import { createApiKey } from "../../credentials/api-key.ts";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../../credentials/id.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import { loadApiKeyUse } from "../../database/keys/account-key-use.ts";
import { createApiKeyRow, listApiKeys, loadOwnApiKey, rotateApiKey } from "../../database/keys/account-keys.ts";
import type { AskGates } from "../../database/keys/unsaved-use.ts";
import { withDeliveries } from "../../deliveries/after-answer.ts";
import { invalid } from "../../http/invalid-request.ts";
import { logWarning } from "../../log.ts";
import type { ApiKey, NewApiKey, Rotation } from "../../model/account-key.ts";
import { type ApiKeyChanges, MAX_LIFE_DAYS } from "../../model/api-key-settings.ts";
import { isId } from "../../model/id.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { Problem } from "../../problem.ts";
import type { Session } from "../../store/session.ts";
import { primaryOf, visitAccount } from "../account-databases.ts";
import { isRepeated, repeatedProblem } from "../frame/repeated.ts";
import { limitOwner } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";

/** The pages of keys. */
export const API_KEYS = "/account/api-keys";

/** A key in full, for the one answer that shows it. `warning` tells that its gate was not reached. */
export type ShownKey = { readonly apiKey: ApiKey; readonly key: string; readonly warning: string | null };

const DAY_MS = 86_400_000;

/** Makes a change in the owner's account. */
const inOwnAccount = <Answer>(
  c: Context<OwnerEnv>,
  session: Session,
  change: (session: Session) => Promise<Answer>,
): Promise<Answer> => withDeliveries(c, { session, account: { email: c.var.owner.email }, send: c.var.send }, change);

const askGatesOf =
  (c: Context<OwnerEnv>): AskGates =>
  (ids) =>
    c.var.gatekeeper.unsavedUse(c, ids);

/** A key, for what does not show its use. Throws `not-found`. */
export async function loadKey(c: Context<OwnerEnv>, id: string): Promise<ApiKey> {
  const apiKey = await loadOwnApiKey(primaryOf(c, id), { email: c.var.owner.email, id, now: Date.now() });
  if (apiKey === null) throw noSuchKey();
  return apiKey;
}

/** The owner's keys, and how much they are used. */
export const listKeyUse = (c: Context<OwnerEnv>) =>
  visitAccount(c, (session, visit) => listApiKeys(session, visit, askGatesOf(c)));

/** A key, and its last 30 days. Throws `not-found`. */
export async function loadKeyUse(c: Context<OwnerEnv>, id: string) {
  const own = { email: c.var.owner.email, id, now: Date.now() };
  const found = await loadApiKeyUse(primaryOf(c, id), { ...own, askGates: askGatesOf(c) });
  if (found === null) throw noSuchKey();
  return found;
}

/** `chosenId` is the new key's id. It was chosen when the form was shown, so a form that is sent twice creates one key. */
export async function createKey(
  c: Context<OwnerEnv>,
  input: NewApiKey,
  {
    chosenId,
    idempotencyKey,
  }: { readonly chosenId?: Identifier | undefined; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<ShownKey> {
  const { signingKeys } = c.get("settings");
  const { created, text } = await visitAccount(c, async (session, visit) => {
    const { digit } = visit;
    const isHere = chosenId !== undefined && databaseDigit(chosenId) === digit;
    const id = isHere ? chosenId : createId(digit, secureRandomBytes);
    const { text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, id);
    const secret = { id, hash: secretHash, lastFour: text.slice(-4) };
    const at = stamp(digit);
    const row = { owner: c.var.owner, visit, key: secret, settings: input, stamp: at, idempotencyKey };
    return { text, ...(await inOwnAccount(c, session, (watched) => createApiKeyRow(watched, row))) };
  });
  if (isRepeated(created)) throw repeatedProblem(created);
  if (created === "limit") throw new Problem("api-key-limit-reached");
  if (created === "exists") {
    throw new Problem("conflict", {
      detail:
        "This form was already sent, and its key was created. If you did not copy that key, rotate it or revoke it.",
    });
  }
  // If this call does not reach the gate, the gate is created near its first user. If the owner changes the key before that, it
  // is created near the owner.
  if (created.region !== null) {
    const placing = c.var.gatekeeper.place(c, created.id, created.region);
    const placed = placing.catch((error: unknown) => logWarning("a key's gate was not made in its region", error));
    c.executionCtx.waitUntil(placed);
  }
  return { apiKey: created, key: text, warning: null };
}

export async function rotateKey(
  c: Context<OwnerEnv>,
  {
    id,
    rotation: { graceSeconds, lastFour: seen },
    idempotencyKey,
  }: { readonly id: string; readonly rotation: Rotation; readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<ShownKey> {
  await limitOwner(c, "keys");
  const session = primaryOf(c, id);
  // Only an identifier fits into a key's text.
  if (!isId(id)) throw noSuchKey();
  const { signingKeys } = c.get("settings");
  const { text, secretHash } = await createApiKey(signingKeys, secureRandomBytes, id);
  const secret = { hash: secretHash, lastFour: text.slice(-4) };
  const at = stamp(id);
  const graceUntil = graceSeconds === 0 ? null : at.now + graceSeconds * 1000;
  const usedSecret = await c.var.gatekeeper.usedSecret(c, id);
  const rotation = { graceUntil, seen, usedSecret };
  const change = { owner: c.var.owner, id, secret, rotation, stamp: at, idempotencyKey };
  const apiKey = await inOwnAccount(c, session, (watched) => rotateApiKey(watched, change));
  if (apiKey === null) {
    const own = await loadOwnApiKey(session, { email: c.var.owner.email, id, now: at.now });
    throw own === null || own.state === "active" ? noSuchKey() : endedKey();
  }
  if (isRepeated(apiKey)) {
    // If the answer of the first request was lost, its call to the gate may have been lost too.
    if (apiKey !== "key-reused")
      await requireNotified(changerOf(c), id, {
        done: "This request was sent before, and the key was rotated then",
        again: "Send it again",
      });
    throw repeatedProblem(apiKey);
  }
  if (apiKey === "rotated") {
    await requireNotified(changerOf(c), id, { done: "This key was rotated since you saw it", again: "Send it again" });
    throw new Problem("conflict", {
      detail:
        "This key was rotated since you saw it, for example because a form was sent twice. If no one copied the new secret, rotate it again: " +
        "an unused secret is replaced, and the one before it keeps its grace period.",
    });
  }
  // The new key exists now and is shown only here, so a gate that does not answer must not hide it from the owner.
  const missed = await notifyGates(changerOf(c), [id]);
  const warning =
    missed.length === 0
      ? null
      : `The key is rotated, but ${NOT_NOTIFIED} Until then a secret that has ended may still work, and this one may not. Keep it: save the key's form without a change, or send {} by PATCH, to be sure.`;
  return { apiKey, key: text, warning };
}

/** Changes the given settings, as `changeOwnKey` describes. Throws `invalid-request` for an expiry that is past or too far away. */
export async function changeKey(
  c: Context<OwnerEnv>,
  id: string,
  changes: ApiKeyChanges,
  opened?: ApiKeyChanges,
): Promise<ApiKey> {
  const isPause = changes.paused === true && Object.keys(changes).length === 1;
  const mayRestrict = Object.entries(changes).some(
    ([name, value]) => name !== "name" && !(name === "paused" && !value),
  );
  if (!isPause) await limitOwner(c, mayRestrict ? "keys" : "all else");
  const own = ownKey(c, id);
  const livesMs = changes.expiresAt == null ? 1 : Date.parse(changes.expiresAt) - own.at.now;
  if (livesMs <= 0 || livesMs > MAX_LIFE_DAYS * DAY_MS)
    throw invalid([{ path: "expiresAt", message: `must be a time in the next ${MAX_LIFE_DAYS} days` }]);
  return inOwnAccount(c, own.session, (session) =>
    changeOwnKey(changerOf(c), { ...own, session }, { changes, opened }),
  );
}

export async function revokeKey(c: Context<OwnerEnv>, id: string): Promise<ApiKey> {
  const own = ownKey(c, id);
  return inOwnAccount(c, own.session, (session) => revokeOwnKey(changerOf(c), { ...own, session }));
}

const ownKey = (c: Context<OwnerEnv>, id: string): OwnKey => ({
  session: primaryOf(c, id),
  owner: c.var.owner,
  id,
  at: stamp(id),
});

const changerOf = (c: Context<OwnerEnv>): KeyChanger => ({ caller: c, gatekeeper: c.var.gatekeeper });
