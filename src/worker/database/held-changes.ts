/** An owner's changes of API keys and webhooks that are not made: they were made before under the same Idempotency-Key, or there were too many of late. */
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { HELD_UNTIL } from "./audit-events.ts";
import { clearExpired, recall, remember, toResult } from "./idempotency.ts";
import { prepare, rowsOf } from "./statement.ts";

/** Why nothing was changed: there were too many changes (until then, in Unix milliseconds), or this request made the change before. */
export type Held = { readonly heldUntil: number } | { readonly doneBefore: string } | "key-reused";

/**
 * A change of the key or webhook `id` that an Idempotency-Key allows once, with its audit event, in one round trip. The results are
 * of the statements of `before`, `change` and `after`. `done`: what the key did before; then the change's condition does not hold.
 */
export async function changeOnce(
  session: D1DatabaseSession,
  email: string,
  idempotencyKey: IdempotencyKey | undefined,
  id: string,
  {
    before = [],
    change,
    after,
  }: Record<"change" | "after", D1PreparedStatement[]> & { before?: readonly D1PreparedStatement[] },
): Promise<{ readonly results: readonly D1Result[]; readonly done: Held | undefined }> {
  const all = [...before, ...change, ...after];
  if (idempotencyKey === undefined) return { results: await session.batch(all), done: undefined };
  const account = { email };
  const recalling = [clearExpired(session, account, idempotencyKey), recall(session, account, idempotencyKey)];
  const remembering = remember(session, account, idempotencyKey, { id });
  const changed = before.length + change.length;
  const results = await session.batch([...recalling, ...all.slice(0, changed), remembering, ...after]);
  const done = toResult<{ id: string }>(results[1], idempotencyKey);
  return {
    results: results.slice(recalling.length).toSpliced(changed, 1),
    done: done.kind === "reused" ? "key-reused" : "outcome" in done ? { doneBefore: done.outcome.id } : undefined,
  };
}

/** Whether there is such a key, and until when nothing can be changed: for `whyNot`. */
export const selectFound = (session: D1DatabaseSession, key: string, values: Parameters<typeof prepare>[2]) =>
  prepare(session, `SELECT EXISTS (SELECT 1 FROM api_keys WHERE ${key}) AS found, ${HELD_UNTIL} AS held_until`, values);

export function whyNot<Found>(result: D1Result | undefined, found: Found): Found | Held | undefined {
  const [row] = rowsOf<{ found: number; held_until: number | null }>(result);
  if (row?.held_until != null) return { heldUntil: row.held_until };
  return row?.found === 1 ? found : undefined;
}
