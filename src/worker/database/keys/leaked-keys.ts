/** Handles secrets that were found in public. The account's setting decides whether a key ends or is only marked. */

import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { ACTIVE, HEARD_MS } from "./api-key-rows.ts";

/** `secretHash` is the hex SHA-256 of the whole key, `eventId` the id for its audit event. */
export type LeakedSecret = {
  readonly id: string;
  readonly secretHash: string;
  readonly foundAt: string;
  readonly eventId: string;
};

/** `r.value` is a secret as a JSON array. A key's row is found by its id, so the table is not scanned. */
const REPORTED = "FROM json_each(:secrets) r CROSS JOIN api_keys k ON k.id = r.value ->> 0";
const IS_CURRENT = "secret_hash = r.value ->> 1";
const IS_PREVIOUS = "previous_secret_hash = r.value ->> 1";
/** The isolate that ends a key may have a clock that is ahead of its gate's and of other isolates' by this much. */
const AHEAD_MS = 60_000;
const LATELY = `:now - ${HEARD_MS} AND :now + ${AHEAD_MS}`;
const EVENT = "EXISTS (SELECT 1 FROM audit_events WHERE id = r.value ->> 3)";

/**
 * The newest secret ends the whole key; a previous secret only ends itself. Keys and secrets that ended or were marked before stay as
 * they are. Returns the ids of the keys whose gates must be notified: those that are changed here, and those that were changed a
 * while ago, because their gates may not know it yet.
 */
export async function recordLeaks(
  session: Session,
  {
    secrets,
    reporter,
    now,
  }: { readonly secrets: readonly LeakedSecret[]; readonly reporter: string; readonly now: number },
): Promise<string[]> {
  const list = JSON.stringify(
    secrets.map(({ id, secretHash, foundAt, eventId }) => [id, secretHash, foundAt, eventId]),
  );
  const values = { secrets: list, reporter, now };
  const { recent } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT r.value ->> 3, k.account_id, 'leaked', k.id, k.name, :reporter, NULL, :now,
         json_object('before', json_object('foundAt', NULL, 'ended', NULL), 'after', json_object('foundAt', r.value ->> 2,
           'ended', CASE WHEN a.marks_leaked_keys THEN NULL WHEN k.${IS_CURRENT} THEN 'key' ELSE 'old secret' END))
       ${REPORTED} CROSS JOIN accounts a ON a.id = k.account_id
       WHERE ${ACTIVE} AND (k.${IS_CURRENT} OR k.${IS_PREVIOUS} AND k.previous_expires_at > :now)
         AND (k.leaked_at IS NULL OR NOT a.marks_leaked_keys)`,
      values,
    ),
    current: prepare(
      `UPDATE api_keys SET leaked_at = :now, revoked_at = iif(a.marks_leaked_keys, NULL, :now)
       FROM json_each(:secrets) r CROSS JOIN accounts a
       WHERE api_keys.id = r.value ->> 0 AND a.id = api_keys.account_id AND ${IS_CURRENT} AND ${EVENT}`,
      values,
    ),
    previous: prepare(
      `UPDATE api_keys SET leaked_at = iif(a.marks_leaked_keys, :now, leaked_at),
         previous_expires_at = iif(a.marks_leaked_keys, previous_expires_at, :now - ${AHEAD_MS})
       FROM json_each(:secrets) r CROSS JOIN accounts a
       WHERE api_keys.id = r.value ->> 0 AND a.id = api_keys.account_id AND ${IS_PREVIOUS} AND ${EVENT}`,
      values,
    ),
    recent: prepare<{ id: string }>(
      `SELECT DISTINCT k.id ${REPORTED}
       WHERE k.revoked_at BETWEEN ${LATELY} OR k.expires_at BETWEEN ${LATELY} OR k.previous_expires_at BETWEEN ${LATELY}
         OR k.rotated_at BETWEEN ${LATELY}`,
      { secrets: list, now },
    ),
  });
  return recent.map(({ id }) => id);
}
