/** A client's Idempotency-Key, and what a POST with one has come to. */

/**
 * `key` is prefixed with the id of the API key or panelist that sent it: one client's keys are unknown to another's.
 * `requestHash` is of everything that it was sent with; `now` is in Unix milliseconds.
 */
export type IdempotencyKey = { readonly key: string; readonly requestHash: string; readonly now: number };

/** `reused`: the key was sent before, with another request. `refused`: nothing was done. */
export type Once<Outcome> =
  | { readonly kind: "done" | "replayed"; readonly outcome: Outcome }
  | { readonly kind: "reused" }
  | { readonly kind: "refused" };

/** What is kept of a creation: the same request gives the rest again. `at` is in Unix milliseconds. */
export type Created = { readonly id: string; readonly at: number };
