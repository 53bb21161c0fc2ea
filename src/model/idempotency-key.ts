/** A client's Idempotency-Key, with the hash of everything that it was sent with, and the time (Unix milliseconds). */
export type IdempotencyKey = { readonly key: string; readonly requestHash: string; readonly now: number };

/**
 * What came of a POST. `reused`: the key was sent before, with another request. `refused`: nothing was done.
 */
export type Once<Outcome> =
  | { readonly kind: "done" | "replayed"; readonly outcome: Outcome }
  | { readonly kind: "reused" }
  | { readonly kind: "refused" };
