/** The headers of every response, unless its handler sets others. */
import type { MiddlewareHandler } from "hono";

export const DEFAULT_HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;
const ENTRIES = Object.entries(DEFAULT_HEADERS);

/**
 * Set before the handler answers, not on its response: when a response is changed, Hono builds it a second time, with its
 * body as a stream. That costs more than the rest of a warm request.
 */
export const defaultHeaders: MiddlewareHandler = (c, next) => {
  for (const [name, value] of ENTRIES) c.header(name, value);
  return next();
};
