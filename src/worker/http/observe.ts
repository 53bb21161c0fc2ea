/**
 * The operator's record of requests: a log line for a share of them (REQUEST_LOG_SHARE), and a data point for each in Analytics
 * Engine if the binding REQUESTS exists. It never contains a path, a query, a header, a body or an address. No request waits for
 * it, and its failure does not change an answer.
 */
import type { Context, MiddlewareHandler, Next } from "hono";
import { logWarning } from "../log.ts";
import type { AppEnv } from "./app-env.ts";

/** The name for requests that no operation answers: pages, preflights, unknown paths. */
const OTHER = "other";

export const observe: MiddlewareHandler<AppEnv> = (c, next) => {
  const logs = Math.random() < Number(c.env.REQUEST_LOG_SHARE);
  const dataset = c.env.REQUESTS;
  return logs || dataset !== undefined ? observed(c, next, { logs, dataset }) : next();
};

async function observed(
  c: Context<AppEnv>,
  next: Next,
  { logs, dataset }: { readonly logs: boolean; readonly dataset: Env["REQUESTS"] },
): Promise<void> {
  const start = Date.now();
  await next();
  try {
    const operation = c.get("operation") ?? OTHER;
    const calls = c.get("calls");
    const { status } = c.res;
    // A Worker's clock moves with I/O only, so this is the time that the request has waited.
    const durationMs = Date.now() - start;
    if (logs) console.log({ requestId: c.get("requestId"), operation, status, durationMs, calls });
    const cache = calls.d1 + calls.kv + calls.gate === 0 ? "hit" : "miss";
    dataset?.writeDataPoint({
      indexes: [operation],
      blobs: [operation, cache, placeOf(c)],
      doubles: [status, durationMs],
    });
  } catch (error) {
    logWarning("a request could not be observed", error);
  }
}

/** The Cloudflare location that answers, such as `FRA`. */
const placeOf = (c: Context): string => String(c.req.raw.cf?.colo ?? "");
