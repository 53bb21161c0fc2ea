/**
 * The isolate's side of a lease: admissions that a gate grants to an isolate, which then decides requests without a call. Pure.
 * leased-window.ts has the gate's side, and explains why the limit holds.
 *
 * The isolate measures the lease from before its call, and measures durations only, so no two clocks are compared. It stops a
 * tenth earlier than the gate assumes, because clocks run at different speeds, and stand still while JavaScript runs.
 */

/** The gate counts on the lease for `forMs` milliseconds. */
export type Lease = { readonly id: string; readonly admissions: number; readonly forMs: number };

/** `used` is the number of admissions that were used when the lease ended. */
export type LeaseReport = { readonly id: string; readonly used: number };

/** For its isolate, a lease ends after this share of `forMs`. */
const USABLE = 9 / 10;
/** The next lease is requested when this share of the admissions was used, but not before this share of the time. */
const DUE = 2 / 3;
const SECOND_MS = 1_000;
const BURST_MS = 100;
/** Each request sees the time of its own last I/O, so one may be this far behind another. */
const CLOCK_JITTER_MS = 50;

export class IsolateLease {
  readonly #lease: Lease;
  /** The time before the call to the gate, in Unix milliseconds. */
  readonly #since: number;
  /** The next lease is requested after this many milliseconds. */
  readonly #dueMs: number;
  #lastSeen: number;
  #used = 0;

  /** `aheadMs`: the next lease is requested at most this long before this one ends. */
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

  /** The lease may be used for this many milliseconds from its beginning. */
  get usableMs(): number {
    return this.#lease.forMs * USABLE;
  }

  /** Admits a request at `now`, unless the lease has ended or is used up. */
  admit(now: number): boolean {
    const at = Math.max(now, this.#lastSeen);
    // If the clock has stepped back, the lease's remaining time is unknown.
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
 * Measures the requests of each second: those of the running second, and a share of the one before. The first tenth of a second
 * counts as no use, because requests that come together are all on their way to the gate, and none of them could use a lease.
 */
export class RequestRate {
  #second = Number.NEGATIVE_INFINITY;
  #count = 0;
  #before = 0;
  /** The beginning of the current use, which has not paused since, in Unix milliseconds. */
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

  /** The rate at `now`, just after a request was counted; 0 at the beginning of a use. */
  perSecond(now: number): number {
    if (now - this.#since < BURST_MS) return 0;
    const passed = Math.max(0, now / SECOND_MS - this.#second);
    return this.#count + this.#before * (1 - passed);
  }
}
