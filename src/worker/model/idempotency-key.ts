/** A client's Idempotency-Key, and the result of a POST with one. */

/**
 * `key` begins with its sender (read-input.ts), so clients never share keys, and neither do a panelist's idea banks.
 * `requestHash` covers the method, the path, the query and the body. `formerHash` is the one that 1.0.0 stored, which may be
 * there for 24 hours after an upgrade. `now` is in Unix milliseconds.
 */
export type IdempotencyKey = {
  readonly key: string;
  readonly requestHash: string;
  readonly formerHash?: string;
  readonly now: number;
};

/** `reused`: the key came with another request before. `refused`: nothing was done. */
export type IdempotentResult<Outcome> =
  | { readonly kind: "done" | "replayed"; readonly outcome: Outcome }
  | { readonly kind: "reused" }
  | { readonly kind: "refused" };

/** The stored part of a creation's answer; the request has the rest. `at` is in Unix milliseconds. */
export type Created = { readonly id: string; readonly at: number };
