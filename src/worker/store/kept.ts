/**
 * The last value that a store returned. `Terms` says how old it may be, and when it is refreshed after an answer.
 *
 * - **One read at a time.** The other requests check memory every few milliseconds; after a second one of them reads, too.
 *   Requests share values, never promises, because a promise never settles when its request ends early.
 * - **Outages.** When a read fails or misses its deadline, the kept value is used if it is at most five minutes old. Then nobody
 *   reads for a second. After a hang this second starts at the two-second deadline, so ten seconds after the read it is over.
 * - **Late answers count.** A read that missed its deadline continues, and its value is kept.
 * - **Clocks.** When a clock has stepped back, a value or a failure from the future does not count as fresh.
 */
import {
  DEADLINE_MS,
  DeadlineExceeded,
  hasHung,
  hasSettledWithin,
  isWithin,
  type WaitUntil,
  wait,
} from "./deadline.ts";

/** `readAt` is when the read began, in Unix milliseconds. */
export type Dated<Value> = { readonly value: Value; readonly readAt: number };

export type KeptOptions<Value> = {
  /** The clock, in Unix milliseconds. */
  readonly now: () => number;
  /** Whether a failed read means that the store does not answer. Any other error is a defect, which no kept value may hide. */
  readonly isOutage: (error: unknown) => boolean;
  /** Positive when `next` is newer than `kept`, negative when it is older. On 0, the value of the later read is the newer one. */
  readonly compare?: (next: Value, kept: Value) => number;
  /** During an outage a value may be this old, in milliseconds. The default is five minutes. */
  readonly lastsMs?: number;
  /** Called when a read has failed or missed its deadline. `since` is when the waiting began. */
  readonly onOutage?: (error: unknown, since: number) => void;
};

export type Terms<Value> = {
  /** `isBackground`: no request waits for this read. */
  readonly load: (isBackground: boolean) => Promise<Value>;
  /** A younger value is answered from memory. Age counts from the beginning of the read to the beginning of the request. */
  readonly freshMs: number;
  /** When the request began, if that was before: what was read since then is fresh. In Unix milliseconds. */
  readonly since?: number | undefined;
  /** From this age on, the value is refreshed after an answer; never without it or without `waitUntil`. */
  readonly renewMs?: number;
  /** Whether a young value is good enough for this request. */
  readonly accepts?: (value: Value) => boolean;
  /** False: an older value is not used during an outage. */
  readonly servesOutage?: false;
  /** The request waits no longer than this, in milliseconds, whatever a read may take. */
  readonly withinMs?: number;
  /** Keeps a read alive when its request ends. */
  readonly waitUntil?: WaitUntil | undefined;
};

