type FieldError = { readonly path: string; readonly message: string };

export class RequestFailure extends Error {
  /** Each element's script has this class of its own, and they share a request for a token that may fail. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return "seconds" in Object(error);
  }

  /** The `error` of the API's problem document; `offline`: no connection, or no answer in time; `not-signed-in`: no token. */
  readonly code: string;
  /** After `too-many-requests`: how long to wait. */
  readonly seconds: number;
  /** After `invalid-request`: the errors by field. */
  readonly errors: readonly FieldError[];

  constructor(code = "offline", seconds = 0, errors: readonly FieldError[] = []) {
    super(code);
    this.code = code;
    this.seconds = seconds;
    this.errors = errors;
  }
}
