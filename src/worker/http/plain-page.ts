/** Pages of the Worker without data, for people who open an address that does not exist. API clients get a problem document. */
import type { Context } from "hono";

/** Any context: the type lists only the members that all contexts have. */
type AnyContext = Pick<Context, "body" | "req">;

const LINKS = [
  ["/", "Start"],
  ["/embed/", "Elements"],
  ["/reference", "API reference"],
  ["/account/api-keys", "Account Settings"],
];

const LIST = `<ul>${LINKS.map(([path, name]) => `<li><a href="${path}">${name}</a></li>`).join("")}</ul>`;

/** `title` and `lead` are HTML. */
const render = (title: string, heading: string, lead: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · Idea boards</title><link rel="icon" href="/assets/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/assets/pages.css"></head><body><header class="bar"><a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24"><span>Idea boards</span></a></header><main><h1>${heading}</h1><p class="lead">${lead}</p>${LIST}</main></body></html>`;

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** For a request from an address bar or a link; undefined for an API client. */
export const pageNotFound = (c: AnyContext): Response | undefined =>
  c.req.method === "GET" && c.req.header("Accept")?.startsWith("text/html")
    ? c.body(render("Not found", "Page not found", "The address may have a typo. Try one of these:"), 404, HEADERS)
    : undefined;
