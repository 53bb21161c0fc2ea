/**
 * The rendered changelog of an idea bank's current version: from this isolate's memory, else from KV, else from D1.
 *
 * Memory is bounded in bytes and never goes back. From KV only a body of exactly the newest version is used, so a stale
 * entry costs a render, never a wrong answer. Requests at the same time share one read of KV and one render. Once memory holds a
 * changelog, a new version comes with the read of D1 that finds it, and KV is only written.
 */

import { loadChangelog, selectEntries, toEntries } from "../database/changelog.ts";
import type { Database } from "../database/databases.ts";
import type { Alongside } from "../database/idea-bank-snapshots.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import { isWithin, JOIN_MS, type WaitUntil } from "../memory/deadline.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { Problem } from "../problem.ts";
import { renderChangelog } from "./render-changelog.ts";
import { SharedReads } from "./shared-reads.ts";
import { readStoredChangelog, storeChangelog, type VersionedChangelog } from "./stored-changelogs.ts";

export const MEMORY_BYTES = 16 * 1024 * 1024;
/** What an entry costs beyond its body. */
const ENTRY_BYTES = 512;
/** An isolate stores an idea bank's changelog at most this often: a write to KV costs as much as ten answers. */
const STORE_INTERVAL_MS = 10_000;
/** Idea banks whose times are remembered. */
const MAX_TIMES = 10_000;

/** Where one request reads. `prefetched` is what `prefetch` gave. */
export type ChangelogSources = {
  readonly database: Database;
  readonly store: KVNamespace;
  readonly prefetched: Promise<Stored> | undefined;
};

/** The newest version that this request knows of, and where D1 stood when it was read. */
export type Newest = { readonly version: number; readonly bookmark: D1SessionBookmark };

/** Before every version, and after every version. */
const NONE = -1;
const EVERY = Number.MAX_SAFE_INTEGER;

/** What KV holds, if anything. */
type Stored = VersionedChangelog | undefined;

export class Changelogs {
  readonly #kept = new BoundedMap<VersionedChangelog>({
    max: MEMORY_BYTES,
    weigh: ({ bytes }) => ENTRY_BYTES + bytes.byteLength,
  });
  readonly #stored = new SharedReads<Stored>();
  readonly #renders = new SharedReads<VersionedChangelog>();
  /** When each was last stored, in Unix milliseconds. */
  readonly #storedAt = new BoundedMap<number>({ max: MAX_TIMES });

  /** When somebody began to select its entries, in Unix milliseconds. */
  readonly #claimedAt = new BoundedMap<number>({ max: MAX_TIMES });

  /** Starts KV's read early, beside the read of the version; undefined when memory holds this idea bank's changelog. */
  prefetch(store: KVNamespace, ideaBankId: string, waitUntil: WaitUntil): Promise<Stored> | undefined {
    return this.#kept.peek(ideaBankId) !== undefined ? undefined : this.#readStored(store, ideaBankId, waitUntil);
  }

  /**
   * The newest changelog. It may be newer than `newest` when the idea bank has moved on meanwhile. `waitUntil` takes KV's write,
   * too. Throws `idea-bank-not-found` when the idea bank was closed or deleted meanwhile, and rejects as D1 does when only D1 could
   * tell and it does not answer.
   */
  async read(
    sources: ChangelogSources,
    ideaBankId: string,
    newest: Newest,
    waitUntil: WaitUntil,
  ): Promise<VersionedChangelog> {
    const kept = this.#kept.get(ideaBankId);
    return kept !== undefined && kept.version >= newest.version
      ? kept
      : this.#fetch(sources, ideaBankId, newest, waitUntil);
  }

  /**
   * What a read of the idea bank takes along, so that a new version comes with its body; undefined when memory holds no changelog
   * of it. KV is written after the answer.
   */
  alongside(kv: KVNamespace, ideaBankId: string, waitUntil: WaitUntil): Alongside | undefined {
    const inMemory = () => this.#kept.peek(ideaBankId)?.version ?? NONE;
    if (inMemory() === NONE) return undefined;
    // A planned refresh selects long after this, and a hedged read twice.
    let known: number | undefined;
    const select = (session: D1DatabaseSession) => {
      known ??= this.#claim(ideaBankId) ? inMemory() : EVERY;
      return selectEntries(session, ideaBankId, known);
    };
    const take = async (rows: readonly unknown[], ideaBank: IdeaBankState) => {
      const version = ideaBank.changelogVersion;
      // Nothing was selected of a version that was known; of one that has come meanwhile there is a render.
      if (version <= Math.max(known ?? EVERY, inMemory()) || !hasCapability(ideaBank, "canViewChangelog")) return;
      const rendered = { version, ...(await renderChangelog(toEntries(rows))) };
      if (this.#keep(ideaBankId, rendered) !== rendered || !this.#isStoreDue(ideaBankId)) return;
      const store = (stored: Stored) =>
        this.#store(kv, ideaBankId, { rendered: this.#kept.peek(ideaBankId) ?? rendered, stored }, waitUntil);
      waitUntil(this.#readStored(kv, ideaBankId, waitUntil).then(store));
    };
    const keep: Alongside["keep"] = async (rows, ideaBank) => {
      await take(rows, ideaBank);
      if (known !== EVERY) this.#claimedAt.delete(ideaBankId);
    };
    return { select, keep };
  }

  /** Whether nobody else selects its entries now: of many who read the idea bank at the same time, one holds them in memory. */
  #claim(ideaBankId: string): boolean {
    const now = Date.now();
    const claimedAt = this.#claimedAt.get(ideaBankId);
    // A read that fails gives nothing back.
    if (claimedAt !== undefined && isWithin(claimedAt, now, JOIN_MS)) return false;
    this.#claimedAt.set(ideaBankId, now);
    return true;
  }

  async #fetch(
    sources: ChangelogSources,
    ideaBankId: string,
    { version, bookmark }: Newest,
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
    const loaded = await database.read({ ideaBankId }, load, { after, isLarge: true });
    // The switches of the same moment as the entries: what was edited after closing is not shown.
    if (loaded === null || !hasCapability(loaded.ideaBank, "canViewChangelog"))
      throw new Problem("idea-bank-not-found");
    const rendered = { version: loaded.ideaBank.changelogVersion, ...(await renderChangelog(loaded.entries)) };
    const newest = this.#keep(ideaBankId, rendered);
    // What another has kept meanwhile is stored by it.
    if (newest === rendered) this.#store(store, ideaBankId, { rendered, stored }, waitUntil);
    return newest;
  }

  /** Keeps a changelog unless a newer one is kept, and returns the newer. */
  #keep(ideaBankId: string, changelog: VersionedChangelog): VersionedChangelog {
    const kept = this.#kept.peek(ideaBankId);
    if (kept !== undefined && kept.version >= changelog.version) return kept;
    this.#kept.set(ideaBankId, changelog);
    return changelog;
  }

  #isStoreDue(ideaBankId: string): boolean {
    const storedAt = this.#storedAt.get(ideaBankId);
    return storedAt === undefined || !isWithin(storedAt, Date.now(), STORE_INTERVAL_MS);
  }

  /** What is newer in KV is left alone. */
  #store(
    store: KVNamespace,
    ideaBankId: string,
    { rendered, stored }: { readonly rendered: VersionedChangelog; readonly stored: Stored },
    waitUntil: WaitUntil,
  ): void {
    if ((stored !== undefined && stored.version >= rendered.version) || !this.#isStoreDue(ideaBankId)) return;
    this.#storedAt.set(ideaBankId, Date.now());
    waitUntil(storeChangelog(store, ideaBankId, rendered));
  }
}
