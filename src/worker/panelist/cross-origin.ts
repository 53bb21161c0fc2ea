/** CORS: any origin may use the panelist API, without cookies. */
import type { MiddlewareHandler } from "hono";
import type { Operations } from "../http/operation.ts";

export const CROSS_ORIGIN_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Consistency-Token,ETag,Idempotency-Replayed,Retry-After,X-Request-Id",
  Vary: "Authorization, Origin",
} as const;
const ENTRIES = Object.entries(CROSS_ORIGIN_HEADERS);

/** The paths of the panelist API, for middleware. */
export const CROSS_ORIGIN_PATHS = ["/ideabank/*", "/public/ideabank/*"] as const;

/** Runs before everything that may refuse a request, so that a page can read each refusal. */
export const sendCrossOriginHeaders: MiddlewareHandler = (c, next) => {
  for (const [name, value] of ENTRIES) c.header(name, value);
  return next();
};

/** Answers preflights before authentication. */
export function answerPreflights(operations: Operations): MiddlewareHandler {
  const methods = new Set(["HEAD", ...Object.values(operations).map(({ method }) => method)]);
  const preflightHeaders = {
    "Access-Control-Allow-Methods": [...methods].join(","),
    // Every header is allowed, so that a page's tracing headers do not block its requests. The star does not include
    // `Authorization`, and browsers from before 2022 read it as a header's name, so the others are listed too.
    "Access-Control-Allow-Headers":
      "Authorization,*,Consistency-Token,Content-Type,Idempotency-Key,If-None-Match,X-Request-Id",
    "Access-Control-Max-Age": "86400",
  };
  return (c, next) => (c.req.method === "OPTIONS" ? Promise.resolve(c.body(null, 204, preflightHeaders)) : next());
}
