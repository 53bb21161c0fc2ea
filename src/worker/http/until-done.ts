/** Runs a request to its end, even when its client has left. The platform allows half a minute for that. */
import type { MiddlewareHandler } from "hono";

export const untilDone: MiddlewareHandler = async (c, next) => {
  const done = next();
  c.executionCtx.waitUntil(done);
  await done;
};
