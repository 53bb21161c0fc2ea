/**
 * The D1 sessions of one database, and what is used while they hang.
 *
 * Sessions have hung for hours where the plain binding answered (emdash-cms/emdash#1273, #1715, #1864). So when a call has not been
 * answered for a little more than two seconds, both are asked. If only the binding answers, it is used in place of sessions: it is the primary, so
 * what it reads is fresh and what it writes is there. It has no bookmark of its own. Sessions are tried again every ten seconds.
 */
import { answerWithin, DEADLINE_MS, hasSettledWithin, isWithin } from "../memory/deadline.ts";
import { laterOf } from "./anchors.ts";
import { pingDatabase } from "./ping.ts";

/** For how long a session or the binding is waited for, in milliseconds, and how long until it is asked again. */
const PATIENCE_MS = DEADLINE_MS.withFallback;
/** A call that has not been answered for so long, in milliseconds, makes it worth asking. */
export const DOUBTED_AFTER_MS = 2_200;
const AGAIN_MS = 10_000;
const LOG_AGAIN_MS = 60_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export class Sessions {
  #areHanging = false;
  #checkedAt = LONG_AGO;
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
  open(database: D1Database, start: D1SessionBookmark | D1SessionConstraint): D1DatabaseSession {
    if (!this.#areHanging) return database.withSession(start);
    const now = Date.now();
    if (!isWithin(this.#loggedAt, now, LOG_AGAIN_MS)) {
      this.#loggedAt = now;
      console.warn("D1 sessions hang, while the database answers without them: the binding is used in their place");
    }
    return withoutSession(database, () => this.#latest);
  }

  /** Whether it is time to find out which of the two answers. */
  isCheckDue(now: number): boolean {
    return !isWithin(this.#checkedAt, now, this.#areHanging ? AGAIN_MS : PATIENCE_MS);
  }

  /** Asks both. `database` has no deadlines of its own. Never rejects. */
  async check(database: D1Database): Promise<void> {
    this.#checkedAt = Date.now();
    const bySession = hasSettledWithin(PATIENCE_MS, pingDatabase(database.withSession("first-primary")));
    const byBinding = answerWithin(PATIENCE_MS, pingDatabase(database)).then(
      () => true,
      () => false,
    );
    const [sessionSettled, bindingAnswered] = await Promise.all([bySession, byBinding]);
    // When neither answers, it is the database that hangs, and nothing is known of its sessions.
    if (sessionSettled || bindingAnswered) this.#areHanging = !sessionSettled;
  }
}

/** The primary without a session. `getBookmark` says from where on it has everything. */
export const withoutSession = (
  database: D1Database,
  getBookmark: () => D1SessionBookmark | null = () => null,
): D1DatabaseSession => ({
  prepare: (sql) => database.prepare(sql),
  batch: (statements) => database.batch(statements),
  getBookmark,
});
