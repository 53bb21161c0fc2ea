/** `GET /public/ideabank/changelog` (contract, changelog rules 1 to 7). */
import { Changelogs } from "../changelog/changelogs.ts";
import type { DatabaseBookmarks } from "../database/database-bookmarks.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import type { IdeaBankAsOf, IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { Problem } from "../problem.ts";
import type { PanelistHandler } from "./answer-operation.ts";

export function createChangelogHandler(snapshots: IdeaBankSnapshots, bookmarks: DatabaseBookmarks): PanelistHandler {
  const changelogs = new Changelogs(bookmarks);
  return function handleChangelog(c, { token: { ideaBankId }, database }) {
    const waitUntil = (promise: Promise<void>) => c.executionCtx.waitUntil(promise);
    // A cold isolate reads KV and D1 at the same time, so that both take one round trip.
    const prefetched = snapshots.has(ideaBankId)
      ? undefined
      : changelogs.prefetch(c.env.CHANGELOGS, ideaBankId, waitUntil);
    const read = async ({ ideaBank, bookmark, changelogFrom }: IdeaBankAsOf) => {
      if (ideaBank === null) throw new Problem("idea-bank-not-found");
      const sources = { database, store: c.env.CHANGELOGS, prefetched };
      const versions = { newest: ideaBank.changelogVersion, bookmark, freshFrom: changelogFrom };
      return changelogs.read(sources, ideaBankId, versions, waitUntil);
    };
    const respond = async (opened: IdeaBankAsOf) => {
      const changelog = await read(opened);
      c.header("ETag", changelog.etag);
      c.header("Cache-Control", "private, no-cache");
      if (ifNoneMatch(c.req.header("If-None-Match"), changelog.etag)) return c.body(null, 304);
      return c.body(changelog.bytes, 200, { "Content-Type": "application/json" });
    };
    return { prepare: read, respond };
  };
}
