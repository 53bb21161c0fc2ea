/** What every answer carries unless its handler says otherwise. */
import type { MiddlewareHandler } from "hono";

const DEFAULTS = [
  ["Cache-Control", "no-store"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Referrer-Policy", "no-referrer"],
  ["Strict-Transport-Security", "max-age=31536000"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
] as const;

/**
 * Prepared before the handler answers, and not set on its answer: Hono builds a response a second time, its body as a
 * stream, when something has touched it, which costs more than everything else that a warm request does.
 */
export const defaultHeaders: MiddlewareHandler = (c, next) => {
  for (const [name, value] of DEFAULTS) c.header(name, value);
  return next();
};
