/**
 * Prevents cross-site request forgery: a request that changes something must come from our own pages, or from no page at all (a
 * script). Browsers name the origin of every such request, and its relation to ours (Origin, Sec-Fetch-Site).
 */
import type { Context, MiddlewareHandler } from "hono";
import { Problem } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";

const SAFE = ["GET", "HEAD", "OPTIONS"];

const anotherSite = () =>
  new Problem("forbidden", { detail: "This request came from another site.", cause: "another site" });

/** `own`: a header says so. `none`: no header says anything, as of a script. */
function sourceOf({ req }: Pick<Context, "req">): "own" | "none" | "foreign" {
  const site = req.header("Sec-Fetch-Site");
  const origin = req.header("Origin");
  if (site === undefined && origin === undefined) return "none";
  const isOwn =
    (site ?? "same-origin") === "same-origin" && (origin ?? new URL(req.url).origin) === new URL(req.url).origin;
  return isOwn ? "own" : "foreign";
}

/** A page of ours has sent the request, and its browser says so. */
export const isFromOwnPage = (c: Pick<Context, "req">): boolean => sourceOf(c) === "own";

/** Throws `forbidden` for a request that the page of another site has made, also one that only reads. */
export function refuseOtherSites(c: Pick<Context, "req">): void {
  if (sourceOf(c) === "foreign") throw anotherSite();
}

export function requireSameOrigin(): MiddlewareHandler<AppEnv> {
  return async function requireSameOrigin(c, next) {
    if (!SAFE.includes(c.req.method) && sourceOf(c) === "foreign") throw anotherSite();
    await next();
  };
}

/** A browser sends a cookie by itself, so a request with it must prove that it came from one of our pages. Throws `forbidden`. */
export function requireOwnPage(c: Context): void {
  if (!SAFE.includes(c.req.method) && sourceOf(c) !== "own") throw anotherSite();
}
