/**
 * The D1 sessions of one database, and what is used while they hang.
 *
 * Sessions have hung for hours where the plain binding answered (emdash-cms/emdash#1273, #1715, #1864). So a ping asks both. If
 * only the binding answers, it is used in place of sessions: it is the primary, so what it reads is fresh and what it writes is
 * there. It has no bookmark of its own. Sessions are tried again every ten seconds.
 */

import { laterOf } from "./anchors.ts";
import { answerWithin, DEADLINE_MS, DeadlineExceeded, hasSettledWithin, isWithin } from "./deadline.ts";
import type { Target } from "./session.ts";
import { prepare } from "./statement.ts";

/** A database answers it only if it has its tables. */
const PING = prepare("SELECT id FROM accounts LIMIT 1");

export const ping = (target: Target): Promise<unknown> => target.prepare(PING.sql).all();

/** How long until sessions that hang are asked again, in milliseconds. */
const AGAIN_MS = 10_000;
/** A binding that answers later than this, in milliseconds, says nothing of sessions: the database is slow, or has just come back. */
const PROMPT_MS = 500;
const LOG_AGAIN_MS = 60_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export class Sessions {
  #areHanging = false;
  #pingedAt = LONG_AGO;
  #loggedAt = LONG_AGO;
  /** The latest bookmark that the isolate knows. The primary is at least so far, whoever asks it. */
  #latest: D1SessionBookmark = "";

  get areHanging(): boolean {
    return this.#areHanging;
  }

  note(bookmark: D1SessionBookmark | undefined): void {
    this.#latest = laterOf(this.#latest, bookmark);
  }

  /** A session, or the binding in its place. */
  open(database: D1Database, start: D1SessionBookmark | D1SessionConstraint): Target {
    if (!this.#areHanging) return database.withSession(start);
    const now = Date.now();
    if (!isWithin(this.#loggedAt, now, LOG_AGAIN_MS)) {
      this.#loggedAt = now;
      console.warn("D1 sessions hang, while the database answers without them: the binding is used in their place");
    }
    return {
      prepare: (sql) => database.prepare(sql),
      batch: (statements) => database.batch(statements),
      getBookmark: () => this.#latest,
    };
  }

  /** Whether sessions hang, and have not been asked for a while. */
  get isDue(): boolean {
    return this.#areHanging && !isWithin(this.#pingedAt, Date.now(), AGAIN_MS);
  }

  /**
   * Asks the primary in both ways. Resolves when the way that is used from now on has answered, rejects as the database does. `database`
   * has no deadlines of its own.
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
    // When neither answers, it is the database that hangs, and nothing is known of its sessions.
    if (!hasSession && !hasBinding) throw new DeadlineExceeded(DEADLINE_MS.withFallback);
    this.#areHanging = !hasSession;
    if (hasSession) await bySession;
  }
}
