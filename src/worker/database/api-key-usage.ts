/** Rows of `api_key_usage`, and when and by whom a key was last used. */
import type { Operations, Seen, SeenRefusal, SeenWithPrevious } from "../model/seen.ts";

/** A key's requests in the hour that starts at `hour` (Unix milliseconds). */
export type HourlyUsage = {
  readonly hour: number;
  readonly admitted: number;
  readonly limited: number;
  readonly operations: Operations;
};

/** A key's last request that was admitted, with any secret and with its previous one; and the last one that was refused. */
export type LastSeen = {
  readonly used?: Seen | undefined;
  readonly previous?: SeenWithPrevious | undefined;
  readonly refused?: SeenRefusal | undefined;
};

/** When a key was last used, and when its previous secret was (0 for never), in Unix milliseconds. */
export type LastUse = {
  readonly lastUsedAt: number;
  readonly previousUsedAt: number;
  readonly seen: LastSeen;
};

/** The job deletes hours that are older; `api_key_seen_ends` deletes what was seen with the last of them. */
export const USAGE_KEPT_MS = 31 * 86_400_000;

/**
 * Stores the totals of some hours and the last use: one round trip. Writing the same totals again changes nothing, so a write
 * whose answer was lost can be repeated. Writes nothing for a deleted key.
 */
export async function saveApiKeyUsage(
  database: D1Database,
  apiKeyId: string,
  hours: readonly HourlyUsage[],
  { lastUsedAt, previousUsedAt, seen }: LastUse,
): Promise<void> {
  const patch = Object.entries(seen).map(([which, request]) => [
    which,
    request !== undefined && request.at < lastUsedAt - USAGE_KEPT_MS ? null : request,
  ]);
  await database.batch([
    database
      .prepare(
        `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited, operations)
         SELECT ?1, value ->> 'hour', value ->> 'admitted', value ->> 'limited', value -> 'operations' FROM json_each(?2)
         WHERE EXISTS (SELECT 1 FROM api_keys WHERE id = ?1)
         ON CONFLICT DO UPDATE SET
           operations = iif(excluded.admitted > admitted, excluded.operations, operations),
           admitted = max(admitted, excluded.admitted), limited = max(limited, excluded.limited)
           WHERE excluded.admitted > admitted OR excluded.limited > limited`,
      )
      .bind(apiKeyId, JSON.stringify(hours)),
    database
      .prepare(
        `UPDATE api_keys SET last_used_at = nullif(max(coalesce(last_used_at, 0), ?2), 0), seen = json_patch(coalesce(seen, '{}'), ?4),
           previous_last_used_at = iif(previous_secret_hash IS NOT NULL AND ?3 > coalesce(rotated_at, 0), ?3, previous_last_used_at)
         WHERE id = ?1 AND (coalesce(last_used_at, 0) < ?2 OR json_patch(coalesce(seen, '{}'), ?4) IS NOT coalesce(seen, '{}'))`,
      )
      .bind(apiKeyId, lastUsedAt, previousUsedAt, JSON.stringify(Object.fromEntries(patch))),
  ]);
}
