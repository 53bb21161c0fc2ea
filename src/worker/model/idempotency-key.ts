/** A client's Idempotency-Key, and the result of a POST with one. */

/**
 * `key` is prefixed with who sent it (read-input.ts): clients do not share keys, and a panelist's idea banks do not either.
 * `requestHash` is of the method, the path and the body; `now` is in Unix milliseconds.
 */
export type IdempotencyKey = { readonly key: string; readonly requestHash: string; readonly now: number };

/** `reused`: the key was sent before, with another request. `refused`: nothing was done. */
export type IdempotentResult<Outcome> =
  | { readonly kind: "done" | "replayed"; readonly outcome: Outcome }
  | { readonly kind: "reused" }
  | { readonly kind: "refused" };

/** What is stored of a creation. The request contains the rest. `at` is in Unix milliseconds. */
export type Created = { readonly id: string; readonly at: number };
