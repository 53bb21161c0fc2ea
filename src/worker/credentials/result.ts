/** The outcome of a check: a value, or the precise reason it was refused. Reasons are for logs and tests, never for the client. */
export type Result<Value, Reason extends string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Reason };

export const ok = <Value>(value: Value) => ({ ok: true, value }) as const;
export const refuse = <Reason extends string>(reason: Reason) => ({ ok: false, reason }) as const;
