/**
 * An isolate's view of idea banks: what their gates need, for every panelist at once.
 *
 * A snapshot answers from memory while it is younger than the freshness window; then one D1 round trip replaces it.
 * Reads go to the nearest replica, but never behind what this isolate has seen: each starts from the last bookmark.
 * When D1 is down, or does not answer soon, the last snapshot serves for at most five minutes.
 */
import { LRUCache } from "lru-cache";
import { loadIdeaBankSnapshot } from "../database/idea-bank-snapshots.ts";
import { answerWithin } from "../deadline.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";

/** `ideaBank` is null when there is none. `readAt` is when the read began, in Unix milliseconds. */
export type IdeaBankSnapshot = {
  readonly ideaBank: IdeaBankState | null;
  /** By panelist: tokens issued at or before this time (Unix milliseconds) are dead. */
  readonly tokensRevokedAt: ReadonlyMap<string, number>;
  /** The last revocation that the map holds; the next read asks only for later ones. */
  readonly revocationSeq: number;
  readonly bookmark: D1SessionBookmark | null;
  readonly readAt: number;
  /** How often this isolate wrote to the idea bank: a read that was under way during a write is not kept. */
  readonly writes: number;
};

/** Room for about 300,000 revocations; an account with more of them in 90 days is answered from D1 each time. */
export const MEMORY_BYTES = 32 * 1024 * 1024;
const SNAPSHOT_BYTES = 512;
const REVOCATION_BYTES = 96;

const OUTAGE_MS = 5 * 60_000;
/** After a failed read, how long snapshots serve before D1 is asked again. */
const RETRY_MS = 5_000;
/** How long a request waits for D1: not long when there is a snapshot to fall back on. */
const PATIENCE_MS = { withSnapshot: 2_000, without: 10_000 };

const UNSEEN: IdeaBankSnapshot = {
  ideaBank: null,
  tokensRevokedAt: new Map(),
  revocationSeq: 0,
  bookmark: null,
  readAt: Number.NEGATIVE_INFINITY,
  writes: 0,
};

export class IdeaBankSnapshots {
  readonly #kept = new LRUCache<string, IdeaBankSnapshot>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ tokensRevokedAt }) => SNAPSHOT_BYTES + REVOCATION_BYTES * tokensRevokedAt.size,
  });
  #failedAt = Number.NEGATIVE_INFINITY;

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
    const kept = this.#kept.get(ideaBankId) ?? UNSEEN;
    const age = now - kept.readAt;
    if (age < freshnessMs) return kept;
    const survivesOutage = age <= OUTAGE_MS;
    if (survivesOutage && now - this.#failedAt < RETRY_MS) return kept;
    try {
      const patience = survivesOutage ? PATIENCE_MS.withSnapshot : PATIENCE_MS.without;
      const snapshot = await answerWithin(patience, refresh(database, ideaBankId, kept, now));
      this.#keep(ideaBankId, snapshot);
      return snapshot;
    } catch (error) {
      this.#failedAt = Date.now();
      if (!survivesOutage) throw error;
      console.warn("D1 does not answer; serving an idea bank from memory", error);
      return kept;
    }
  }

  /** An idea bank was written through this isolate: the next read goes to D1, and no further back than the write. */
  expire(ideaBankId: string, bookmark: D1SessionBookmark | null): void {
    const kept = this.#kept.peek(ideaBankId) ?? UNSEEN;
    this.#kept.set(ideaBankId, { ...kept, bookmark, readAt: UNSEEN.readAt, writes: kept.writes + 1 });
  }

  /** The same for whatever of an account this isolate remembers. */
  expireAccount(accountId: string, bookmark: D1SessionBookmark | null): void {
    // A list of its own: setting an entry moves it, and a walk over the cache itself would meet it for ever.
    for (const [ideaBankId, { ideaBank }] of [...this.#kept.entries()]) {
      if (ideaBank?.accountId === accountId) this.expire(ideaBankId, bookmark);
    }
  }

  /** Unless a later read, or a write, came first. */
  #keep(ideaBankId: string, snapshot: IdeaBankSnapshot): void {
    const current = this.#kept.peek(ideaBankId) ?? UNSEEN;
    if (current.writes === snapshot.writes && current.readAt <= snapshot.readAt) this.#kept.set(ideaBankId, snapshot);
  }
}

async function refresh(
  database: D1Database,
  ideaBankId: string,
  kept: IdeaBankSnapshot,
  now: number,
): Promise<IdeaBankSnapshot> {
  const load = async (constraint: D1SessionBookmark | D1SessionConstraint) => {
    const session = database.withSession(constraint);
    return {
      ...(await loadIdeaBankSnapshot(session, ideaBankId, kept.revocationSeq)),
      bookmark: session.getBookmark(),
    };
  };
  let read = await load(kept.bookmark ?? "first-unconstrained");
  // A token that we signed names an idea bank that existed: a replica that does not know it may only be behind.
  if (read.ideaBank === null && kept.bookmark === null) read = await load("first-primary");
  return {
    ideaBank: read.ideaBank,
    tokensRevokedAt: withRevocations(kept.tokensRevokedAt, read.revocations),
    revocationSeq: read.revocations.at(-1)?.seq ?? kept.revocationSeq,
    bookmark: read.bookmark,
    readAt: now,
    writes: kept.writes,
  };
}

type Revocations = Awaited<ReturnType<typeof loadIdeaBankSnapshot>>["revocations"];

/** The same map when nothing came: snapshots of a quiet account share it. */
function withRevocations(known: ReadonlyMap<string, number>, news: Revocations): ReadonlyMap<string, number> {
  if (news.length === 0) return known;
  return new Map([...known, ...news.map(({ panelistId, revokedAt }) => [panelistId, revokedAt] as const)]);
}
