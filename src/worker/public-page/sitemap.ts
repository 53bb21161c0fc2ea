/** `/sitemap.xml`, which lists boards, `/b/{id}/sitemap.xml`, which lists a board's pages, and `/robots.txt`. */
import type { Context } from "hono";
import { html, raw } from "hono/html";
import { listPublicIdeas } from "../database/idea-banks/public-pages.ts";
import type { AppEnv } from "../http/app-env.ts";
import { ideaPathOf } from "../model/page-path.ts";
import { pagesOriginOf } from "../model/pages-origin.ts";
import type { PublicPages } from "../view/public-pages.ts";
import { type Frame, partPath } from "./frame.ts";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { respondNothing } from "./respond.tsx";

const XML = { "Content-Type": "application/xml; charset=utf-8", "Cache-Control": "public, max-age=60" };
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
/** The older ones are found through the lists. */
const MAX_IDEAS = 1_000;

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

export async function sitemapIndex(
  c: Context<AppEnv>,
  { databases, publicPages }: PageMemory & { readonly publicPages: PublicPages },
): Promise<Response> {
  const origin = pagesOriginOf(c.env, c.req.url);
  const listed = (await publicPages.list(databases, c)).filter(({ hiddenFromSearch }) => !hiddenFromSearch);
  const maps = listed.map(({ id }) => html`<sitemap><loc>${origin}/b/${id}/sitemap.xml</loc></sitemap>`);
  return c.body(
    String(
      await html`${raw('<?xml version="1.0" encoding="UTF-8"?>')}<sitemapindex xmlns="${NAMESPACE}">${maps}</sitemapindex>`,
    ),
    200,
    XML,
  );
}

/** A board that asks search engines not to list it has none. */
export async function sitemap(c: Context<AppEnv>, { contents }: PageMemory, page: OpenPage, frame: Frame) {
  const { id, ideaBank, terms, visitor } = page;
  if (ideaBank.hiddenFromSearch) return respondNothing(c);
  const ideas = visitor.canViewProposals
    ? await contents.get(
        {
          ...{ accountId: ideaBank.accountId, ideaBankId: id, name: "sitemap", isFirst: false },
          load: (session) => listPublicIdeas(session, id, MAX_IDEAS),
        },
        terms,
      )
    : [];
  const parts = frame.tabs.map((part) => html`<url><loc>${frame.origin + partPath(frame, part)}</loc></url>`);
  const each = ideas.map(
    (idea) =>
      html`<url><loc>${frame.origin + ideaPathOf({ id, name: ideaBank.name }, idea.id)}</loc><lastmod>${dateOf(idea.changedAt)}</lastmod></url>`,
  );
  return c.body(
    String(
      await html`${raw('<?xml version="1.0" encoding="UTF-8"?>')}<urlset xmlns="${NAMESPACE}">${parts}${each}</urlset>`,
    ),
    200,
    XML,
  );
}

/**
 * What is hidden from search engines is not named here: a robot that may not read a page never learns that it should not list it. Nothing
 * below these paths is a page for strangers.
 */
const CLOSED_TO_ROBOTS = ["/account", "/leaks", "/mcp", "/operator", "/tenant"];

export function robots(c: Context<AppEnv>): Response {
  const lines = [
    "User-agent: *",
    ...CLOSED_TO_ROBOTS.map((path) => `Disallow: ${path}`),
    "",
    `Sitemap: ${pagesOriginOf(c.env, c.req.url)}/sitemap.xml`,
  ];
  return c.text(`${lines.join("\n")}\n`, 200, { "Cache-Control": "public, max-age=3600" });
}
