/** Everything that a call can fail with, but for an abort; and the answer of one that has not failed. */

type Facts = Pick<ApiProblem, "status" | "error" | "detail"> & Partial<Pick<ApiProblem, "errors">>;
type Answer = { readonly response: Response; readonly json: unknown };

/** `status` 0 with `error` "no-answer": the request may have been done or not. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  /** The machine-readable code, such as `cursor-expired`. For an answer that is not the API's it is `unexpected-answer`. */
  readonly error: string;
  readonly detail: string;
  /** The fields that are wrong, of an `invalid-request`. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly requestId: string | undefined;
  /** In seconds, as far as the answer says it. */
  readonly retryAfter: number | undefined;

  constructor({ status, error, detail, errors = [] }: Facts, headers = new Headers(), cause?: unknown) {
    super(`${status} ${error}: ${detail}`, { cause });
    this.status = status;
    this.error = error;
    this.detail = detail;
    this.errors = errors;
    this.requestId = headers.get("X-Request-Id") ?? undefined;
    this.retryAfter = Number(headers.get("Retry-After")) || undefined;
  }
}

export function noAnswer(cause: unknown): ApiProblem {
  // `fetch` itself only says that it failed.
  const reason =
    cause instanceof Error && cause.cause instanceof Error && cause.cause.message !== "" ? cause.cause : cause;
  const detail = reason instanceof Error ? reason.message : String(reason);
  return new ApiProblem({ status: 0, error: "no-answer", detail }, undefined, cause);
}

export function readAnswer(response: Response, text: string): Answer | ApiProblem {
  const { status, headers } = response;
  if (status === 204) return { response, json: undefined };
  let json: ApiProblem;
  try {
    json = JSON.parse(text);
  } catch {
    const location = headers.get("Location");
    const detail = location === null ? "No answer of the API: is the address right?" : `It leads to ${location}.`;
    return new ApiProblem({ status, error: "unexpected-answer", detail }, headers);
  }
  return response.ok ? { response, json } : new ApiProblem({ ...json, status }, headers);
}
