/**
 * A lease: admissions that a gate grants to an isolate, which then decides requests by itself, without a call. Pure; the
 * isolate's side. The gate's side, and why the limit holds, is leased-window.ts.
 *
 * The isolate measures the lease from before it sent its call, and by durations only: no clocks are compared. It stops a tenth
 * before the gate does, for clocks that run at different speeds or stand still while JavaScript runs.
 */

/** `forMs` is how long the gate counts on it, in milliseconds. */
export type Lease = { readonly id: string; readonly admissions: number; readonly forMs: number };

/** The report of a lease that has ended: how many of the admissions it has used. */
export type LeaseReport = { readonly id: string; readonly used: number };

/** A lease ends for its isolate after this share of what the gate counts on. */
const USABLE = 9 / 10;
/** The next lease is asked for when this share of the admissions was used, and not before this share of the time has passed. */
const DUE = 2 / 3;
const SECOND_MS = 1_000;
const BURST_MS = 100;
/** Each request sees the time of its own last I/O: one may be this far behind another. */
const CLOCK_JITTER_MS = 50;

export class HeldLease {
  readonly #lease: Lease;
  /** Before the gate was called, in Unix milliseconds. */
  readonly #since: number;
  /** After so many milliseconds the next one is asked for. */
  readonly #dueMs: number;
  #lastSeen: number;
  #used = 0;

  /** `aheadMs`: how long before its end the next one is asked for, at most. */
  constructor(lease: Lease, since: number, aheadMs: number) {
    this.#lease = lease;
    this.#since = since;
    this.#dueMs = this.usableMs - Math.min(Math.max(0, aheadMs), this.usableMs * (1 - DUE));
    this.#lastSeen = since;
  }

  get use(): LeaseReport {
    return { id: this.#lease.id, used: this.#used };
  }

  get left(): number {
    return this.#lease.admissions - this.#used;
  }

  /** How long the lease may be used from its beginning, in milliseconds. */
  get usableMs(): number {
    return this.#lease.forMs * USABLE;
  }

  /** Admits a request at `now`, unless the lease has ended or is used up. */
  admit(now: number): boolean {
    const at = Math.max(now, this.#lastSeen);
    // A clock that has stepped back says nothing of how long the lease lasts.
    if (at - now > CLOCK_JITTER_MS || this.isOver(at)) return false;
    this.#lastSeen = at;
    this.#used += 1;
    return true;
  }

  isOver(now: number): boolean {
    return now - this.#since >= this.usableMs || this.left === 0;
  }

  isDue(now: number): boolean {
    return now - this.#since >= this.#dueMs || this.#used >= this.#lease.admissions * DUE;
  }
}

/**
 * How many requests come in a second: those of the running second, and of the one before as far as it reaches. The first tenth
 * of a second counts as no use: requests that come together are all under way to the gate, and none of them could use a lease.
 */
export class RequestRate {
  #second = Number.NEGATIVE_INFINITY;
  #count = 0;
  #before = 0;
  /** When the use began that has not paused since, in Unix milliseconds. */
  #since = 0;

  /** Counts a request at `now` (Unix milliseconds). */
  count(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    if (second !== this.#second && second !== this.#second - 1) {
      this.#before = second === this.#second + 1 ? this.#count : 0;
      if (this.#before === 0) this.#since = now;
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
  }

  /** At `now`, in which a request was just counted; 0 at the beginning of a use. */
  perSecond(now: number): number {
    if (now - this.#since < BURST_MS) return 0;
    const passed = Math.max(0, now / SECOND_MS - this.#second);
    return this.#count + this.#before * (1 - passed);
  }
}
