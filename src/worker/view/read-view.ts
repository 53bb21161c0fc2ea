/** The view of an idea bank: the one value that answers the requests of all its panelists, and the read that gets it. */

import { type KnownOfView, type LoadedView, loadIdeaBankView } from "../database/idea-banks/idea-bank-view.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { ChangelogEntry } from "../model/changelog.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import type { Database, ReadOptions } from "../store/databases.ts";
import type { WaitUntil } from "../store/deadline.ts";
import type { Session } from "../store/session.ts";
import { renderChangelog } from "./render-changelog.ts";
import type { ChangelogStore, StoredChangelogs, VersionedChangelog } from "./stored-changelogs.ts";

/**
 * `origins` are those of the changelog's items, in the same order. Entries that did not fit may follow. `publishedAt` is in Unix
 * milliseconds.
 */
export type ViewedChangelog = VersionedChangelog & {
  readonly origins: readonly Pick<ChangelogEntry, "id" | "publishedAt">[];
};

/** `ideaBank` is null when it does not exist. `changelog` is the last one that was read; it is up to date while it may be viewed. */
export type View = {
  readonly ideaBank: IdeaBankState | null;
  readonly changelog: ViewedChangelog | undefined;
  readonly bookmark: D1SessionBookmark;
};

/** The stores that a view is read from. Without `store`, KV is neither read nor written. */
type ViewSources = {
  readonly database: Database;
  readonly store: ChangelogStore | undefined;
  readonly stored: StoredChangelogs;
  readonly waitUntil: WaitUntil;
};

export type ViewReadOptions = Pick<ReadOptions<never>, "floor" | "atPrimary" | "isBackground">;

/** Lower than every version. */
const NO_VERSION = -1;

/**
 * Reads the view in one D1 round trip. If nothing is known of the idea bank, KV is read at the same time. `previous` is the known
 * view.
 */
export async function readView(
  { database, store, stored, waitUntil }: ViewSources,
  {
    known,
    previous,
    options,
  }: {
    readonly known: Omit<KnownOfView, "version">;
    readonly previous: View | undefined;
    readonly options: ViewReadOptions;
  },
): Promise<{ readonly view: View; readonly loaded: LoadedView }> {
  const { ideaBankId } = known;
  let seed: VersionedChangelog | undefined;
  const storedRead = previous === undefined && store !== undefined ? stored.read(store, ideaBankId) : undefined;
  storedRead?.then((changelog) => {
    seed = changelog;
  });
  const version = previous?.changelog?.version ?? NO_VERSION;
  const load = async (session: Session) => {
    const loaded = await loadIdeaBankView(session, { ...known, version });
    return { loaded, bookmark: session.bookmark ?? "" };
  };
  const { loaded, bookmark } = await database.read(load, options);
  const { ideaBank, entries } = loaded;
  // The replica is behind the known view.
  if (previous !== undefined && ideaBank !== null && ideaBank.changelogVersion < version)
    return { view: previous, loaded };
  if (ideaBank === null || entries === undefined || !hasCapability(ideaBank, "canViewChangelog"))
    return { view: { ideaBank, changelog: previous?.changelog, bookmark }, loaded };

  const isSeeded = seed?.version === ideaBank.changelogVersion;
  const changelog =
    isSeeded && seed ? seed : { version: ideaBank.changelogVersion, ...(await renderChangelog(entries)) };
  if (store !== undefined && !isSeeded) waitUntil(stored.write(store, { ideaBankId, changelog, stored: storedRead }));
  const origins = entries.map(({ id, publishedAt }) => ({ id, publishedAt }));
  return { view: { ideaBank, changelog: { ...changelog, origins }, bookmark }, loaded };
}
