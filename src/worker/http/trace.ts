/** The client's trace that a request belongs to, for lines of the log. */
import type { Context } from "hono";

/** W3C Trace Context. Version `ff` and identifiers of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Read when a line is written. Undefined for a header that is missing or invalid. */
export const traceIdOf = ({ req }: Pick<Context, "req">): string | undefined =>
  TRACEPARENT.exec(req.header("traceparent") ?? "")?.[1];
