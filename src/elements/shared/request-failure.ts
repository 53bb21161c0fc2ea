/**
 * A request that failed. Each element's script has this code of its own, and they share a request for a token that may fail: so a
 * failure is known by its fields.
 */
type FieldError = { readonly path: string };

type RequestFailure = Error & {
  /** The `error` of the API's problem document; `offline`: no connection, or no answer in time; `not-signed-in`: no token. */
  readonly code: string;
  /** After `too-many-requests`: how long to wait. */
  readonly seconds: number;
  /** After `invalid-request`: the fields that have an error. */
  readonly errors: readonly FieldError[];
};

export const requestFailure = (code: string, seconds = 0, errors: readonly FieldError[] = []): RequestFailure =>
  Object.assign(new Error(), { code, seconds, errors });

export const isRequestFailure = (error: unknown): error is RequestFailure => "seconds" in Object(error);
