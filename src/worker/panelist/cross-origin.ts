/** CORS: any origin may use the panelist API, without cookies. */
import type { MiddlewareHandler } from "hono";
import type { Operations } from "../http/operation.ts";

export const CROSS_ORIGIN_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Consistency-Token,ETag,Idempotency-Replayed,Retry-After,X-Request-Id",
  Vary: "Authorization, Origin",
} as const;
const ENTRIES = Object.entries(CROSS_ORIGIN_HEADERS);

/** Answers preflights before authentication. Other answers get prepared headers (`prepareAnswer`). */
export function allowEveryOrigin(operations: Operations): MiddlewareHandler {
  const methods = new Set(["HEAD", ...Object.values(operations).map(({ method }) => method)]);
  const preflightHeaders = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": [...methods].join(","),
    // Every header is allowed, so that a page's tracing headers do not block its requests. The star does not include
    // `Authorization`, and browsers from before 2022 read it as a header's name, so the others are listed too.
    "Access-Control-Allow-Headers":
      "Authorization,*,Consistency-Token,Content-Type,Idempotency-Key,If-None-Match,X-Request-Id",
    "Access-Control-Max-Age": "86400",
  };
  return async (c, next) => {
    if (c.req.method === "OPTIONS") return c.body(null, 204, preflightHeaders);
    for (const [name, value] of ENTRIES) c.header(name, value);
    return next();
  };
}
