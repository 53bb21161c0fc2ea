/** `GET /public/ideabank/changelog.atom` and `.json`: the changelog for feed readers, from the same view as the changelog itself. */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { AppEnv } from "../http/app-env.ts";
import { etagOf } from "../idea-bank/render-changelog.ts";
import { type Feed, feedIdOf, renderAtom, renderJsonFeed } from "../idea-bank/render-feed.ts";
import type { ViewedChangelog } from "../idea-bank/view.ts";
import { type Changelog, ChangelogFeed } from "../model/changelog.ts";
import { ifNoneMatch, openChangelog } from "./changelog.ts";
import { type IdeaBankOperation, ideaBankOperation } from "./operation.ts";

const SHARED = {
  method: "GET",
  effect: "reads",
  capability: "canViewChangelog",
  conditional: true,
  problems: ["idea-bank-not-found"],
} as const;

const DESCRIPTION =
  "The entries of the changelog, for feed readers. The token is in the header, or a visitor's in `?token=`. An entry's identifier stays " +
  "the same, and names nothing else.";

export const FEED_OPERATIONS: Record<"getAtomFeed" | "getJsonFeed", IdeaBankOperation> = {
  getAtomFeed: ideaBankOperation({
    ...SHARED,
    path: "/public/ideabank/changelog.atom",
    feed: "application/atom+xml",
    summary: "Read the changelog as an Atom feed",
    description: DESCRIPTION,
    handle: (c, memory) =>
      respondWithFeed(c, { memory, contentType: "application/atom+xml; charset=utf-8", render: renderAtom }),
  }),

  getJsonFeed: ideaBankOperation({
    ...SHARED,
    path: "/public/ideabank/changelog.json",
    feed: "application/feed+json",
    answer: ChangelogFeed,
    summary: "Read the changelog as a JSON feed",
    description: DESCRIPTION,
    handle: (c, memory) => respondWithFeed(c, { memory, contentType: "application/feed+json", render: renderJsonFeed }),
  }),
};

/** The entries' ids, by changelog, so that they are hashed once. */
const entryIds = new WeakMap<ViewedChangelog, readonly string[]>();

async function entryIdsOf(changelog: ViewedChangelog, ideaBankId: string): Promise<readonly string[]> {
  const known = entryIds.get(changelog);
  if (known !== undefined) return known;
  const ids = await Promise.all(changelog.proposalIds.map((id) => feedIdOf(ideaBankId, id)));
  entryIds.set(changelog, ids);
  return ids;
}

/**
 * A panelist's token is a secret, but a URL is not secret: readers pass it on, and servers log it. So only a visitor's token is
 * accepted there.
 */
const visitorsOnly = (text: string | undefined) => (text?.startsWith("ibv_") ? text : undefined);

async function respondWithFeed(
  c: Context<AppEnv>,
  {
    memory,
    contentType,
    render,
  }: { readonly memory: IdeaBankMemory; readonly contentType: string; readonly render: (feed: Feed) => string },
): Promise<Response> {
  const { ideaBank, changelog, token } = await openChangelog(c, memory, visitorsOnly(c.req.query("token")));
  const url = c.req.url;
  const ids = await entryIdsOf(changelog, token.ideaBankId);
  const content = [contentType, changelog.etag, ideaBank.name, url, ...ids].join("\n");
  const etag = await etagOf(new TextEncoder().encode(content));
  c.header("ETag", etag);
  c.header("Cache-Control", "private, no-cache");
  if (ifNoneMatch(c.req.header("If-None-Match"), etag)) return c.body(null, 304);
  const { items }: Changelog = JSON.parse(new TextDecoder().decode(changelog.bytes));
  const entries = items.map((item, index) => ({ ...item, id: ids[index] ?? "" }));
  const feed = { id: await feedIdOf(token.ideaBankId), title: ideaBank.name, url, entries };
  return c.body(render(feed), 200, { "Content-Type": contentType });
}
