/**
 * Idempotent POSTs: the outcome under a client's Idempotency-Key is kept for 24 hours.
 *
 * The key is stored in the transaction that does the work. So a retry, even one at the same time, either does the work or
 * finds its outcome.
 */
import type { IdempotencyKey, Once } from "../model/idempotency-key.ts";

/** How long an outcome is kept, in milliseconds. The scheduled job deletes older ones (expired-rows.ts). */
export const OUTCOME_KEPT_MS = 24 * 3_600_000;

/** The account that owns the keys: by its own id, or as the account of an idea bank. */
export type Owner = { readonly accountId: string } | { readonly ideaBankId: string };

/** ?1 is bound to the owner's identifier. */
const idOf = (owner: Owner): string => ("accountId" in owner ? owner.accountId : owner.ideaBankId);
const accountOf = (owner: Owner): string =>
  "accountId" in owner ? "?1" : "(SELECT account_id FROM idea_banks WHERE id = ?1)";

/** The condition of a tenant's insert. ?1 is the account, ?2 the idempotency key or null. */
export const NOT_DONE_BEFORE = "NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE account_id = ?1 AND key = ?2)";

/**
 * Runs an insert of at most one row, which has the condition and returns the new row. `outcome` is what
 * the answer needs besides the request, and no credential. One round trip, with the statements `before` in the same transaction.
 */
export async function insertOnce<Outcome>(
  session: D1DatabaseSession,
  owner: Owner,
  idempotencyKey: IdempotencyKey | undefined,
  insert: D1PreparedStatement,
  outcome: Outcome,
  before: readonly D1PreparedStatement[] = [],
): Promise<{ readonly once: Once<Outcome>; readonly before: readonly D1Result[] }> {
  const statements =
    idempotencyKey === undefined
      ? [insert]
      : [
          clearExpired(session, owner, idempotencyKey),
          insert,
          remember(session, owner, idempotencyKey, outcome),
          recall(session, owner, idempotencyKey),
        ];
  const results = await session.batch([...before, ...statements]);
  const own = results.slice(before.length);
  const inserted = own[idempotencyKey === undefined ? 0 : 1];
  return {
    before: results.slice(0, before.length),
    once:
      inserted?.results.length === 1
        ? { kind: "done", outcome }
        : idempotencyKey === undefined
          ? { kind: "refused" }
          : toOnce(own.at(-1), idempotencyKey),
  };
}

/** The same result with a mapped outcome. */
export const mapOnce = <From, To>(once: Once<From>, toOutcome: (outcome: From) => To): Once<To> =>
  "outcome" in once ? { kind: once.kind, outcome: toOutcome(once.outcome) } : once;

/** Deletes this key if it has expired and is still stored. Runs before every statement that looks for the key. */
export const clearExpired = (
  session: D1DatabaseSession,
  owner: Owner,
  { key, now }: IdempotencyKey,
): D1PreparedStatement =>
  session
    .prepare(
      // The + keeps SQLite on the primary key: a long backlog is not scanned.
      `DELETE FROM idempotency_keys WHERE account_id = ${accountOf(owner)} AND key = ?2 AND +created_at <= ?3`,
    )
    .bind(idOf(owner), key, now - OUTCOME_KEPT_MS);

/** Stores the outcome of the statement before it, if that changed a row. */
const remember = (
  session: D1DatabaseSession,
  owner: Owner,
  { key, requestHash, now }: IdempotencyKey,
  outcome: unknown,
): D1PreparedStatement =>
  session
    .prepare(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
       SELECT ${accountOf(owner)}, ?2, ?3, ?4, ?5 WHERE changes() > 0`,
    )
    .bind(idOf(owner), key, requestHash, JSON.stringify(outcome), now);

/** Selects what is stored under the key, for `toOnce`. */
export const recall = (session: D1DatabaseSession, owner: Owner, { key }: IdempotencyKey): D1PreparedStatement =>
  session
    .prepare(`SELECT request_hash, outcome FROM idempotency_keys WHERE account_id = ${accountOf(owner)} AND key = ?2`)
    .bind(idOf(owner), key);

export function toOnce<Outcome>(recalled: D1Result | undefined, { requestHash }: IdempotencyKey): Once<Outcome> {
  const row = recalled?.results[0] as { request_hash: string; outcome: string } | undefined;
  if (row === undefined) return { kind: "refused" };
  if (row.request_hash !== requestHash) return { kind: "reused" };
  return { kind: "replayed", outcome: JSON.parse(row.outcome) };
}
