/**
 * The operator's record of requests: a log line for a share of them (REQUEST_LOG_SHARE), and a data point for each in Analytics
 * Engine if the binding REQUESTS exists. It never contains a path, a query, a header, a body or an address. No request waits for
 * it, and its failure does not change an answer.
 */
import type { Context } from "hono";
import { logWarning } from "../log.ts";
import type { StoreCalls } from "../store/databases.ts";

/** The name for requests that no operation answers: pages, preflights, unknown paths. */
const OTHER = "other";

/** The members that all contexts have. */
type AnyContext = Pick<Context<{ Bindings: Env }>, "req" | "env"> & {
  get(key: "requestId"): string;
  get(key: "operation"): string | undefined;
  get(key: "calls"): StoreCalls;
};

/** `start` is in Unix milliseconds; `logs`: the request is in the share that is logged. */
export function record(
  c: AnyContext,
  { response, start, logs }: { readonly response: Response; readonly start: number; readonly logs: boolean },
): void {
  try {
    const operation = c.get("operation") ?? OTHER;
    const calls = c.get("calls");
    const { status } = response;
    // A Worker's clock moves with I/O only, so this is the time that the request has waited.
    const durationMs = Date.now() - start;
    if (logs) console.log({ requestId: c.get("requestId"), operation, status, durationMs, calls });
    const cache = calls.d1 + calls.kv + calls.gate === 0 ? "hit" : "miss";
    c.env.REQUESTS?.writeDataPoint({
      indexes: [operation],
      blobs: [operation, cache, placeOf(c)],
      doubles: [status, durationMs],
    });
  } catch (error) {
    logWarning("a request could not be observed", error);
  }
}

/** The Cloudflare location that answers, such as `FRA`. */
const placeOf = (c: AnyContext): string => String(c.req.raw.cf?.colo ?? "");
