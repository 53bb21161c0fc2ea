/**
 * Changes of API keys by their owner, or by the operator: first D1 is changed, then the gate is notified, then the request is
 * answered.
 */

import type { AuditStamp } from "../database/activity/audit-events.ts";
import { loadOwnApiKey, revokeApiKey } from "../database/keys/account-keys.ts";
import { changeApiKey } from "../database/keys/api-key-changes.ts";
import type { ApiKey, Owner } from "../model/account-key.ts";
import type { ApiKeyChanges } from "../model/api-key-settings.ts";
import { NotAsOpened, Problem } from "../problem.ts";
import { refusesWrites } from "../store/outage.ts";
import type { Session } from "../store/session.ts";
import type { GateCaller, Gatekeeper } from "./gatekeeper.ts";

/** A request that changes keys, and the isolate's way to their gates. */
export type KeyChanger = {
  readonly caller: GateCaller;
  readonly gatekeeper: Gatekeeper;
};

/** The key's id, a session of its database, and the owner that it must belong to. */
export type OwnKey = {
  readonly session: Session;
  readonly owner: Owner;
  readonly id: string;
  readonly at: AuditStamp;
};

/** A gate that was not notified still uses its record, and refreshes it after an answer. */
export const NOT_NOTIFIED =
  "the key's Durable Object did not answer, and is told again for half a minute. If it does not hear of it, it can use its older record for up to 5 minutes.";

export const noSuchKey = () => new Problem("not-found", { detail: "There is no such API key." });
export const endedKey = () =>
  new Problem("conflict", { detail: "This key is revoked or expired: nothing can be changed. Create another." });

/**
 * Revokes the key. When it resolves, no request with the key is admitted anywhere. Revoking again is harmless, and notifies the
 * gate again. Throws `not-found`, and `service-unavailable` when the gate does not answer.
 */
export async function revokeOwnKey(changer: KeyChanger, { session, owner, id, at }: OwnKey): Promise<ApiKey> {
  const apiKey = await revokeApiKey(session, { owner, id, stamp: at }).catch((error: unknown) =>
    blockOwnKey(changer, { session, owner, id, at }, error),
  );
  if (apiKey === null) throw noSuchKey();
  await requireNotified(changer, id, { done: "The key is revoked", again: "Revoke it again" });
  return apiKey;
}

/**
 * For a revocation that D1 did not take, as while it is full, or did not confirm: the key's gate refuses the key from now on, although
 * D1 does not say so.
 * Throws `service-unavailable`, which says what holds, or the failure itself when D1 cannot say whose the key is either. Null when the
 * owner has no such key.
 */
async function blockOwnKey(
  { caller, gatekeeper }: KeyChanger,
  { session, owner, id, at }: OwnKey,
  failure: unknown,
): Promise<null> {
  const own = await loadOwnApiKey(session, { email: owner.email, id, now: at.now }).catch(() => {
    throw failure;
  });
  if (own === null) return null;
  const outcome = await gatekeeper.block(caller, id).then(
    () => "blocked" as const,
    () => "not blocked" as const,
  );
  throw new Problem("service-unavailable", {
    detail: refusesWrites(failure) ? NOT_STORED[outcome] : NOT_CONFIRMED[outcome],
    headers: { "Retry-After": "60" },
    cause: failure,
  });
}

/** D1 has refused the change. */
const NOT_STORED = {
  blocked:
    "The key is refused from now on. But the database takes no changes at the moment, so the revocation is not stored: lists still show " +
    "the key as active, and it may work while its Durable Object does not answer. Revoke it again later.",
  "not blocked":
    "The key was not revoked, and still works: the database takes no changes at the moment, and the key's Durable Object does not answer. " +
    "Revoke it again.",
};
/** The answer of D1 did not come: it may have done the change. */
const NOT_CONFIRMED = {
  blocked:
    "The key is refused from now on. But the database did not confirm the revocation, so it may or may not be stored. If it is not, the key " +
    "may work while its Durable Object does not answer. Revoke it again: doing it twice is harmless.",
  "not blocked":
    "The key may or may not be revoked: neither the database nor the key's Durable Object has confirmed it. Revoke it again: doing it twice is harmless.",
};

/**
 * Changes the key. When it resolves, no request anywhere is decided by the old settings, so a narrowing takes effect like a
 * revocation. Repeating a change changes nothing, but notifies the gate again. A new name does not concern the gate. Throws
 * `not-found`; `conflict` for a key that has ended, or is no longer as a form was `opened` with; and `service-unavailable` when the gate does not answer.
 */
export async function changeOwnKey(
  changer: KeyChanger,
  { session, owner, id, at }: OwnKey,
  { changes, opened }: { readonly changes: ApiKeyChanges; readonly opened?: ApiKeyChanges | undefined },
): Promise<ApiKey> {
  const apiKey = await changeApiKey(session, { owner, id, changes, opened, stamp: at });
  if (apiKey === null) throw noSuchKey();
  if (apiKey === "changed-meanwhile") throw new NotAsOpened();
  if (apiKey === "ended") throw endedKey();
  const { name: _, ...limits } = changes;
  // An empty change may repeat one that did not reach the gate, so the gate is notified.
  if (Object.keys(limits).length > 0 || Object.keys(changes).length === 0)
    await requireNotified(changer, id, { done: "The key is changed", again: "Change it again" });
  return apiKey;
}

/**
 * Notifies the key's gate. Throws `service-unavailable` when it does not answer. `done` and `again` make the sentence for the
 * client: the change that was made, and the request to repeat.
 */
export async function requireNotified(
  changer: KeyChanger,
  id: string,
  { done, again }: { readonly done: string; readonly again: string },
): Promise<void> {
  const [missed] = await notifyGates(changer, [id]);
  if (missed === undefined) return;
  throw new Problem("service-unavailable", {
    detail: `${done}, but ${NOT_NOTIFIED} Until then what was before may still hold. ${again} to be sure.`,
    headers: { "Retry-After": "1" },
    cause: missed.reason,
  });
}

/**
 * Notifies the keys' gates. When it resolves, no request is decided by a key's old state, except for the keys whose gates did not
 * answer; it returns their failures.
 */
export async function notifyGates(
  { caller, gatekeeper }: KeyChanger,
  ids: readonly string[],
): Promise<PromiseRejectedResult[]> {
  const notified = await Promise.allSettled(ids.map((id) => gatekeeper.forget(caller, id)));
  return notified.filter((outcome) => outcome.status === "rejected");
}
