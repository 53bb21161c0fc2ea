/**
 * The operator's record of requests: a log line for a share of them (REQUEST_LOG_SHARE), and a data point for each in Analytics
 * Engine if the binding REQUESTS exists. It never contains a path, a query, a header, a body or an address. No request waits for
 * it, and its failure does not change an answer.
 */
import type { Context } from "hono";
import { logWarning } from "../log.ts";
import type { StoreCalls } from "../store/databases.ts";
import type { Whose } from "./app-env.ts";
import { traceIdOf } from "./trace.ts";

/**
 * The columns of a data point: the first blob is `blob1`. Stored points keep theirs for three months, so a new one goes to the end.
 * Every query of the documents and of docs/dashboards is held against this.
 */
export const COLUMNS = {
  blobs: ["operation", "cache", "colo", "account", "apiKey", "version"],
  doubles: ["status", "durationMs"],
} as const;

/** The name for requests that no operation answers: pages, preflights, unknown paths. */
const OTHER = "other";

/** The members that all contexts have. */
type AnyContext = Pick<Context<{ Bindings: Env }>, "req" | "env"> & {
  get(key: "requestId"): string;
  get(key: "whose"): Whose | undefined;
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
    const { account, apiKey } = c.get("whose") ?? {};
    const seen = { operation, status, durationMs, colo: coloOf(c), account, apiKey, version: c.env.VERSION?.id };
    if (logs) console.log({ requestId: c.get("requestId"), traceId: traceIdOf(c), ...seen, calls });
    const cache = calls.d1 + calls.kv + calls.gate === 0 ? "hit" : "miss";
    const point = { ...seen, cache };
    c.env.REQUESTS?.writeDataPoint({
      indexes: [operation],
      blobs: COLUMNS.blobs.map((name) => point[name] ?? ""),
      doubles: COLUMNS.doubles.map((name) => point[name]),
    });
  } catch (error) {
    logWarning("a request could not be observed", error);
  }
}

/** The Cloudflare location that answers, such as `FRA`. */
const coloOf = (c: AnyContext): string => String(c.req.raw.cf?.colo ?? "");
