/**
 * Recognizes an owner's change of an API key, a webhook or a member that was made before under the same Idempotency-Key, so that
 * it is not made again.
 */
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { clearExpired, recall, remember, toResult } from "./idempotency.ts";

/** The reason why nothing was changed: this request made the change before, or its key came with another request. */
export type Repeated = { readonly doneBefore: string } | "key-reused";

/**
 * The statements around a change of the key or webhook `id` that an Idempotency-Key allows once, for a batch: `before` goes
 * before the change and its event, `after` behind them. `toRepeated` reads the results of `before`.
 */
export function changeOnce(email: string, idempotencyKey: IdempotencyKey | undefined, id: string) {
  const account = { email };
  return idempotencyKey === undefined
    ? { before: { cleared: undefined, recalled: undefined }, after: { remembered: undefined } }
    : {
        before: { cleared: clearExpired(account, idempotencyKey), recalled: recall(account, idempotencyKey) },
        after: { remembered: remember(account, { idempotencyKey, outcome: { id } }) },
      };
}

/** The earlier result under the key, if there is one; then the condition of the change did not hold. */
export function toRepeated(
  recalled: Parameters<typeof toResult>[0] | undefined,
  idempotencyKey: IdempotencyKey | undefined,
): Repeated | undefined {
  if (recalled === undefined || idempotencyKey === undefined) return undefined;
  const done = toResult<{ id: string }>(recalled, idempotencyKey);
  if (done.kind === "reused") return "key-reused";
  return "outcome" in done ? { doneBefore: done.outcome.id } : undefined;
}
