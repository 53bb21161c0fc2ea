/** Rows of `api_key_usage`, and the times and senders of a key's last uses. */
import {
  type Operations,
  SECRET_LENGTH,
  type Seen,
  type SeenRefusal,
  type SeenSecret,
  type SeenWithPrevious,
} from "../../model/seen.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** A key's requests in the hour that starts at `hour` (Unix milliseconds). */
export type HourlyUsage = {
  readonly hour: number;
  readonly admitted: number;
  readonly limited: number;
  readonly operations: Operations;
};

/**
 * The last admitted request with any of a key's secrets, with its newest one, and with its previous one; and the last refused
 * request.
 */
export type LastSeen = {
  readonly used?: Seen | undefined;
  readonly newest?: SeenSecret | undefined;
  readonly previous?: SeenWithPrevious | undefined;
  readonly refused?: SeenRefusal | undefined;
};

/** The totals of some hours, and the last requests, as a key's gate has them. */
export type KeyTotals = { readonly hours: readonly HourlyUsage[]; readonly seen: LastSeen };

/** The job deletes older hours. With a key's last hour, the trigger `api_key_seen_ends` deletes its last requests. */
export const USAGE_KEPT_MS = 31 * 86_400_000;

/**
 * Stores the totals of some hours and the last use: one round trip. Writing the same totals again changes nothing, so a write
 * whose answer was lost can be repeated. Writes nothing for a deleted key.
 */
export async function saveApiKeyUsage(
  session: Session,
  { apiKeyId, hours, seen }: KeyTotals & { readonly apiKeyId: string },
): Promise<void> {
  const [lastUsedAt, previous] = [seen.used?.at ?? 0, seen.previous];
  const patch = Object.entries(seen).map(([which, request]) => [
    which,
    request !== undefined && request.at < lastUsedAt - USAGE_KEPT_MS ? null : request,
  ]);
  await session.batch({
    counted: prepare(
      `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited, operations)
       SELECT :apiKeyId, value ->> 'hour', value ->> 'admitted', value ->> 'limited', value -> 'operations' FROM json_each(:hours)
       WHERE EXISTS (SELECT 1 FROM api_keys WHERE id = :apiKeyId)
       ON CONFLICT DO UPDATE SET
         operations = iif(excluded.admitted >= admitted, excluded.operations, operations),
         admitted = max(admitted, excluded.admitted), limited = max(limited, excluded.limited)
         WHERE excluded.admitted > admitted OR excluded.limited > limited
           OR excluded.admitted = admitted AND excluded.operations <> operations`,
      { apiKeyId, hours: JSON.stringify(hours) },
    ),
    used: prepare(
      `UPDATE api_keys SET last_used_at = nullif(max(coalesce(last_used_at, 0), :lastUsedAt), 0),
         seen = json_patch(coalesce(seen, '{}'), :seen), previous_last_used_at = iif(
           substr(previous_secret_hash, 1, ${SECRET_LENGTH}) = :previousSecret, max(coalesce(previous_last_used_at, 0), :previousUsedAt),
           previous_last_used_at)
       WHERE id = :apiKeyId
         AND (coalesce(last_used_at, 0) < :lastUsedAt OR json_patch(coalesce(seen, '{}'), :seen) IS NOT coalesce(seen, '{}'))`,
      {
        ...{ apiKeyId, lastUsedAt, previousSecret: previous?.secret, previousUsedAt: previous?.at },
        seen: JSON.stringify(Object.fromEntries(patch)),
      },
    ),
  });
}
