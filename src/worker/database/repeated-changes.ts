/** An owner's changes of API keys, webhooks and members that are not made, because they were made before under the same Idempotency-Key. */
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { clearExpired, recall, remember, toResult } from "./idempotency.ts";

/** Why nothing was changed: this request made the change before, or its key came with another request. */
export type Repeated = { readonly doneBefore: string } | "key-reused";

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
): Promise<{ readonly results: readonly D1Result[]; readonly done: Repeated | undefined }> {
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
