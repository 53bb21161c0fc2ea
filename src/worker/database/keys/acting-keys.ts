/**
 * The API key that acts in a transaction. A body may come ten seconds after its key was admitted, so whether the key is still good is
 * decided here, with what it does. Triggers record the key with each change, and in the events of what it ends for good.
 */
import type { Scope } from "../../model/scope.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** `now` is in Unix milliseconds; `scope` null accepts any key. */
type ActingKey = {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly secretHash: string;
  readonly scope: Scope | null;
  readonly now: number;
};

/** What a request records as an act of its key: nothing, one entry in the log of changes, or any number of entries and events. */
export type Acts = "none" | "one-change" | "any";

/** SQL: the key's id, and NULL when a gate that reads it now would refuse it, from any address. */
const GOOD_KEY = `(SELECT k.id FROM api_keys k JOIN accounts a ON a.id = k.account_id
  WHERE k.id = :apiKeyId AND k.account_id = :accountId AND a.status = 'active' AND k.revoked_at IS NULL AND k.paused_at IS NULL
    AND coalesce(k.expires_at, :now + 1) > :now
    AND (k.secret_hash = :secretHash OR (k.previous_secret_hash = :secretHash AND k.previous_expires_at > :now))
    AND (:scope IS NULL OR EXISTS (SELECT 1 FROM json_each(k.scopes) WHERE value = :scope)))`;

const LAST_CHANGE = "coalesce((SELECT max(number) FROM change_log WHERE account_id = :accountId), 0)";
/** SQL: the number of the last change that the key makes. */
const UNTIL = { "one-change": `${LAST_CHANGE} + 1`, any: String(Number.MAX_SAFE_INTEGER) };

/**
 * This session, but nothing is done or read once the key has ended: each round trip is rolled back then (`isKeyEnded`). Acts of no kind
 * cost no row, one change costs one: after that change the row says nothing any more, so that it needs no deletion.
 */
export const actingAs = (session: Session, key: ActingKey, acts: Acts): Session =>
  acts === "none"
    ? session.with({
        before: [
          prepare(
            `INSERT INTO acting_keys (account_id, api_key_id) SELECT :accountId, NULL WHERE ${GOOD_KEY} IS NULL`,
            key,
          ),
        ],
        after: [],
      })
    : session.with({
        before: [
          prepare(
            `INSERT INTO acting_keys (account_id, api_key_id, until_number) VALUES (:accountId, ${GOOD_KEY}, ${UNTIL[acts]})
             ON CONFLICT DO UPDATE SET api_key_id = excluded.api_key_id, until_number = excluded.until_number`,
            key,
          ),
        ],
        after: [
          prepare(`DELETE FROM acting_keys WHERE account_id = :accountId AND until_number > ${LAST_CHANGE}`, {
            accountId: key.accountId,
          }),
        ],
      });

/** Whether a round trip of `actingAs` was rolled back because the key has ended. */
export const isKeyEnded = (error: unknown): boolean =>
  error instanceof Error && /^D1_ERROR: NOT NULL constraint failed: acting_keys\.api_key_id\b/.test(error.message);
