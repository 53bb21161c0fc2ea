/**
 * An exact sliding window: no span of `windowMs`, wherever it starts, ever holds more than `limit` admitted requests.
 *
 * It keeps the times of the last `limit` admissions in a ring. The oldest of them is the admission `limit` requests ago,
 * so a request may pass exactly when that one has left the window, and nothing is ever swept. Under a limit that was lowered the
 * ring is as long as what counted before, leases included: the limit may be raised again.
 *
 * Time comes in as an argument, in Unix milliseconds. When the clock steps back, admissions that lie ahead of it are dated
 * now: later than they were, so the limit still holds, and no wait is longer than the window. When it jumps forward, time
 * that has not passed counts as passed: admissions leave the window early by as much.
 */

/** No limit is higher: of more admissions, the oldest say nothing. */
export const MAX_LIMIT = 10_000;

/** At most `limit` requests in any `windowMs` milliseconds. */
export type RateLimit = { readonly limit: number; readonly windowMs: number };

/**
 * The window's decision. `waitMs` is the time until the oldest admission leaves the window:
 * when nothing remains, nothing can be admitted before then.
 */
export type WindowDecision = { readonly admitted: boolean; readonly remaining: number; readonly waitMs: number };

export class SlidingWindow {
  readonly rateLimit: RateLimit;
  readonly #ring: Float64Array;
  /** The index of the oldest admission, which the next one overwrites. */
  #oldest = 0;

  /**
   * `times` are earlier admissions, oldest first: those that `times()` gave, under this limit or another. `reserved` are counted
   * elsewhere, and may be added.
   */
  constructor(rateLimit: RateLimit, times: Float64Array = new Float64Array(), reserved = 0) {
    this.rateLimit = rateLimit;
    this.#ring = new Float64Array(Math.max(rateLimit.limit, times.length + reserved)).fill(Number.NEGATIVE_INFINITY);
    this.#ring.set(times, this.#ring.length - times.length);
  }

  /** `reserved` admissions, which are counted elsewhere, take their part of the limit; their end is no part of `waitMs`. */
  admit(now: number, reserved = 0): WindowDecision {
    const left = this.left(now);
    const admitted = left > reserved;
    if (admitted) this.add(now);
    const free = admitted ? left - 1 : left;
    return { admitted, remaining: Math.max(0, free - reserved), waitMs: this.leavesMs(now) };
  }

  /** Counts an admission of `at`, which may be earlier than others. */
  add(at: number): void {
    // All are newer: what they are followed by does not depend on this one.
    if (at < this.#at(0)) return;
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
    let position = this.#ring.length - 1;
    for (; position > 0 && this.#at(position - 1) > at; position--) this.#set(position, this.#at(position - 1));
    this.#set(position, at);
  }

  /** How many admissions are later than `at`. */
  since(at: number): number {
    let low = 0;
    let high = this.#ring.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#ring.length - low;
  }

  /** The time until the oldest admission leaves the window, of those that are no more than the limit; infinite when there is none. */
  leavesMs(now: number): number {
    this.#dateNoLaterThan(now);
    const count = this.#countAt(now);
    if (count === 0) return Number.POSITIVE_INFINITY;
    return this.#at(this.#ring.length - Math.min(count, this.rateLimit.limit)) + this.rateLimit.windowMs - now;
  }

  /** How many requests could be admitted at `now`, if nothing were counted elsewhere. */
  left(now: number): number {
    this.#dateNoLaterThan(now);
    return Math.max(0, this.rateLimit.limit - this.#countAt(now));
  }

  /**
   * The admissions of the last `windowMs` before `now` that this window has kept, oldest first: enough for a later window of any limit
   * to continue exactly.
   */
  times(now: number, windowMs = this.rateLimit.windowMs): Float64Array {
    const count = this.since(now - windowMs);
    return Float64Array.from({ length: count }, (_, index) => this.#at(this.#ring.length - count + index));
  }

  /** How many admissions are in the window. */
  #countAt(now: number): number {
    return this.since(now - this.rateLimit.windowMs);
  }

  #dateNoLaterThan(latest: number): void {
    for (let position = this.#ring.length - 1; position >= 0 && this.#at(position) > latest; position--)
      this.#set(position, latest);
  }

  /** The time of the admission at `position`, 0 being the oldest. */
  #at(position: number): number {
    return this.#ring[(this.#oldest + position) % this.#ring.length] ?? Number.NEGATIVE_INFINITY;
  }

  #set(position: number, at: number): void {
    this.#ring[(this.#oldest + position) % this.#ring.length] = at;
  }
}
