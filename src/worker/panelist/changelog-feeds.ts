/** `GET /public/ideabank/changelog.atom` and `.json`: the changelog for feed readers, from the same view as the changelog itself. */
import type { Context } from "hono";
import type { OpenedByToken } from "../access/open-idea-bank.ts";
import type { AppEnv } from "../http/app-env.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import { ChangelogFeed } from "../model/changelog.ts";
import { ATOM, type FeedFormat, JSON_FEED } from "../view/render-feed.ts";
import { fillIn } from "../view/rendered-feeds.ts";
import type { IdeaBankViews } from "../view/views.ts";
import { changelogOf } from "./changelog.ts";
import { type IdeaBankOperation, ideaBankOperation } from "./operation.ts";

const SHARED = {
  method: "GET",
  effect: "reads",
  capability: "canViewChangelog",
  conditional: true,
  problems: ["too-many-requests", "idea-bank-not-found"],
} as const;

const DESCRIPTION =
  "The entries of the changelog, for feed readers. The token is in the header, or a visitor's in `?token=`. An entry's identifier never changes, and is used nowhere else. Its link is the idea bank's `url`, if it has one.";

export const FEED_OPERATIONS: Record<"getAtomFeed" | "getJsonFeed", IdeaBankOperation> = {
  getAtomFeed: ideaBankOperation({
    ...SHARED,
    path: "/public/ideabank/changelog.atom",
    feed: "application/atom+xml",
    summary: "Read the changelog as an Atom feed",
    description: DESCRIPTION,
    handle: (c, opened, { views }) => respondWithFeed(c, { opened, views, format: ATOM }),
  }),

  getJsonFeed: ideaBankOperation({
    ...SHARED,
    path: "/public/ideabank/changelog.json",
    feed: "application/feed+json",
    answer: ChangelogFeed,
    summary: "Read the changelog as a JSON feed",
    description: DESCRIPTION,
    handle: (c, opened, { views }) => respondWithFeed(c, { opened, views, format: JSON_FEED }),
  }),
};

async function respondWithFeed(
  c: Context<AppEnv>,
  {
    opened,
    views,
    format,
  }: { readonly opened: OpenedByToken; readonly views: IdeaBankViews; readonly format: FeedFormat },
): Promise<Response> {
  const feed = await views.feeds.open({ format, ideaBankId: opened.token.ideaBankId, ...changelogOf(opened) });
  c.header("ETag", feed.etag);
  c.header("Cache-Control", "private, no-cache");
  if (ifNoneMatch(c.req.header("If-None-Match"), feed.etag)) return c.body(null, 304);
  return c.body(fillIn(feed, format.escape(c.req.url)), 200, { "Content-Type": format.contentType });
}
