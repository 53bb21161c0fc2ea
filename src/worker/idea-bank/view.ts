/** The view of an idea bank: one value that all of its panelists' requests are answered from, and how it is read. */

import { type KnownOfView, type LoadedView, loadIdeaBankView } from "../database/idea-bank-view.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import type { Database } from "../store/databases.ts";
import type { WaitUntil } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { renderChangelog } from "./render-changelog.ts";
import type { ChangelogStore, StoredChangelogs, VersionedChangelog } from "./stored-changelogs.ts";

/** `proposalIds` are those of its items, in their order: the rest of the entries that did not fit may follow. */
export type ViewedChangelog = VersionedChangelog & { readonly proposalIds: readonly string[] };

/** `ideaBank` is null when there is none. `changelog` is the last one that was read: that of its version, while it may be viewed. */
export type View = {
  readonly ideaBank: IdeaBankState | null;
  readonly changelog: ViewedChangelog | undefined;
  readonly bookmark: D1SessionBookmark;
};

/** Where a view is read. `store` where the changelog is wanted. */
export type ViewSources = {
  readonly database: Database;
  readonly store: ChangelogStore | undefined;
  readonly stored: StoredChangelogs;
  readonly waitUntil: WaitUntil;
};

/** How far a read must see: `floor` at least, or what the primary says now. Nobody waits for one that `isAhead`. */
export type Reach = {
  readonly floor?: D1SessionBookmark | undefined;
  readonly atPrimary?: boolean;
  readonly isAhead?: boolean;
};

/** Before every version. */
const NO_VERSION = -1;

/**
 * One D1 round trip. When nothing of the idea bank is known, KV is read at the same time. `previous` is the view that is known.
 */
export async function readView(
  { database, store, stored, waitUntil }: ViewSources,
  known: Omit<KnownOfView, "version">,
  previous: View | undefined,
  reach: Reach,
): Promise<{ readonly view: View; readonly loaded: LoadedView }> {
  const { ideaBankId } = known;
  let seed: VersionedChangelog | undefined;
  const held = previous === undefined && store !== undefined ? stored.read(store, ideaBankId) : undefined;
  held?.then((changelog) => {
    seed = changelog;
  });
  const version = previous?.changelog?.version ?? NO_VERSION;
  const load = async (session: Session) => {
    const loaded = await loadIdeaBankView(session, { ...known, version });
    return { loaded, bookmark: session.bookmark ?? "" };
  };
  const { loaded, bookmark } = await database.read(load, reach);
  const { ideaBank, entries } = loaded;
  // A replica that has not come as far as the view that is known.
  if (previous !== undefined && ideaBank !== null && ideaBank.changelogVersion < version)
    return { view: previous, loaded };
  if (ideaBank === null || entries === undefined || !hasCapability(ideaBank, "canViewChangelog"))
    return { view: { ideaBank, changelog: previous?.changelog, bookmark }, loaded };

  const isSeeded = seed?.version === ideaBank.changelogVersion;
  const changelog =
    isSeeded && seed ? seed : { version: ideaBank.changelogVersion, ...(await renderChangelog(entries)) };
  if (store !== undefined && !isSeeded) waitUntil(stored.write(store, ideaBankId, changelog, held));
  const proposalIds = entries.map(({ id }) => id);
  return { view: { ideaBank, changelog: { ...changelog, proposalIds }, bookmark }, loaded };
}
