/**
 * The operator sees this of requests: a log line for the share of them in REQUEST_LOG_SHARE, and a data point for each in Analytics
 * Engine where the binding REQUESTS is. Never a path, a query, a header, a body or an address. Nothing waits for it, and when
 * it fails the answer is the same.
 */
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-env.ts";

/** Requests that no operation answers: pages, preflights, unknown paths. */
const OTHER = "other";

export const observe: MiddlewareHandler<AppEnv> = async (c, next) => {
  const logs = Math.random() < Number(c.env.REQUEST_LOG_SHARE);
  const dataset = c.env.REQUESTS;
  if (!logs && dataset === undefined) return next();
  const start = Date.now();
  await next();
  try {
    const operation = c.get("operation") ?? OTHER;
    const calls = c.get("calls");
    const { status } = c.res;
    // Workers' clock moves with I/O only: this is the time that the request waited.
    const durationMs = Date.now() - start;
    if (logs) console.log({ requestId: c.get("requestId"), operation, status, durationMs, calls });
    const cache = calls.d1 + calls.kv + calls.gate === 0 ? "hit" : "miss";
    dataset?.writeDataPoint({
      indexes: [operation],
      blobs: [operation, cache, placeOf(c)],
      doubles: [status, durationMs],
    });
  } catch (error) {
    console.warn("a request could not be observed", error);
  }
};

/** Cloudflare's location that answers, such as `FRA`. */
const placeOf = (c: Context): string => String(c.req.raw.cf?.colo ?? "");
