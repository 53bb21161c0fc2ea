/** `/`: the start page, a static file, with the deployment's name, icon and board. */
import type { Context } from "hono";
import { toBrand } from "../model/brand.ts";
import { toStartPageToken } from "../settings.ts";
import type { AppEnv } from "./app-env.ts";

/** The file as it is, if no setting changes it, with its own validator for caches. */
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
