/**
 * An exact sliding window: no span of `windowMs`, wherever it starts, ever holds more than `limit` admitted requests.
 *
 * It keeps the times of the last `limit` admissions in a ring. The oldest of them is the admission `limit` requests ago,
 * so a request may pass exactly when that one has left the window, and nothing is ever swept.
 *
 * Time comes in as an argument, in Unix milliseconds. When the clock steps back, admissions that lie ahead of it are dated
 * now: later than they were, so the limit still holds, and no wait is longer than the window. When it jumps forward, time
 * that has not passed counts as passed: admissions leave the window early by as much.
 */

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

  /** `times` are earlier admissions, oldest first: those that `times()` gave, under this limit or another. */
  constructor(rateLimit: RateLimit, times: Float64Array = new Float64Array()) {
    this.rateLimit = rateLimit;
    this.#ring = new Float64Array(rateLimit.limit).fill(Number.NEGATIVE_INFINITY);
    const newest = times.subarray(Math.max(0, times.length - rateLimit.limit));
    this.#ring.set(newest, rateLimit.limit - newest.length);
  }

  /** `reserved` admissions, which are counted elsewhere, take their part of the limit; their end is no part of `waitMs`. */
  admit(now: number, reserved = 0): WindowDecision {
    const left = this.left(now);
    const admitted = left > reserved;
    if (admitted) this.add(now);
    const free = admitted ? left - 1 : left;
    return { admitted, remaining: Math.max(0, free - reserved), waitMs: this.#leavesMs(now, free) };
  }

  /** Counts an admission of `at`, which may be earlier than others. */
  add(at: number): void {
    // All are newer: what they are followed by does not depend on this one.
    if (at < this.#at(0)) return;
    this.#oldest = (this.#oldest + 1) % this.rateLimit.limit;
    let position = this.rateLimit.limit - 1;
    for (; position > 0 && this.#at(position - 1) > at; position--) this.#set(position, this.#at(position - 1));
    this.#set(position, at);
  }

  /** How many admissions are later than `at`. */
  since(at: number): number {
    return this.rateLimit.limit - this.#countUntil(at);
  }

  /** The time until the oldest admission leaves the window; infinite when there is none. */
  leavesMs(now: number): number {
    return this.#leavesMs(now, this.left(now));
  }

  /** How many requests could be admitted at `now`, if nothing were counted elsewhere. */
  left(now: number): number {
    this.#dateNoLaterThan(now);
    return this.#countUntil(now - this.rateLimit.windowMs);
  }

  /**
   * The admissions that still count at `now`, oldest first: enough for a later window of the same limit to continue exactly.
   * With a higher limit or a longer window it continues with the admissions that this one has kept.
   */
  times(now: number): Float64Array {
    const left = this.#countUntil(now - this.rateLimit.windowMs);
    return Float64Array.from({ length: this.rateLimit.limit - left }, (_, index) => this.#at(left + index));
  }

  #leavesMs(now: number, left: number): number {
    const oldest = left < this.rateLimit.limit ? this.#at(left) : Number.POSITIVE_INFINITY;
    return oldest + this.rateLimit.windowMs - now;
  }

  #dateNoLaterThan(latest: number): void {
    const { limit } = this.rateLimit;
    for (let position = limit - 1; position >= 0 && this.#at(position) > latest; position--)
      this.#set(position, latest);
  }

  /** The time of the admission at `position`, 0 being the oldest. */
  #at(position: number): number {
    return this.#ring[(this.#oldest + position) % this.rateLimit.limit] ?? Number.NEGATIVE_INFINITY;
  }

  #set(position: number, at: number): void {
    this.#ring[(this.#oldest + position) % this.rateLimit.limit] = at;
  }

  /** How many of the ring's admissions are not later than `at`. */
  #countUntil(at: number): number {
    let low = 0;
    let high = this.rateLimit.limit;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
