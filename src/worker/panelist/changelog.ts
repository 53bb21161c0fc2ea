/** `GET /public/ideabank/changelog` (contract, changelog rules 1 to 7). */

import { ifNoneMatch } from "../http/if-none-match.ts";
import type { Changelogs } from "../idea-bank/changelogs.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { Problem } from "../problem.ts";
import type { PanelistHandler } from "./answer-from-view.ts";

export function createChangelogHandler(snapshots: IdeaBankSnapshots, changelogs: Changelogs): PanelistHandler {
  return function handleChangelog(c, { token: { ideaBankId }, database }) {
    const waitUntil = (promise: Promise<void>) => c.executionCtx.waitUntil(promise);
    // A cold isolate reads KV and D1 at the same time, so that both take one round trip.
    const prefetched = snapshots.has(ideaBankId)
      ? undefined
      : changelogs.prefetch(c.env.CHANGELOGS, ideaBankId, waitUntil);
    return async ({ ideaBank, bookmark }) => {
      if (ideaBank === null) throw new Problem("idea-bank-not-found");
      const sources = { database, store: c.env.CHANGELOGS, prefetched };
      const newest = { version: ideaBank.changelogVersion, bookmark };
      const changelog = await changelogs.read(sources, ideaBankId, newest, waitUntil);
      c.header("ETag", changelog.etag);
      c.header("Cache-Control", "private, no-cache");
      if (ifNoneMatch(c.req.header("If-None-Match"), changelog.etag)) return c.body(null, 304);
      return c.body(changelog.bytes, 200, { "Content-Type": "application/json" });
    };
  };
}
