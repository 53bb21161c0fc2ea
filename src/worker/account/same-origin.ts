/**
 * Cross-site request forgery: what changes something must come from our own pages, or from no page at all (a script).
 * Browsers name the origin of every such request, and its relation to ours (Origin, Sec-Fetch-Site).
 */
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../problem.ts";

const SAFE = ["GET", "HEAD", "OPTIONS"];

export function requireSameOrigin(): MiddlewareHandler<AppEnv> {
  return async function requireSameOrigin(c, next) {
    if (!SAFE.includes(c.req.method)) {
      const site = c.req.header("Sec-Fetch-Site");
      const origin = c.req.header("Origin");
      const foreignSite = site !== undefined && site !== "same-origin";
      const foreignOrigin = origin !== undefined && origin !== new URL(c.req.url).origin;
      if (foreignSite || foreignOrigin) {
        throw new Problem("forbidden", { detail: "This request came from another site.", cause: "another site" });
      }
    }
    await next();
  };
}
