/**
 * The rendered changelog of an idea bank's current version: from this isolate's memory, else from KV, else from D1.
 *
 * Memory is bounded in bytes and never goes back. From KV only a body of exactly the newest version is used, so a stale
 * entry costs a render, never a wrong answer. Requests at the same time share one read of KV and one render; while the body
 * before is fresh, none waits for them.
 */
import { BoundedMap } from "../bounded-map.ts";
import { loadChangelog } from "../database/changelog.ts";
import type { DatabaseBookmarks } from "../database/database-bookmarks.ts";
import { hasSettled, type WaitUntil } from "../deadline.ts";
import { hasCapability } from "../idea-bank/capabilities.ts";
import { Problem } from "../problem.ts";
import { renderChangelog } from "./render.ts";
import { SharedReads } from "./shared-reads.ts";
import { readStoredChangelog, storeChangelog, type VersionedChangelog } from "./stored-changelogs.ts";

export const MEMORY_BYTES = 16 * 1024 * 1024;
/** What an entry costs beyond its body. */
const ENTRY_BYTES = 512;
/** An isolate stores an idea bank's changelog at most this often: a write to KV costs as much as ten answers. */
const STORE_INTERVAL_MS = 10_000;
const MAX_STORED = 10_000;

/** Where one request reads. `prefetched` is what `prefetch` gave. */
export type ChangelogSources = {
  readonly database: D1Database;
  readonly store: KVNamespace;
  readonly prefetched: Promise<Stored> | undefined;
};

/** The newest version that this request knows of, where D1 stood when it was read, and from which on a body is fresh. */
export type Versions = { readonly newest: number; readonly bookmark: D1SessionBookmark; readonly freshFrom: number };

/** What KV holds, if anything. */
type Stored = VersionedChangelog | undefined;

export class Changelogs {
  readonly #bookmarks: DatabaseBookmarks;
  readonly #kept = new BoundedMap<VersionedChangelog>({
    max: MEMORY_BYTES,
    weigh: ({ bytes }) => ENTRY_BYTES + bytes.byteLength,
  });
  readonly #stored = new SharedReads<Stored>();
  readonly #renders = new SharedReads<VersionedChangelog>();
  /** When each was last stored, in Unix milliseconds. */
  readonly #storedAt = new BoundedMap<number>({ max: MAX_STORED });

  constructor(bookmarks: DatabaseBookmarks) {
    this.#bookmarks = bookmarks;
  }

  /** Starts KV's read early, beside the read of the version; undefined when memory holds this idea bank's changelog. */
  prefetch(store: KVNamespace, ideaBankId: string, waitUntil: WaitUntil): Promise<Stored> | undefined {
    return this.#kept.peek(ideaBankId) !== undefined ? undefined : this.#readStored(store, ideaBankId, waitUntil);
  }

  /**
   * The newest changelog, or a fresh one from memory, and then the newest is fetched after the answer. It may be newer than
   * `versions` when the idea bank has moved on meanwhile. `waitUntil` takes KV's write, too. Throws `idea-bank-not-found` when the
   * idea bank was closed or deleted meanwhile, and rejects as D1 does when only D1 could tell and it does not answer.
   */
  async read(
    sources: ChangelogSources,
    ideaBankId: string,
    versions: Versions,
    waitUntil: WaitUntil,
  ): Promise<VersionedChangelog> {
    const { newest, freshFrom } = versions;
    const kept = this.#kept.get(ideaBankId);
    if (kept !== undefined && kept.version >= newest) return kept;
    const fetched = () => this.#fetch(sources, ideaBankId, versions, waitUntil);
    if (kept === undefined || kept.version < freshFrom) return fetched();
    // The first reader after the freshness window meets a failure again, and is answered with it.
    if (!this.#stored.isUnderWay(ideaBankId) && !this.#renders.isUnderWay(ideaBankId)) waitUntil(hasSettled(fetched()));
    return kept;
  }

  async #fetch(
    sources: ChangelogSources,
    ideaBankId: string,
    { newest: version, bookmark }: Versions,
    waitUntil: WaitUntil,
  ): Promise<VersionedChangelog> {
    const stored = await (sources.prefetched ?? this.#readStored(sources.store, ideaBankId, waitUntil));
    if (stored?.version === version) return this.#keep(ideaBankId, stored);
    // Another request has rendered it meanwhile.
    const meanwhile = this.#kept.get(ideaBankId);
    if (meanwhile !== undefined && meanwhile.version >= version) return meanwhile;

    let isOwn = false;
    const render = () => {
      isOwn = true;
      return this.#render(sources, ideaBankId, { stored, bookmark }, waitUntil);
    };
    try {
      const shared = await this.#renders.read(ideaBankId, render, waitUntil);
      if (shared.version >= version) return shared;
    } catch (error) {
      if (isOwn || !(error instanceof Problem)) throw error;
    }
    // It began before a change that this request knows of: the version moved, or the idea bank was opened.
    return render();
  }

  #readStored(store: KVNamespace, ideaBankId: string, waitUntil: WaitUntil): Promise<Stored> {
    return this.#stored.read(ideaBankId, () => readStoredChangelog(store, ideaBankId), waitUntil);
  }

  async #render(
    { database, store }: ChangelogSources,
    ideaBankId: string,
    { stored, bookmark: after }: { readonly stored: Stored; readonly bookmark: D1SessionBookmark },
    waitUntil: WaitUntil,
  ): Promise<VersionedChangelog> {
    const load = (session: D1DatabaseSession) => loadChangelog(session, ideaBankId);
    const loaded = await this.#bookmarks.of(ideaBankId).read(database, { ideaBankId }, load, { after });
    // The switches of the same moment as the entries: what was edited after closing is not shown.
    if (loaded === null || !hasCapability(loaded.ideaBank, "canViewChangelog"))
      throw new Problem("idea-bank-not-found");
    const rendered = { version: loaded.ideaBank.changelogVersion, ...(await renderChangelog(loaded.entries)) };
    const newest = this.#keep(ideaBankId, rendered);
    // What another has kept meanwhile is stored by it; and what is newer in KV is left alone.
    if (newest === rendered && (stored === undefined || stored.version < rendered.version))
      this.#store(store, ideaBankId, rendered, waitUntil);
    return newest;
  }

  /** Keeps a changelog unless a newer one is kept, and returns the newer. */
  #keep(ideaBankId: string, changelog: VersionedChangelog): VersionedChangelog {
    const kept = this.#kept.peek(ideaBankId);
    if (kept !== undefined && kept.version >= changelog.version) return kept;
    this.#kept.set(ideaBankId, changelog);
    return changelog;
  }

  #store(store: KVNamespace, ideaBankId: string, changelog: VersionedChangelog, waitUntil: WaitUntil): void {
    const now = Date.now();
    const storedAt = this.#storedAt.get(ideaBankId);
    if (storedAt !== undefined && now >= storedAt && now - storedAt < STORE_INTERVAL_MS) return;
    this.#storedAt.set(ideaBankId, now);
    waitUntil(storeChangelog(store, ideaBankId, changelog));
  }
}
