/**
 * The request's id, in `X-Request-Id` and in the log: the client's own, or a new one. What looks like a credential is not taken: a
 * client that sends one in the wrong header would write it into the log.
 */
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-env.ts";

const HEADER = "X-Request-Id";
const ID = /^(?!.*ib[kt]_)[\w\-=]{1,64}$/;

export const requestId: MiddlewareHandler<AppEnv> = (c, next) => {
  const sent = c.req.header(HEADER);
  const id = sent !== undefined && ID.test(sent) ? sent : crypto.randomUUID();
  c.set("requestId", id);
  c.header(HEADER, id);
  return next();
};