export const OUTAGE_MS = 5 * 60_000;
/** In milliseconds: the pause after a failed read, and the time that a request waits for another's read before it reads too. */
const PAUSE_MS = 1_000;
/** Milliseconds between two looks at memory: while another request reads, and while this one reads. */
const LOOK_MS = { beside: 10, reading: 100 } as const;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export class Kept<Value> {
  readonly #options: KeptOptions<Value>;
  readonly #now: () => number;
  #kept: Dated<Value> | undefined;
  /** The beginning of the last read that is still under way. */
  #readingSince = LONG_AGO;
  /** When `expire` was last called. */
  #expiredAt = LONG_AGO;
  /** Counts the calls of `forget`: a read that began before the last one brings no value. */
  #forgotten = 0;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(options: KeptOptions<Value>, kept?: Dated<Value>) {
    this.#options = options;
    this.#now = options.now;
    this.#kept = kept;
  }

  /** The kept value, whatever its age. */
  get last(): Dated<Value> | undefined {
    return this.#kept;
  }

  /** The value from memory, and a read after the answer when one is due; undefined when a read has to come first. */
  young(terms: Terms<Value>, since = this.#now()): Value | undefined {
    const kept = this.#kept;
    const now = this.#now();
    if (kept === undefined || kept.readAt > now || terms.accepts?.(kept.value) === false) return undefined;
    if (kept.readAt <= this.#expiredAt && this.#expiredAt <= now) return undefined;
    if (kept.readAt < since && since - kept.readAt >= terms.freshMs) return undefined;
    this.#renew(terms, kept, now);
    return kept.value;
  }

  /** The value. Rejects as `load` does, or with `DeadlineExceeded`. */
  async get(terms: Terms<Value>): Promise<Value> {
    const began = this.#now();
    let own: Promise<boolean> | undefined;
    for (;;) {
      const now = this.#now();
      const young = this.young(terms, Math.min(terms.since ?? began, began, now));
      if (young !== undefined) return young;
      const fallback = terms.servesOutage === false ? undefined : this.#lasting(now);
      const ownMs = fallback === undefined ? DEADLINE_MS.without : DEADLINE_MS.withFallback;
      const deadlineMs = Math.min(ownMs, terms.withinMs ?? ownMs);
      if (now - began >= deadlineMs) {
        const missed = new DeadlineExceeded(deadlineMs);
        if (hasHung(missed)) this.#fail(missed, began);
        if (fallback !== undefined) return fallback.value;
        throw missed;
      }
      if (this.#isPaused(now)) {
        const error = this.#failure?.error;
        if (fallback !== undefined && this.#isOutage(error)) return fallback.value;
        throw error;
      }
      if (own === undefined && !isWithin(this.#readingSince, now, PAUSE_MS)) {
        own = this.#read(terms, false);
        terms.waitUntil?.(own.then(() => {}));
      }
      const leftMs = deadlineMs - (now - began);
      if (own === undefined) await wait(Math.min(LOOK_MS.beside, leftMs));
      else if (await hasSettledWithin(Math.min(LOOK_MS.reading, leftMs), own)) {
        // The kept value may be newer than the value of this request's read.
        if ((await own) && this.#kept !== undefined) return this.#kept.value;
        own = undefined;
      }
    }
  }

  /** Takes a value from another read, which began at `readAt`. */
  offer(value: Value, readAt: number): void {
    const kept = this.#kept;
    this.#failure = undefined;
    if (kept === undefined || kept.readAt > this.#now()) {
      this.#kept = { value, readAt };
      return;
    }
    const order = this.#options.compare?.(value, kept.value) || readAt - kept.readAt;
    // A read that finds the kept value still the newest one makes it fresh again.
    this.#kept = { value: order < 0 ? kept.value : value, readAt: Math.max(readAt, kept.readAt) };
  }

  /** The store's value has changed. A value that was read before is used only in an outage. */
  expire(): void {
    this.#expiredAt = this.#now();
  }

  /**
   * The store's value has changed. The kept value is never used again, not even in an outage, and neither is the value of a read
   * under way.
   */
  forget(): void {
    this.#forgotten += 1;
    this.#kept = undefined;
    this.#failure = undefined;
    this.#readingSince = LONG_AGO;
  }

  /** The value that may be used through an outage. */
  #lasting(now: number): Dated<Value> | undefined {
    const kept = this.#kept;
    return kept !== undefined && isWithin(kept.readAt, now, (this.#options.lastsMs ?? OUTAGE_MS) + 1)
      ? kept
      : undefined;
  }

  /**
   * Reads after the answer. No request waits, but the shorter deadline holds, so that the next request need not find out that the
   * store hangs.
   */
  #renew(terms: Terms<Value>, { readAt }: Dated<Value>, now: number): void {
    const { renewMs, waitUntil } = terms;
    if (renewMs === undefined || waitUntil === undefined || isWithin(readAt, now, renewMs)) return;
    if (isWithin(this.#readingSince, now, PAUSE_MS) || this.#isPaused(now)) return;
    const read = this.#read(terms, true);
    const inTime = hasSettledWithin(DEADLINE_MS.withFallback, read).then((isSettled) => {
      if (!isSettled) this.#fail(new DeadlineExceeded(DEADLINE_MS.withFallback), now);
    });
    waitUntil(inTime.then(() => read).then(() => {}));
  }

  /** True when the read has brought a value. Never rejects. */
  async #read({ load }: Terms<Value>, isBackground: boolean): Promise<boolean> {
    const forgotten = this.#forgotten;
    const readAt = this.#now();
    this.#readingSince = readAt;
    try {
      const value = await load(isBackground);
      if (forgotten !== this.#forgotten) return false;
      this.offer(value, readAt);
      return true;
    } catch (error) {
      if (forgotten === this.#forgotten) this.#fail(error, readAt);
      return false;
    } finally {
      if (forgotten === this.#forgotten && this.#readingSince === readAt) this.#readingSince = LONG_AGO;
    }
  }

  #fail(error: unknown, since: number): void {
    if (this.#isOutage(error)) this.#options.onOutage?.(error, since);
    const now = this.#now();
    // A read that has hung for ten seconds proves only that the store was late after two seconds.
    this.#failure = { error, at: hasHung(error) ? Math.min(now, since + DEADLINE_MS.withFallback) : now };
  }

  #isPaused(now: number): boolean {
    return this.#failure !== undefined && isWithin(this.#failure.at, now, PAUSE_MS);
  }

  #isOutage(error: unknown): boolean {
    return error instanceof DeadlineExceeded || this.#options.isOutage(error);
  }
}
