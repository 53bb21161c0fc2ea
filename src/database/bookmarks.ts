/**
 * How far back this isolate's reads of D1 may see.
 *
 * - Floor: reads go to the nearest replica that has reached the isolate's latest bookmark, so that every later answer includes
 *   what this isolate has written or read. Bookmarks sort as text, and the latest is kept.
 * - Anchor: how far a replica lags has no bound. So a session begins at the primary when the last one that did, and was noted,
 *   is older than `anchorMs`: its bookmark is the new floor, and no read sees less than what was written `anchorMs` before it.
 *   In the last fifth of that time one session does so for all the others.
 */
import { answerWithin, DEADLINE_MS, DeadlineExceeded, isWithin } from "../deadline.ts";

/** From this share of `anchorMs` on, one session is anchored ahead. */
const AHEAD = 0.8;
const NEVER = Number.NEGATIVE_INFINITY;
/** A replica waits until it has reached the session's bookmark. A read waits so long for it, then the primary answers. */
const REPLICA_MS = 1_000;

export class Bookmarks {
  /** In milliseconds; 0 reads the primary each time. The application sets it from its settings. */
  anchorMs: number;
  #latest: D1SessionBookmark | undefined;
  /** When the last anchored session that was noted was opened, and the last that was opened at all (Unix milliseconds). */
  #anchoredAt = NEVER;
  #anchoringSince = NEVER;
  /** The sessions that begin at the primary, and when they were opened. */
  readonly #anchored = new WeakMap<D1DatabaseSession, number>();

  constructor(anchorMs = 10_000) {
    this.anchorMs = anchorMs;
  }

  /**
   * What `work` reads, in a session that is noted: at a replica, or at the primary when the replica has not come so far within a
   * second. `work` may run twice. Rejects as it does, or with `DeadlineExceeded`, within ten seconds.
   */
  async read<Answer>(database: D1Database, work: (session: D1DatabaseSession) => Promise<Answer>): Promise<Answer> {
    const attempt = async (session: D1DatabaseSession) => {
      const answer = await work(session);
      this.note(session);
      return answer;
    };
    const session = this.open(database);
    if (this.isAnchored(session)) return attempt(session);
    try {
      return await answerWithin(REPLICA_MS, attempt(session));
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      return answerWithin(DEADLINE_MS.without - REPLICA_MS, attempt(this.openAtPrimary(database)));
    }
  }

  /** What `work` gives, once, in a session that is noted: D1 sends writes to the primary. */
  async write<Answer>(database: D1Database, work: (session: D1DatabaseSession) => Promise<Answer>): Promise<Answer> {
    const session = this.open(database);
    const answer = await work(session);
    this.note(session);
    return answer;
  }

  /** A session for reads and writes. Pass it to `note` when its work is done. */
  open(database: D1Database): D1DatabaseSession {
    const now = Date.now();
    const isAnchored = isWithin(this.#anchoredAt, now, this.anchorMs);
    const isEarly = isWithin(this.#anchoredAt, now, AHEAD * this.anchorMs);
    if (this.#latest === undefined || !isAnchored) return this.openAtPrimary(database);
    // One at a time. A request that is cancelled takes its session along, so only time tells that one is under way.
    if (isEarly || isWithin(this.#anchoringSince, now, DEADLINE_MS.withFallback))
      return database.withSession(this.#latest);
    return this.openAtPrimary(database);
  }

  /** The same, anchored now. */
  openAtPrimary(database: D1Database): D1DatabaseSession {
    const session = database.withSession("first-primary");
    this.#anchoringSince = Date.now();
    this.#anchored.set(session, this.#anchoringSince);
    return session;
  }

  isAnchored(session: D1DatabaseSession): boolean {
    return this.#anchored.has(session);
  }

  note(session: D1DatabaseSession): void {
    const bookmark = session.getBookmark();
    if (bookmark === null) return;
    if (this.#latest === undefined || bookmark > this.#latest) this.#latest = bookmark;
    const openedAt = this.#anchored.get(session) ?? NEVER;
    // A clock that has stepped back: what was opened later by it decides nothing.
    if (openedAt > this.#anchoredAt || this.#anchoredAt > Date.now()) this.#anchoredAt = openedAt;
  }
}
