/** Every error that a client can get: one table from code to status, one shape (RFC 9457). */

type Definition = { readonly status: number; readonly title: string; readonly detail: string };

const PROBLEMS = {
  "invalid-request": { status: 400, title: "Bad Request", detail: "The request breaks the rules listed in `errors`." },
  unauthorized: { status: 401, title: "Unauthorized", detail: "The credential is missing or not valid." },
  "insecure-transport": {
    status: 403,
    title: "Forbidden",
    detail: "Use https. A credential that was sent over http may have been read on its way: replace it.",
  },
  "sign-in-required": {
    status: 403,
    title: "Forbidden",
    detail: "A visitor's token only reads. This needs the token of a panelist.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    detail: "The resource does not exist (it may be gone already), or the API key has no access to it.",
  },
  "capability-closed": {
    status: 403,
    title: "Forbidden",
    detail: "The idea bank does not allow this now. `GET /ideabank` returns its capabilities.",
  },
  "idea-bank-not-found": { status: 404, title: "Not Found", detail: "There is no such idea bank." },
  "proposal-not-found": { status: 404, title: "Not Found", detail: "There is no such proposal in this idea bank." },
  "comment-not-found": { status: 404, title: "Not Found", detail: "There is no such comment on this proposal." },
  "survey-not-found": {
    status: 404,
    title: "Not Found",
    detail: "There is no such survey, or it is not open to you.",
  },
  "not-found": { status: 404, title: "Not Found", detail: "No operation has this path." },
  "method-not-allowed": {
    status: 405,
    title: "Method Not Allowed",
    detail: "This path does not support the request's method. `Allow` lists those that it supports.",
  },
  "request-timeout": {
    status: 408,
    title: "Request Timeout",
    detail: "The request body did not arrive within ten seconds. Nothing was changed: send the request again.",
  },
  "api-key-limit-reached": {
    status: 409,
    title: "Conflict",
    detail: "The account has the maximum number of active API keys. Revoke one first.",
  },
  conflict: { status: 409, title: "Conflict", detail: "The request conflicts with the resource's current state." },
  "repeated-comment": {
    status: 409,
    title: "Conflict",
    detail: "You have written this comment already. Change its text to post it again.",
  },
  "quota-exceeded": {
    status: 409,
    title: "Conflict",
    detail: "The account's storage is full. Delete what is no longer needed.",
  },
  "cursor-expired": {
    status: 410,
    title: "Gone",
    detail:
      "Changes after this cursor are no longer kept. Get a new cursor with `after=now`, list everything once, and continue from it.",
  },
  "precondition-failed": {
    status: 412,
    title: "Precondition Failed",
    detail: "The resource has changed since the version in `If-Match`. Nothing was written: read it again.",
  },
  "payload-too-large": { status: 413, title: "Content Too Large", detail: "The request body is too large." },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported Media Type",
    detail: "The request body must be JSON, with the header `Content-Type: application/json`.",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "Unprocessable Content",
    detail: "This `Idempotency-Key` was sent before with another request. Use a new key for each request.",
  },
  "too-many-requests": {
    status: 429,
    title: "Too Many Requests",
    detail: "The API key or the panelist is over its rate limit. Wait for the seconds in `Retry-After`.",
  },
  "internal-error": {
    status: 500,
    title: "Internal Server Error",
    detail: "An unexpected error. Include the `X-Request-Id` when you report it.",
  },
  "service-unavailable": {
    status: 503,
    title: "Service Unavailable",
    // What was sent to a store may have been done, although its answer did not come.
    detail:
      "A store that this request needs is not available. If this was a change, it may or may not have been made. Wait for the seconds in " +
      "`Retry-After`, then send it again, with the same `Idempotency-Key` if there was one.",
  },
} as const satisfies Record<string, Definition>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

export const problemStatus = (code: ProblemCode) => PROBLEMS[code].status;

/** The code's default sentence. */
export const problemText = (code: ProblemCode): string => PROBLEMS[code].detail;

export type ProblemOptions = {
  /** Replaces the code's default sentence. */
  readonly detail?: string | undefined;
  /** Response headers of the problem, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the document. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** The reason, for the log only: an error, or a text. */
  readonly cause?: unknown;
};

/**
 * The problem type that the rate-limit draft registers (draft-ietf-httpapi-ratelimit-headers). No other problem has a type of its
 * own.
 */
const TYPES: Partial<Record<ProblemCode, string>> = {
  "too-many-requests": "https://iana.org/assignments/http-problem-types#quota-exceeded",
};

/** Thrown where the problem is found. Its status, headers and body become the response. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: (typeof PROBLEMS)[ProblemCode]["status"];
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;
  #body: string | undefined;

  constructor(code: ProblemCode, { detail, headers = {}, extensions = {}, cause }: ProblemOptions = {}) {
    super(detail ?? PROBLEMS[code].detail, { cause });
    this.name = "Problem";
    this.code = code;
    this.status = problemStatus(code);
    this.headers = headers;
    this.extensions = extensions;
  }

  /** The response body, made when it is first sent. */
  get body(): string {
    this.#body ??= JSON.stringify(problemDocument(this));
    return this.#body;
  }
}

/** What a form changes is no longer as the form was opened with, so its statement has changed nothing. */
export class NotAsOpened extends Problem {
  constructor() {
    super("conflict", { detail: "It was changed in the meantime. Open the page again." });
  }
}

/** The content of the `application/problem+json` body. */
export function problemDocument(problem: Problem) {
  const { title, status } = PROBLEMS[problem.code];
  return {
    type: TYPES[problem.code] ?? "about:blank",
    title,
    status,
    detail: problem.message,
    error: problem.code,
    ...problem.extensions,
  };
}

/** For a store that the request needs and that does not answer. */
export const serviceUnavailable = (cause: unknown): Problem =>
  new Problem("service-unavailable", { headers: { "Retry-After": "5" }, cause });
