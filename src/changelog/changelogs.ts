/**
 * The rendered changelog of an idea bank's current version: from this isolate's memory, else from KV, else from D1.
 *
 * Memory is bounded in bytes and never goes back. From KV only a body of exactly the asked version is used, so a stale
 * entry costs a render, never a wrong answer.
 */
import { LRUCache } from "lru-cache";
import { loadChangelog } from "../database/changelog.ts";
import { Problem } from "../problem.ts";
import { renderChangelog } from "./render.ts";
import { readStoredChangelog, storeChangelog, type VersionedChangelog } from "./stored-changelogs.ts";

export const MEMORY_BYTES = 16 * 1024 * 1024;
/** What an entry costs beyond its body. */
const ENTRY_BYTES = 512;

/**
 * Where one request reads. `bookmark` is that of the read that gave the version, so that a render is never older;
 * `prefetched` is what `prefetch` gave.
 */
export type ChangelogSources = {
  readonly database: D1Database;
  readonly bookmark: D1SessionBookmark | null;
  readonly store: KVNamespace;
  readonly prefetched: Promise<VersionedChangelog | undefined> | undefined;
};

export class Changelogs {
  readonly #kept = new LRUCache<string, VersionedChangelog>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ bytes }) => ENTRY_BYTES + bytes.byteLength,
  });

  /** Starts KV's read early, beside the read of the version; undefined when memory holds this idea bank's changelog. */
  prefetch(store: KVNamespace, ideaBankId: string): Promise<VersionedChangelog | undefined> | undefined {
    return this.#kept.has(ideaBankId) ? undefined : readStoredChangelog(store, ideaBankId);
  }

  /**
   * The changelog of `version`, or a newer one when the idea bank has moved on meanwhile. `defer` takes KV's write, which
   * the answer does not wait for. Throws `idea-bank-not-found` when the idea bank has gone, and rejects as D1 does when only
   * D1 could tell and it is down.
   */
  async read(
    { database, bookmark, store, prefetched }: ChangelogSources,
    ideaBankId: string,
    version: number,
    defer: (storing: Promise<void>) => void,
  ): Promise<VersionedChangelog> {
    const kept = this.#kept.get(ideaBankId);
    if (kept !== undefined && kept.version >= version) return kept;

    const stored = await (prefetched ?? readStoredChangelog(store, ideaBankId));
    if (stored?.version === version) {
      this.#kept.set(ideaBankId, stored);
      return stored;
    }

    const session = database.withSession(bookmark ?? "first-unconstrained");
    const loaded = await loadChangelog(session, ideaBankId);
    if (loaded === null) throw new Problem("idea-bank-not-found");
    const rendered = { version: loaded.version, ...(await renderChangelog(loaded.entries)) };
    // Of the requests that rendered it at the same time, one keeps it and stores it.
    const first = this.#kept.peek(ideaBankId);
    if (first !== undefined && first.version >= rendered.version) return first;
    this.#kept.set(ideaBankId, rendered);
    // An isolate near a slow replica leaves what is newer in KV alone.
    if (stored === undefined || stored.version < rendered.version) defer(storeChangelog(store, ideaBankId, rendered));
    return rendered;
  }
}
