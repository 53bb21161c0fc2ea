/**
 * The request's id, in `X-Request-Id` and in the log: the client's own, or a new one. What looks like a credential is not taken: a
 * client that sends one in the wrong header would write it into the log.
 */
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-env.ts";

export const REQUEST_ID = "X-Request-Id";
const ID = /^(?!.*ib[kt]_)[\w\-=]{1,64}$/;

/** `sent`: what the client sent in the header. */
export const requestIdOf = (sent: string | null | undefined): string =>
  sent != null && ID.test(sent) ? sent : crypto.randomUUID();

export const requestId: MiddlewareHandler<AppEnv> = (c, next) => {
  const id = requestIdOf(c.req.header(REQUEST_ID));
  c.set("requestId", id);
  c.header(REQUEST_ID, id);
  return next();
};
