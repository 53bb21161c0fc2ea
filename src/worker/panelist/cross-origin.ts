/** CORS: any origin may use the panelist API, without cookies. */
import type { Operations } from "../http/operation.ts";

export const CROSS_ORIGIN_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Consistency-Token,ETag,Idempotency-Replayed,Location,RateLimit-Policy,Retry-After,WWW-Authenticate,X-Request-Id",
  Vary: "Authorization, Origin",
} as const;

/** The paths of the panelist API, those without an operation too: a page can read each refusal. */
export const isCrossOrigin = (path: string): boolean => /^\/((public\/)?ideabank|surveys)(\/|$)/.test(path);

/** The headers of the answer to a preflight. */
export function preflightHeaders(operations: Operations): Record<string, string> {
  const methods = new Set(["HEAD", ...Object.values(operations).map(({ method }) => method)]);
  return {
    "Access-Control-Allow-Methods": [...methods].join(","),
    // Every header is allowed, so that a page's tracing headers do not block its requests. The star does not include
    // `Authorization`, and browsers from before 2022 read it as a header's name, so the others are listed too.
    "Access-Control-Allow-Headers":
      "Authorization,*,Consistency-Token,Content-Type,Idempotency-Key,If-Match,If-None-Match,X-Request-Id",
    "Access-Control-Max-Age": "86400",
  };
}
