/** Requests that say who sends them, and what is kept of them. */
import { databaseOf } from "./databases.ts";
import type { Isolate } from "./isolate.ts";
import { usageOf } from "./use-of-key.ts";

export const HOUR = 3_600_000;
export const START = 1_900_000_800_000 - (1_900_000_800_000 % HOUR);

type Sender = { readonly address?: string; readonly userAgent?: string; readonly country?: string };

export const send = (
  isolate: Isolate,
  key: string,
  { address, userAgent, country }: Sender = {},
  path = "/tenant/whoami",
) =>
  isolate.request(path, {
    headers: {
      "X-API-Key": key,
      ...(address && { "CF-Connecting-IP": address }),
      ...(userAgent && { "User-Agent": userAgent }),
    },
    ...(country && { cf: { country } }),
  });

/** What D1 has of it once the gate has saved it. */
export async function seenOf(id: string) {
  const counts = await usageOf(id);
  const row = await databaseOf(id)
    .prepare(
      `SELECT seen, last_used_at, (SELECT json_group_array(json(operations)) FROM api_key_usage
         WHERE api_key_id = ?1) AS operations FROM api_keys WHERE id = ?1`,
    )
    .bind(id)
    .first<{ seen: string | null; last_used_at: number | null; operations: string }>();
  const { used, previous, refused } = JSON.parse(row?.seen ?? "{}");
  const [operations = {}] = JSON.parse(row?.operations ?? "[]");
  return { used, previous, refused, operations, counts, lastUsedAt: row?.last_used_at };
}

export const update = (id: string, set: string) =>
  databaseOf(id).prepare(`UPDATE api_keys SET ${set} WHERE id = ?1`).bind(id).run();
