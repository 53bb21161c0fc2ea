/**
 * `PAGES_HOST`: boards' pages on a host of their own. There is nothing on it that an owner or an operator signs in to, so no page with texts
 * of strangers shares an origin with Account Settings.
 */
import type { Context } from "hono";
import { pagesOriginOf, toPagesHost } from "../model/pages-origin.ts";
import { DEFAULT_HEADERS } from "./default-headers.ts";

/** With everything below them. The files are those that pages show and load. */
const ON_PAGES_HOST = ["/b", "/embed", "/assets", "/ideabank", "/public/ideabank", "/surveys"];
const FILES = ["/", "/robots.txt", "/sitemap.xml", "/favicon.ico"];
/** Links in e-mails are good for years, whatever host was set when they were sent. */
const EVERYWHERE = ["/b/mail"];
/** Pages alone: elements and the panelist API are for the sites of tenants, too. */
const ONLY_THERE = ["/b", "/sitemap.xml"];

const isBelow = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(`${root}/`));

/** A host without a port is that host at every port, and with the dot that ends a name in DNS: no spelling of it has more than the others. */
const isOf = (host: string, url: URL): boolean =>
  (host.includes(":") ? url.host : url.hostname).replace(/\.(?=$|:)/, "") === host;

/** `here`: this host has the path. `nowhere`: it does not exist on this host. Otherwise the address where it is. */
function placeOf(env: { readonly PAGES_HOST?: string }, address: string): "here" | "nowhere" | URL {
  const host = toPagesHost(env.PAGES_HOST);
  if (host === undefined) return "here";
  const url = new URL(address);
  const { pathname } = url;
  if (isBelow(pathname, EVERYWHERE)) return "here";
  if (isOf(host, url)) return isBelow(pathname, ON_PAGES_HOST) || FILES.includes(pathname) ? "here" : "nowhere";
  return isBelow(pathname, ONLY_THERE) ? new URL(pathname + url.search, pagesOriginOf(env, address)) : "here";
}

/**
 * The answer where the request's host does not have what was asked for; undefined where it does. A link from before there was a host for
 * pages leads on; what changes something is for that host alone.
 */
export function notHere({ env, req }: Pick<Context<{ Bindings: Env }>, "env" | "req">): Response | undefined {
  if (!env.PAGES_HOST) return undefined;
  const place = placeOf(env, req.url);
  if (place === "here") return undefined;
  const leads = place !== "nowhere" && (req.method === "GET" || req.method === "HEAD");
  return leads
    ? new Response(null, { status: 302, headers: { ...DEFAULT_HEADERS, Location: place.href } })
    : new Response(null, { status: 404, headers: DEFAULT_HEADERS });
}
