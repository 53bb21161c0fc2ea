/** What a person sees who opens an address that nothing has. Clients get a problem document. */
import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

const LINKS = [
  ["/", "Start"],
  ["/embed/", "Elements"],
  ["/reference", "API reference"],
  ["/account/api-keys", "Account Settings"],
];

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Not found · Edge access API</title><link rel="icon" href="/assets/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/assets/pages.css"></head><body><header class="bar"><a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24">Edge access API</a></header><main><h1>There is no such page.</h1><p class="lead">The address may have a typo. These pages exist:</p><ul>${LINKS.map(([path, name]) => `<li><a href="${path}">${name}</a></li>`).join("")}</ul></main></body></html>`;

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** For what an address bar or a link asks; undefined for a client. */
export const pageNotFound = (c: Context<AppEnv>): Response | undefined =>
  c.req.method === "GET" && c.req.header("Accept")?.startsWith("text/html") ? c.body(PAGE, 404, HEADERS) : undefined;
