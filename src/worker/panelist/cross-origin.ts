/** CORS: any origin may use the panelist API, without cookies. */
import type { EveryRequest } from "../http/every-request.ts";
import type { Operations } from "../http/operation.ts";

export const CROSS_ORIGIN_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Consistency-Token,ETag,Idempotency-Replayed,Location,RateLimit-Policy,Retry-After,WWW-Authenticate,X-Request-Id",
  Vary: "Authorization, Origin",
} as const;

/** The paths of the panelist API, those without an operation too: a page can read each refusal. */
export const isCrossOrigin = (path: string): boolean => /^\/(public\/)?ideabank(\/|$)/.test(path);

/**
 * The token in `Accept: application/json;token=<token>`. With this header a browser sends a GET to another origin at once; with
 * `Authorization` it asks first, for each address (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
 */
export const tokenInAccept = (accept: string | undefined): string | undefined =>
  accept === undefined ? undefined : /;token=([\w.-]+)$/.exec(accept)?.[1];

/** The answer to a request that had its token in `Accept` differs by that header, too. */
export const varyingByAccept =
  (everyRequest: EveryRequest): EveryRequest =>
  (c, answer, fail) => {
    const answered = everyRequest(c, answer, fail);
    const { headers } = c.req.raw;
    if (headers.has("Authorization") || tokenInAccept(headers.get("Accept") ?? undefined) === undefined)
      return answered;
    return answered.then((response) => {
      response.headers.append("Vary", "Accept");
      return response;
    });
  };

/** The headers of the answer to a preflight. */
export function preflightHeaders(operations: Operations): Record<string, string> {
  const methods = new Set(["HEAD", ...Object.values(operations).map(({ method }) => method)]);
  return {
    "Access-Control-Allow-Methods": [...methods].join(","),
    // Every header is allowed, so that a page's tracing headers do not block its requests. The star does not include
    // `Authorization`, and browsers from before 2022 read it as a header's name, so the others are listed too.
    "Access-Control-Allow-Headers":
      "Authorization,*,Consistency-Token,Content-Type,Idempotency-Key,If-None-Match,X-Request-Id",
    "Access-Control-Max-Age": "86400",
  };
}
