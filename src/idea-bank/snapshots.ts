/**
 * An isolate's view of idea banks: what their gates need, for every panelist at once.
 *
 * A snapshot answers from memory while it is younger than the freshness window; then one D1 round trip replaces it.
 * Reads go to the nearest replica, but never behind what this isolate has seen: each starts from the last bookmark.
 * When D1 is down, the last snapshot serves for at most five minutes.
 */
import { LRUCache } from "lru-cache";
import { loadIdeaBankSnapshot } from "../database/idea-bank-snapshots.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";

/** `ideaBank` is null when there is none. `readAt` is in Unix milliseconds. */
export type IdeaBankSnapshot = {
  readonly ideaBank: IdeaBankState | null;
  /** By panelist: tokens issued at or before this time (Unix milliseconds) are dead. */
  readonly tokensRevokedAt: ReadonlyMap<string, number>;
  /** The last revocation that the map holds; the next read asks only for later ones. */
  readonly revocationSeq: number;
  readonly bookmark: D1SessionBookmark | null;
  readonly readAt: number;
};

const MEMORY_BYTES = 8 * 1024 * 1024;
const OUTAGE_MS = 5 * 60_000;

const LONG_AGO = Number.NEGATIVE_INFINITY;
const UNSEEN = { ideaBank: null, tokensRevokedAt: new Map(), revocationSeq: 0 } as const;

export class IdeaBankSnapshots {
  readonly #kept = new LRUCache<string, IdeaBankSnapshot>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: (snapshot) => 512 + 96 * snapshot.tokensRevokedAt.size,
  });

  /** Whether this isolate has seen the idea bank, however long ago. */
  has(ideaBankId: string): boolean {
    return this.#kept.has(ideaBankId);
  }

  /** The snapshot, at most `freshnessMs` old. Rejects as D1 does when it is down and memory holds nothing recent. */
  async read(
    database: D1Database,
    ideaBankId: string,
    { now, freshnessMs }: { now: number; freshnessMs: number },
  ): Promise<IdeaBankSnapshot> {
    const kept = this.#kept.get(ideaBankId);
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now - kept.readAt;
    if (kept !== undefined && age < freshnessMs) return kept;
    try {
      const session = database.withSession(kept?.bookmark ?? "first-unconstrained");
      const read = await loadIdeaBankSnapshot(session, ideaBankId, kept?.revocationSeq ?? 0);
      const snapshot: IdeaBankSnapshot = {
        ideaBank: read.ideaBank,
        tokensRevokedAt: withRevocations(kept?.tokensRevokedAt, read.revocations),
        revocationSeq: read.revocations.at(-1)?.seq ?? kept?.revocationSeq ?? 0,
        bookmark: session.getBookmark(),
        readAt: now,
      };
      this.#kept.set(ideaBankId, snapshot);
      return snapshot;
    } catch (error) {
      if (kept === undefined || age > OUTAGE_MS) throw error;
      console.warn("D1 does not answer; serving an idea bank from memory", error);
      return kept;
    }
  }

  /** An idea bank was written through this isolate: the next read goes to D1, and no further back than the write. */
  expire(ideaBankId: string, bookmark: D1SessionBookmark | null): void {
    this.#kept.set(ideaBankId, { ...(this.#kept.peek(ideaBankId) ?? UNSEEN), bookmark, readAt: LONG_AGO });
  }

  /** The same for whatever of an account this isolate remembers. */
  expireAccount(accountId: string, bookmark: D1SessionBookmark | null): void {
    for (const [ideaBankId, { ideaBank }] of this.#kept.entries()) {
      if (ideaBank?.accountId === accountId) this.expire(ideaBankId, bookmark);
    }
  }
}

type Revocations = Awaited<ReturnType<typeof loadIdeaBankSnapshot>>["revocations"];

/** The same map when nothing came: snapshots of a quiet account share it. */
function withRevocations(
  known: ReadonlyMap<string, number> = new Map(),
  news: Revocations,
): ReadonlyMap<string, number> {
  if (news.length === 0) return known;
  return new Map([...known, ...news.map(({ panelistId, revokedAt }) => [panelistId, revokedAt] as const)]);
}
