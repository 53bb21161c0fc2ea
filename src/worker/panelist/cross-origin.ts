/** CORS: any origin may use the panelist API, without cookies. */
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { PANELIST_OPERATIONS } from "./operations.ts";

const answerPreflight = cors({
  origin: "*",
  allowMethods: [...new Set(["HEAD", ...Object.values(PANELIST_OPERATIONS).map(({ method }) => method)])],
  allowHeaders: [
    "Authorization",
    "Consistency-Token",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "X-Request-Id",
  ],
  maxAge: 86_400,
});

/** Answers preflights, before authentication; other answers get prepared headers: see `defaultHeaders`. */
export const allowEveryOrigin: MiddlewareHandler = (c, next) => {
  if (c.req.method === "OPTIONS") return answerPreflight(c, next);
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "ETag,Idempotency-Replayed,Retry-After,X-Request-Id");
  c.header("Vary", "Authorization, Origin");
  return next();
};
