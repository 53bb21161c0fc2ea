/** A request that is worked on to its end, also when nobody waits for the answer any more. The platform allows half a minute for it. */
import type { MiddlewareHandler } from "hono";

export const untilDone: MiddlewareHandler = async (c, next) => {
  const done = next();
  c.executionCtx.waitUntil(done);
  await done;
};
