/**
 * The D1 sessions of one database, and the plain binding, which is used while sessions hang.
 *
 * Sessions have hung for hours while the binding answered (emdash-cms/emdash#1273, #1715, #1864). So a ping asks both. If only
 * the binding answers, it replaces sessions: it always reaches the primary, so its reads are fresh and its writes are not lost.
 * It makes no bookmarks: its answers have the last known one. Sessions are tried again every ten seconds.
 */

import { logWarning } from "../log.ts";
import { laterOf } from "./anchors.ts";
import { answerWithin, DEADLINE_MS, DeadlineExceeded, hasSettledWithin, isWithin } from "./deadline.ts";
import type { Target } from "./session.ts";
import { prepare } from "./statement.ts";

/** It reads a table, so that a database without its tables fails the ping. */
const PING = prepare("SELECT id FROM accounts LIMIT 1");

export const ping = (target: Target): Promise<unknown> => target.prepare(PING.sql).all();

/** Sessions that hang are tried again after this time, in milliseconds. */
const AGAIN_MS = 10_000;
/**
 * If the binding answers later than this, in milliseconds, nothing follows for sessions: the database is slow, or has just come
 * back.
 */
const PROMPT_MS = 500;
const LOG_AGAIN_MS = 60_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export class Sessions {
  #areHanging = false;
  #pingedAt = LONG_AGO;
  #loggedAt = LONG_AGO;
  /** The latest bookmark that the isolate knows. A read at the primary always includes it. */
  #latest: D1SessionBookmark = "";

  get areHanging(): boolean {
    return this.#areHanging;
  }

  note(bookmark: D1SessionBookmark | undefined): void {
    this.#latest = laterOf(this.#latest, bookmark);
  }

  /** A D1 session; the plain binding while sessions hang. */
  open(database: D1Database, start: D1SessionBookmark | D1SessionConstraint): Target {
    if (!this.#areHanging) return database.withSession(start);
    const now = Date.now();
    if (!isWithin(this.#loggedAt, now, LOG_AGAIN_MS)) {
      this.#loggedAt = now;
      logWarning("D1 sessions hang, while the database answers without them: the binding is used in their place");
    }
    // A write that is noted while this is under way may be missing in its answer.
    const latest = this.#latest;
    return {
      prepare: (sql) => database.prepare(sql),
      batch: (statements) => database.batch(statements),
      getBookmark: () => latest,
    };
  }

  /** Whether sessions hang, and were not tried for a while. */
  get isDue(): boolean {
    return this.#areHanging && !isWithin(this.#pingedAt, Date.now(), AGAIN_MS);
  }

  /**
   * Asks the primary with a session and without one. Resolves when the one that is used from now on has answered; rejects as the
   * database does. `database` has no deadlines of its own.
   */
  async ping(database: D1Database): Promise<void> {
    this.#pingedAt = Date.now();
    const bySession = ping(database.withSession("first-primary"));
    const [hasSession, hasBinding] = await Promise.all([
      hasSettledWithin(DEADLINE_MS.withFallback, bySession),
      answerWithin(PROMPT_MS, ping(database)).then(
        () => true,
        () => false,
      ),
    ]);
    // When neither answers, the database hangs, and nothing follows for its sessions.
    if (!hasSession && !hasBinding) throw new DeadlineExceeded(DEADLINE_MS.withFallback);
    this.#areHanging = !hasSession;
    if (hasSession) await bySession;
  }
}
