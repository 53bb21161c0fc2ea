/** Rows of `api_key_usage`, and when a key was last used. */

/** A key's requests in the hour that starts at `hour` (Unix milliseconds). */
export type HourlyUsage = { readonly hour: number; readonly admitted: number; readonly limited: number };

/** When a key was last used, and when its previous secret was (0 for never), in Unix milliseconds. */
export type LastUse = { readonly lastUsedAt: number; readonly previousUsedAt: number };

/**
 * Stores the totals of some hours and the times of last use: one round trip. Writing the same totals again changes
 * nothing, so a write whose answer was lost can be repeated. Writes nothing for a deleted key.
 */
export async function saveApiKeyUsage(
  database: D1Database,
  apiKeyId: string,
  hours: readonly HourlyUsage[],
  { lastUsedAt, previousUsedAt }: LastUse,
): Promise<void> {
  await database.batch([
    database
      .prepare(
        `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited)
         SELECT ?1, value ->> 'hour', value ->> 'admitted', value ->> 'limited' FROM json_each(?2)
         WHERE EXISTS (SELECT 1 FROM api_keys WHERE id = ?1)
         ON CONFLICT DO UPDATE SET
           admitted = max(admitted, excluded.admitted), limited = max(limited, excluded.limited)`,
      )
      .bind(apiKeyId, JSON.stringify(hours)),
    database
      .prepare(
        `UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?2),
           previous_last_used_at = iif(previous_secret_hash IS NOT NULL AND ?3 > coalesce(rotated_at, 0), ?3, previous_last_used_at)
         WHERE id = ?1 AND coalesce(last_used_at, 0) < ?2`,
      )
      .bind(apiKeyId, lastUsedAt, previousUsedAt),
  ]);
}
