/** `/b/{id}/{name}/changelog`: what is new, and its feeds at `/b/{id}/changelog.atom` and `.json`. */

import type { Context } from "hono";
import { changelogMarkup } from "#markup";
import { sealCursor } from "../credentials/cursor.ts";
import type { AppEnv } from "../http/app-env.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import type { Changelog } from "../model/changelog.ts";
import { pagePathOf } from "../model/page-path.ts";
import { pagesOriginOf } from "../model/pages-origin.ts";
import type { ViewedChangelog } from "../view/read-view.ts";
import { ATOM, type FeedFormat, feedIdOf, JSON_FEED } from "../view/render-feed.ts";
import { fillIn } from "../view/rendered-feeds.ts";
import { readAfter, withCursor } from "./cursors.ts";
import { Element } from "./element.tsx";
import { type Frame, linkTo, partPath } from "./frame.ts";
import { Layout } from "./layout.tsx";
import type { OpenPage, PageMemory } from "./open-page.ts";
import { readEntries } from "./read-contents.ts";
import { respondNothing, respondPage } from "./respond.tsx";

/** As the API names it. */
const LIST = { path: "/ideabank/changelog/entries" };

const decoded = new WeakMap<ViewedChangelog, Changelog>();

function changelogOf(viewed: ViewedChangelog): Changelog {
  const known = decoded.get(viewed);
  if (known !== undefined) return known;
  const changelog: Changelog = JSON.parse(new TextDecoder().decode(viewed.bytes));
  decoded.set(viewed, changelog);
  return changelog;
}

export async function changelogPage(c: Context<AppEnv>, memory: PageMemory, page: OpenPage, around: Frame) {
  const frame = { ...around, element: "changelog" as const };
  const { id, ideaBank, changelog: viewed } = page;
  if (viewed === undefined) throw new Error("a changelog that may be viewed was not read with its idea bank");
  const recent = changelogOf(viewed);
  const after = await readAfter(c, id, LIST);
  // The changelog itself does not say whether there are older entries.
  const limit = after === undefined ? Math.max(recent.items.length, 1) : undefined;
  const read = await readEntries(memory, page, { after, ...(limit && { limit }) });
  const { items, nextCursor } = await withCursor(c, id, { ...LIST, page: read }, sealCursor);
  const older = items.map(({ title, description, lastActivityAt }) => ({
    ...{ title, description },
    lastModified: Math.floor(lastActivityAt / 1000),
  }));
  // What was read at another time than the changelog may differ: then the element asks.
  const isSame = JSON.stringify(older) === JSON.stringify(recent.items);
  const ids = isSame ? await Promise.all(items.map((entry) => feedIdOf(id, entry.id))) : [];
  const initial = { changelog: recent, ...(isSame && { entries: { ids, nextCursor } }) };
  const path = partPath(frame, "changelog");
  const markup = changelogMarkup({
    ...{ lang: frame.language, headingLevel: 1, isOlder: after !== undefined },
    changelog: after === undefined ? recent : { items: older },
    moreHref: nextCursor && linkTo(frame, path, { after: nextCursor }),
  });
  const title = frame.say("changelog");
  const { description } = ideaBank;
  return respondPage(
    c,
    frame,
    <Layout
      frame={frame}
      {...{ title, description, path, current: "changelog" }}
      isUnlisted={ideaBank.hiddenFromSearch || after !== undefined}
    >
      <Element
        frame={frame}
        name="changelog"
        markup={markup}
        attributes={{ history: "" }}
        {...(after === undefined && { initial })}
      />
      <p>
        <a href={`/b/${id}/changelog.atom`}>{`${frame.say("feed")} (Atom)`}</a>
        {" · "}
        <a href={`/b/${id}/changelog.json`}>JSON</a>
      </p>
    </Layout>,
  );
}

export const FEEDS: Readonly<Record<string, FeedFormat>> = { "changelog.atom": ATOM, "changelog.json": JSON_FEED };

/** Without a token in the address, because everybody may read the page. */
export async function feed(c: Context<AppEnv>, { views }: PageMemory, page: OpenPage, format: FeedFormat) {
  const { id, ideaBank, changelog, visitor } = page;
  if (!visitor.canViewChangelog || changelog === undefined) return respondNothing(c);
  const url = ideaBank.url ?? pagesOriginOf(c.env, c.req.url) + pagePathOf({ id, name: ideaBank.name });
  const rendered = await views.feeds.open({ format, ideaBankId: id, ideaBank: { ...ideaBank, url }, changelog });
  c.header("ETag", rendered.etag);
  c.header("Cache-Control", "public, max-age=60");
  if (ideaBank.hiddenFromSearch) c.header("X-Robots-Tag", "noindex");
  if (ifNoneMatch(c.req.header("If-None-Match"), rendered.etag)) return c.body(null, 304);
  const own = new URL(c.req.url);
  return c.body(fillIn(rendered, format.escape(own.origin + own.pathname)), 200, {
    "Content-Type": format.contentType,
  });
}
