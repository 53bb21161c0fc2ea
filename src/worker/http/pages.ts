/** Pages outside Account Settings: the start page, and that of an address that does not exist. API clients get a problem document. */
import type { Context } from "hono";
import { toBrand } from "../model/brand.ts";
import { pagePathOf } from "../model/page-path.ts";
import { pagesOriginOf, toPagesHost } from "../model/pages-origin.ts";
import { toStartPageToken } from "../settings.ts";
import type { AppEnv } from "./app-env.ts";

/** Files that the Worker is asked for first (wrangler.toml), because the host of boards' pages does not have them. */
export const FILES_OF_DEVELOPERS = [
  ...["/index.html", "/llms.txt", "/openapi.json", "/openapi.yaml", "/docs/*"],
  ...["/reference", "/reference.html", "/reference/*", "/leaks", "/leaks.html", "/leaks/thanks", "/leaks/again"],
  ...["/leaks/thanks.html", "/leaks/again.html"],
];

/** The board whose public page is the only one of the deployment; null when there is none, or several. */
type FindOnlyPage = () => Promise<{ readonly id: string; readonly name: string } | null>;

/** Without the links of the page below, which lead to what that host does not have. */
const NOTHING_HERE = '<!doctype html><html lang="en"><title>Page not found</title><h1>Page not found</h1></html>';

/**
 * `/` where it is an answer of the Worker: it leads to the one public page, and on the host of boards' pages there is nothing else.
 * Undefined where it is the start page.
 */
export async function leadFromStart(c: Context<AppEnv>, findOnlyPage: FindOnlyPage): Promise<Response | undefined> {
  const { START_PAGE_TOKEN, PAGES_HOST } = c.env;
  const only = toStartPageToken(START_PAGE_TOKEN) === undefined ? await findOnlyPage() : null;
  if (only !== null) return c.redirect(pagesOriginOf(c.env, c.req.url) + pagePathOf(only), 302);
  return new URL(c.req.url).host === toPagesHost(PAGES_HOST) ? c.html(NOTHING_HERE, 404) : undefined;
}

/** `/`: a static file, with the deployment's name, icon and board. The file as it is, if no setting changes it, with its own validator for caches. */
export async function startPage(c: Context<AppEnv>): Promise<Response> {
  const { BRAND_NAME, BRAND_ICON_URL, START_PAGE_TOKEN, ASSETS } = c.env;
  const token = toStartPageToken(START_PAGE_TOKEN);
  if (!BRAND_NAME?.trim() && !BRAND_ICON_URL?.trim() && token === undefined) return ASSETS.fetch(c.req.raw);
  const { name, iconUrl } = toBrand(c.env);
  // Without the request's headers, because the file's validator says nothing about the settings.
  const page = await ASSETS.fetch(c.req.url, { method: c.req.method });
  const headers = new Headers(page.headers);
  headers.delete("ETag");
  const policy = headers.get("Content-Security-Policy");
  if (policy && URL.canParse(iconUrl))
    headers.set(
      "Content-Security-Policy",
      policy.replace("img-src 'self'", `img-src 'self' ${new URL(iconUrl).origin}`),
    );
  return new HTMLRewriter()
    .on("html", { element: (each) => void (token && each.setAttribute("data-start-page-token", token)) })
    .on("title, .brand > span", { element: (each) => void each.setInnerContent(name) })
    .on(".brand > img", { element: (each) => void each.setAttribute("src", iconUrl) })
    .on("link[rel=icon]", { element: (each) => void each.setAttribute("href", iconUrl).removeAttribute("type") })
    .transform(new Response(page.body, { status: page.status, headers }));
}

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
