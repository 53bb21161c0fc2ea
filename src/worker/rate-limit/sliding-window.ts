/**
 * An exact sliding window: no span of `windowMs`, wherever it starts, ever holds more than `limit` admitted requests.
 *
 * A ring keeps the times of the last `limit` admissions. The oldest of them is `limit` requests ago, so a request may pass
 * exactly when that one has left the window, and nothing is ever swept. After the limit was lowered, the ring keeps everything
 * that counted before, leases included, because the limit may be raised again.
 *
 * Time is an argument, in Unix milliseconds. When the clock steps back, admissions that lie ahead of it are dated now. That is
 * later than they were, so the limit still holds, and no wait is longer than the window. When the clock jumps forward, the
 * skipped time counts as passed, so admissions leave the window earlier by as much.
 */

/** The highest possible limit. Admissions older than the last 10,000 cannot matter. */
export const MAX_LIMIT = 10_000;
/** The widest window. Gates keep their admissions this long. */
export const MAX_WINDOW_SECONDS = 3_600;

/** At most `limit` requests in any `windowMs` milliseconds. */
export type RateLimit = { readonly limit: number; readonly windowMs: number };

/** `waitMs` is the time until the oldest admission leaves the window. When nothing remains, nothing can be admitted before then. */
export type WindowDecision = { readonly admitted: boolean; readonly remaining: number; readonly waitMs: number };

export class SlidingWindow {
  readonly rateLimit: RateLimit;
  readonly #ring: Float64Array;
  /** The index of the oldest admission. The next admission overwrites it. */
  #oldest = 0;

  /**
   * `times` are earlier admissions, oldest first, as `times()` returned them under this limit or another. `reserved` admissions
   * are counted elsewhere and may be added later.
   */
  constructor(rateLimit: RateLimit, times: Float64Array = new Float64Array(), reserved = 0) {
    this.rateLimit = rateLimit;
    this.#ring = new Float64Array(Math.max(rateLimit.limit, times.length + reserved)).fill(Number.NEGATIVE_INFINITY);
    this.#ring.set(times, this.#ring.length - times.length);
  }

  /** `reserved` admissions are counted elsewhere and take their part of the limit. `waitMs` does not consider their end. */
  admit(now: number, reserved = 0): WindowDecision {
    const left = this.left(now);
    const admitted = left > reserved;
    if (admitted) this.add(now);
    const free = admitted ? left - 1 : left;
    return { admitted, remaining: Math.max(0, free - reserved), waitMs: this.leavesMs(now) };
  }

  /** Counts an admission at `at`, which may be earlier than others. */
  add(at: number): void {
    // All kept admissions are newer, so this one cannot matter.
    if (at < this.#at(0)) return;
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
    let position = this.#ring.length - 1;
    for (; position > 0 && this.#at(position - 1) > at; position--) this.#set(position, this.#at(position - 1));
    this.#set(position, at);
  }

  /** The number of admissions later than `at`. */
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

  /** The time until the oldest admission leaves the window, among the last `limit` ones; infinite when there is none. */
  leavesMs(now: number): number {
    this.#dateNoLaterThan(now);
    const count = this.#countAt(now);
    if (count === 0) return Number.POSITIVE_INFINITY;
    return this.#at(this.#ring.length - Math.min(count, this.rateLimit.limit)) + this.rateLimit.windowMs - now;
  }

  /** The number of requests that could be admitted at `now`, if nothing were counted elsewhere. */
  left(now: number): number {
    this.#dateNoLaterThan(now);
    return Math.max(0, this.rateLimit.limit - this.#countAt(now));
  }

  /**
   * The kept admissions of the last `windowMs` before `now`, oldest first. A later window of any limit can continue exactly from
   * them.
   */
  times(now: number, windowMs = this.rateLimit.windowMs): Float64Array {
    const count = this.since(now - windowMs);
    return Float64Array.from({ length: count }, (_, index) => this.#at(this.#ring.length - count + index));
  }

  /** The number of admissions in the window. */
  #countAt(now: number): number {
    return this.since(now - this.rateLimit.windowMs);
  }

  #dateNoLaterThan(latest: number): void {
    for (let position = this.#ring.length - 1; position >= 0 && this.#at(position) > latest; position--)
      this.#set(position, latest);
  }

  /** The time of the admission at `position`; 0 is the oldest. */
  #at(position: number): number {
    return this.#ring[(this.#oldest + position) % this.#ring.length] ?? Number.NEGATIVE_INFINITY;
  }

  #set(position: number, at: number): void {
    this.#ring[(this.#oldest + position) % this.#ring.length] = at;
  }
}
