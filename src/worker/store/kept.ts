/**
 * The last value that a store gave. It is answered while it is young, read anew after an answer, and serves through an outage.
 *
 * - **By age.** A value younger than `freshMs` is answered; from `renewMs` on it is also read anew, after the answer. If it is older,
 *   or there is none, it is read first. Age counts from the beginning of the read to the beginning of the request.
 * - **One read at a time.** While one request reads, the others look at memory every few milliseconds. After a second one of them
 *   reads, too. Requests share values, never promises, because a promise never settles when its request ends early.
 * - **A pause after every read that failed**, or missed its deadline (2 s when a value can serve instead, 10 s otherwise). For a
 *   second, all get the kept value while it is at most five minutes old, else the failure.
 * - **Late answers count.** A read that missed its deadline goes on, and its value is kept.
 * - **Clocks.** A value or a failure from the future, because a clock has stepped back, is not fresh.
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
  /** Whether a failed read means that the store does not answer. Any other error is a defect: nothing is served instead. */
  readonly isOutage: (error: unknown) => boolean;
  /** Whether the next value is newer than the kept one (positive) or older (negative). When it is 0, the read that began later has the newer. */
  readonly compare?: (next: Value, kept: Value) => number;
  /** How old a value may be that serves through an outage, in milliseconds: five minutes, unless told. */
  readonly lastsMs?: number;
  /** A read has failed, or missed its deadline. `since` is when somebody began to wait for it. */
  readonly onOutage?: (error: unknown, since: number) => void;
};

export type Terms<Value> = {
  /** `isAhead`: nobody waits for it. */
  readonly load: (isAhead: boolean) => Promise<Value>;
  readonly freshMs: number;
  /** Without it, or without `waitUntil`, the value is not read anew after an answer. */
  readonly renewMs?: number;
  /** Whether a value that is young enough will do. */
  readonly accepts?: (value: Value) => boolean;
  /** Whether an older value may serve through an outage: yes, unless this is false. */
  readonly servesOutage?: false;
  /** Keeps a read under way when its request ends. */
  readonly waitUntil?: WaitUntil | undefined;
};

export const OUTAGE_MS = 5 * 60_000;
/** After a failed read, and until a request reads beside another that does not end, in milliseconds. */
const PAUSE_MS = 1_000;
/** How often a request looks at memory while another reads, and while it reads itself, in milliseconds. */
const LOOK_MS = { beside: 10, reading: 100 } as const;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export class Kept<Value> {
  readonly #options: KeptOptions<Value>;
  readonly #now: () => number;
  #kept: Dated<Value> | undefined;
  /** When the last read began that is under way. */
  #readingSince = LONG_AGO;
  /** When the value was last said to have changed. */
  #expiredAt = LONG_AGO;
  /** How often the value was forgotten: a read from before that brings nothing. */
  #forgotten = 0;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(options: KeptOptions<Value>, kept?: Dated<Value>) {
    this.#options = options;
    this.#now = options.now;
    this.#kept = kept;
  }

  /** The kept value, of any age. */
  get last(): Dated<Value> | undefined {
    return this.#kept;
  }

  /** The value from memory; undefined when a read has to come first. */
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
      const young = this.young(terms, Math.min(began, now));
      if (young !== undefined) return young;
      const fallback = terms.servesOutage === false ? undefined : this.#lasting(now);
      const deadlineMs = fallback === undefined ? DEADLINE_MS.without : DEADLINE_MS.withFallback;
      if (now - began >= deadlineMs) {
        const missed = new DeadlineExceeded(deadlineMs);
        this.#fail(missed, began);
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
        // The kept value may be newer than the one that was read.
        if ((await own) && this.#kept !== undefined) return this.#kept.value;
        own = undefined;
      }
    }
  }

  /** Takes what another read has brought along, which began at `readAt`. */
  offer(value: Value, readAt: number): void {
    const kept = this.#kept;
    this.#failure = undefined;
    if (kept === undefined || kept.readAt > this.#now()) {
      this.#kept = { value, readAt };
      return;
    }
    const order = this.#options.compare?.(value, kept.value) || readAt - kept.readAt;
    // A value that is still the newest is as fresh as the last read that has found it so.
    this.#kept = { value: order < 0 ? kept.value : value, readAt: Math.max(readAt, kept.readAt) };
  }

  /** The value has changed. One that was read before serves in an outage only. */
  expire(): void {
    this.#expiredAt = this.#now();
  }

  /** The value has changed. The kept one never serves again, not even in an outage, nor does that of a read under way. */
  forget(): void {
    this.#forgotten += 1;
    this.#kept = undefined;
    this.#failure = undefined;
    this.#readingSince = LONG_AGO;
  }

  /** The value that may serve through an outage. */
  #lasting(now: number): Dated<Value> | undefined {
    const kept = this.#kept;
    return kept !== undefined && isWithin(kept.readAt, now, (this.#options.lastsMs ?? OUTAGE_MS) + 1)
      ? kept
      : undefined;
  }

  /** Nobody waits for it. It has the shorter deadline still, so that the next request need not find out that the store hangs. */
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

  /** Whether it has brought the value. Never rejects. */
  async #read({ load }: Terms<Value>, isAhead: boolean): Promise<boolean> {
    const forgotten = this.#forgotten;
    const readAt = this.#now();
    this.#readingSince = readAt;
    try {
      const value = await load(isAhead);
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
    // A read that has hung for ten seconds says that the store was late after two, and nothing of the time since.
    this.#failure = { error, at: hasHung(error) ? Math.min(now, since + DEADLINE_MS.withFallback) : now };
  }

  #isPaused(now: number): boolean {
    return this.#failure !== undefined && isWithin(this.#failure.at, now, PAUSE_MS);
  }

  #isOutage(error: unknown): boolean {
    return error instanceof DeadlineExceeded || this.#options.isOutage(error);
  }
}
