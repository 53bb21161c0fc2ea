/**
 * POSTs that can be repeated safely: what was done under a client's Idempotency-Key, for 24 hours.
 *
 * The key is stored in the transaction that does the work. There is no moment at which it is taken and the work undone, so
 * a retry, even one at the same time, either does the work or finds its outcome.
 */

import type { IdempotencyKey, Once } from "../model/idempotency-key.ts";

const KEPT_MS = 24 * 3_600_000;
/** How many expired keys a POST clears away: more than the one that it adds. */
const CLEARED = 10;

/** The condition that an insert carries, with the account as ?1 and the key, or null, as ?2. */
export const NOT_DONE_BEFORE = "NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE account_id = ?1 AND key = ?2)";

/**
 * Runs an insert, one row at most, that is under `NOT_DONE_BEFORE` and returns a row when it has done its work.
 * One round trip. The outcome must not hold a credential.
 */
export async function insertOnce<Outcome>(
  session: D1DatabaseSession,
  accountId: string,
  idempotencyKey: IdempotencyKey | undefined,
  insert: D1PreparedStatement,
  outcome: Outcome,
): Promise<Once<Outcome>> {
  if (idempotencyKey === undefined) {
    const row = await insert.first();
    return row === null ? { kind: "refused" } : { kind: "done", outcome };
  }
  const [, inserted, , recalled] = await session.batch([
    clearExpired(session, accountId, idempotencyKey),
    insert,
    session
      .prepare(
        `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE changes() > 0`,
      )
      .bind(accountId, idempotencyKey.key, idempotencyKey.requestHash, JSON.stringify(outcome), idempotencyKey.now),
    recall(session, accountId, idempotencyKey),
  ]);
  if (inserted?.results.length === 1) return { kind: "done", outcome };
  return toOnce(recalled, idempotencyKey);
}

/** Expired keys count for nothing: the first statement of every batch that looks for one. */
export const clearExpired = (
  session: D1DatabaseSession,
  accountId: string,
  { key, now }: IdempotencyKey,
): D1PreparedStatement =>
  session
    .prepare(
      // The + keeps SQLite on the primary key: a long backlog is not scanned.
      `DELETE FROM idempotency_keys WHERE account_id = ?1 AND +created_at <= ?3 AND key IN (
         SELECT ?2 UNION ALL SELECT key FROM (
           SELECT key FROM idempotency_keys WHERE account_id = ?1 AND created_at <= ?3
           ORDER BY created_at LIMIT ${CLEARED}))`,
    )
    .bind(accountId, key, now - KEPT_MS);

/** What was done under the key: the last statement of a batch, for `toOnce`. */
export const recall = (session: D1DatabaseSession, accountId: string, { key }: IdempotencyKey): D1PreparedStatement =>
  session
    .prepare("SELECT request_hash, outcome FROM idempotency_keys WHERE account_id = ?1 AND key = ?2")
    .bind(accountId, key);

export function toOnce<Outcome>(recalled: D1Result | undefined, { requestHash }: IdempotencyKey): Once<Outcome> {
  const row = recalled?.results[0] as { request_hash: string; outcome: string } | undefined;
  if (row === undefined) return { kind: "refused" };
  if (row.request_hash !== requestHash) return { kind: "reused" };
  return { kind: "replayed", outcome: JSON.parse(row.outcome) };
}
