/**
 * Whether a database's primary is known to hang, or its replica near an isolate: one says nothing of the other. D1 has hung for a
 * minute at a time: then nobody waits in line for it.
 *
 * When a call has missed its deadline, and none that began after it was answered, the database is asked for nothing but a sign of
 * life, once a second. When that was not answered for half a second, the database is known to hang: every other call is refused at once, and
 * so are those that have begun in that half second. Any answer ends it; a call that only fails does, too. When no sign of
 * life was asked for in two seconds, because nobody needed the database, the half second begins anew.
 */
import { DEADLINE_MS, hasSettledWithin, isWithin, type WaitUntil } from "../memory/deadline.ts";

/** How long a healthy database may take for a sign of life, in milliseconds: the farthest primary takes less. */
const GRACE_MS = 500;
const INTERVAL_MS = 1_000;
const KNOWN_MS = 2_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** Asks for a sign of life: settles when the database has answered. */
export type Ping = () => Promise<unknown>;

export class Pulse {
  #askedAt = LONG_AGO;
  /** When a call was last answered, and when the last one had begun of those that were. */
  #answeredAt = LONG_AGO;
  #answeredBegan = LONG_AGO;
  /** Since when a sign of life has been waited for, and when the last one was asked for. */
  #silentSince: number | undefined;
  #pingedAt = LONG_AGO;

  /** Whether a call would wait for nothing. Once a second it asks for a sign of life, which `waitUntil` keeps under way. */
  isHanging(now: number, ping: Ping, waitUntil: WaitUntil): boolean {
    if (this.#silentSince === undefined) return false;
    if (!isWithin(this.#pingedAt, now, KNOWN_MS)) this.#silentSince = now;
    if (!isWithin(this.#pingedAt, now, INTERVAL_MS)) this.#ping(now, ping, waitUntil);
    return !isWithin(this.#silentSince, now, GRACE_MS);
  }

  /** How long it takes, in milliseconds, until it is known whether the database hangs; undefined when there is no doubt. */
  doubtMs(now: number): number | undefined {
    return this.#silentSince === undefined ? undefined : Math.max(0, this.#silentSince + GRACE_MS - now);
  }

  /** A call begins. An answer that came later, by a clock that has stepped back since, is forgotten. */
  began(now: number): void {
    this.#askedAt = now;
    if (Math.max(this.#answeredAt, this.#answeredBegan) > now) this.#answeredAt = this.#answeredBegan = LONG_AGO;
  }

  wasAskedSince(since: number): boolean {
    return this.#askedAt >= since;
  }

  /** Something that began at `since` has missed its deadline. A call from the future of a clock that has stepped back says nothing. */
  missed(since: number, now: number, ping: Ping, waitUntil: WaitUntil): void {
    if (this.#answeredBegan <= since || this.#answeredBegan > now) this.doubt(now, ping, waitUntil);
  }

  /** Somebody got no answer: it is asked for a sign of life. One that has just answered does not hang. */
  doubt(now: number, ping: Ping, waitUntil: WaitUntil): void {
    if (this.#silentSince !== undefined || isWithin(this.#answeredAt, now, INTERVAL_MS)) return;
    this.#silentSince = now;
    this.#ping(now, ping, waitUntil);
  }

  /** A call that began at `began` has ended, whatever with. */
  ended(began: number, now: number): void {
    this.#answeredAt = now;
    this.#answeredBegan = Math.max(began, this.#answeredBegan);
    this.#silentSince = undefined;
  }

  #ping(now: number, ping: Ping, waitUntil: WaitUntil): void {
    this.#pingedAt = now;
    const end = () => this.ended(now, Date.now());
    waitUntil(hasSettledWithin(DEADLINE_MS.without, ping().then(end, end)).then(() => {}));
  }
}
