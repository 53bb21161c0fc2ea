/**
 * The last value that a store gave: answered while it is young, read anew after answers, and served through an outage.
 *
 * - **By age.** Younger than `freshMs`, it is answered. From `renewMs` on it is also read anew, after the answer. Older, or none: it
 *   is read first. Age counts from the beginning of the read, to the beginning of the request. No timer plans anything.
 * - **Leader and followers.** Of the requests that need a read, one makes it (the leader). The others look at memory every few
 *   milliseconds, and are answered when it is there. If it is not there after a second, one of them reads, too. So the store is
 *   asked at most once a second, however slow it is and however many wait. Requests share values, never promises: a promise
 *   belongs to its request, and never settles when that request ends early.
 * - **Outage.** A read failed, or did not answer in time (2 s when a value can serve instead, 10 s otherwise). For a second, all are
 *   answered at once: with the kept value while it is at most five minutes old, else with the failure. Then one asks again, and the
 *   others are answered as before. A failure of two seconds ago says nothing any more.
 * - **Late answers count.** A read that missed its deadline is waited for by nobody. Should it answer, its value is kept.
 * - **Clocks.** A value from the future of a clock that has stepped back is not fresh, and serves no outage. A step is no time that
 *   anybody has waited.
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
export type Kept<Value> = { readonly value: Value; readonly readAt: number };

export type KeptValueOptions<Value> = {
  /** The clock, in Unix milliseconds. It may step. */
  readonly now: () => number;
  /** Whether a failed read means that the store does not answer. Any other error is a defect: nothing is served instead. */
  readonly isOutage: (error: unknown) => boolean;
  /** What is kept of two values; without it, that of the read that began later. */
  readonly newer?: (next: Value, kept: Value) => Value;
  /** Since when at most the store may hold another value (Unix milliseconds): an outage counts from it. Without it, `readAt`. */
  readonly trueAt?: (kept: Kept<Value>) => number;
  /** A second passes between two reads also when the first has answered. */
  readonly paced?: boolean;
  /** After so many milliseconds a read that has not answered is made again: a second, unless told. */
  readonly againMs?: number;
  /** A read has failed, or missed its deadline. `since` is when it began. */
  readonly onOutage?: (error: unknown, since: number) => void;
};

export type ReadTerms<Value> = {
  /** `isAhead`: nobody waits for it. */
  readonly load: (isAhead: boolean) => Promise<Value>;
  readonly freshMs: number;
  /** When the request began, which age counts to; without it, now. */
  readonly since?: number;
  /** Without it the value is not read anew after an answer. */
  readonly renewMs?: number;
  /** Whether a value that is young enough will do. */
  readonly accepts?: (value: Value) => boolean;
  /** What would do as well, looked at while the value is waited for: something else may bring it. */
  readonly instead?: () => Value | undefined;
  /** Whether an older value may serve through an outage: yes, unless this is false. */
  readonly servesOutage?: false;
  /** Keeps a read under way when its request ends. */
  readonly waitUntil?: WaitUntil | undefined;
};

/** How old a value may be that serves through an outage, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;
/** The store is asked at most this often, in milliseconds, while it does not answer. */
const PAUSE_MS = 1_000;
/** A read that begins later than this after a failure, in milliseconds, asks a store of which nothing is known. */
const RETRY_MS = 2_000;
/** How often a follower looks at memory at first, in milliseconds; four times as seldom later. */
const LOOK_MS = 5;
const SOON_MS = 100;
/** When the clock says that a look took longer, it has stepped forward: nobody has waited for that. */
const LONGEST_LOOK_MS = 200;

/** `since`: when the read began, or the request that waited for it. */
type Failure = { readonly error: unknown; readonly at: number; readonly since: number };

export class KeptValue<Value> {
  readonly #options: KeptValueOptions<Value>;
  #kept: Kept<Value> | undefined;
  #reads = 0;
  /** The last read that was answered, and the last one that failed. */
  #answered = 0;
  #failed = 0;
  /** When the last read began that is still under way, or that the pace counts from. */
  #leadingSince: number | undefined;
  /** Whether that read asks a store again that had just failed, or that had not answered such a read. */
  #isRetry = false;
  /** Reads up to this one began before the value was forgotten. */
  #forgotten = 0;
  #failure: Failure | undefined;

  constructor(options: KeptValueOptions<Value>, kept?: Kept<Value>) {
    this.#options = options;
    this.#kept = kept;
  }

  get kept(): Kept<Value> | undefined {
    return this.#kept;
  }

  /** After so long a read that is under way is late. */
  get #againMs(): number {
    return this.#options.againMs ?? PAUSE_MS;
  }

  /** What may serve through an outage. */
  get lasting(): Kept<Value> | undefined {
    const kept = this.#kept;
    const { now, trueAt = ({ readAt }) => readAt } = this.#options;
    return kept !== undefined && isWithin(trueAt(kept), now(), OUTAGE_MS + 1) ? kept : undefined;
  }

  /** Whether the store was last too late. */
  get isLate(): boolean {
    return this.#failureBy(this.#options.now())?.error instanceof DeadlineExceeded;
  }

  /** The value from memory, while it is young enough: undefined when a read has to come first. */
  young(terms: ReadTerms<Value>): Value | undefined {
    return this.#young(terms, this.#options.now());
  }

  /**
   * The value. Rejects as `load` does, or with `DeadlineExceeded`. A request that ends early takes nothing from the others: another
   * reads a second later.
   */
  async read(terms: ReadTerms<Value>): Promise<Value> {
    let lookedAt = this.#options.now();
    let since = terms.since ?? lookedAt;
    let waitedMs = 0;
    let own: Promise<boolean> | undefined;
    let [ownRead, ownSince] = [0, Number.NEGATIVE_INFINITY];
    for (;;) {
      const now = this.#options.now();
      since = Math.min(since, now);
      waitedMs += Math.min(Math.max(0, now - lookedAt), LONGEST_LOOK_MS);
      lookedAt = now;
      const young = this.#young(terms, since) ?? terms.instead?.();
      if (young !== undefined) return young;
      const fallback = terms.servesOutage === false ? undefined : this.lasting;
      const failure = this.#failureBy(now);
      if (failure !== undefined && isWithin(failure.at, now, PAUSE_MS)) {
        if (fallback !== undefined && this.#isOutage(failure.error)) return fallback.value;
        throw failure.error;
      }
      const deadlineMs = fallback === undefined ? DEADLINE_MS.without : DEADLINE_MS.withFallback;
      const leftMs = deadlineMs - waitedMs;
      if (leftMs <= 0) {
        const missed = new DeadlineExceeded(deadlineMs);
        this.#fail(missed, since);
        if (fallback !== undefined) return fallback.value;
        throw missed;
      }
      const isBehind = this.#isBehind(since, terms.freshMs);
      // A later read may have ended, and not have brought what this one wants: its own is still under way.
      const isReading = own !== undefined && ownRead > this.#forgotten && isWithin(ownSince, now, this.#againMs);
      const leads = !isReading && this.#mayLead(since, now, terms.freshMs);
      if (leads) {
        own = this.#load(terms, false);
        [ownRead, ownSince] = [this.#reads, now];
        terms.waitUntil?.(own.then(() => {}));
      }
      // The store has just failed, and is asked again: nobody waits for that with a value at hand, but one.
      const isAskedAgain = failure !== undefined && this.#isRetry && this.#isOutage(failure.error);
      if (fallback !== undefined && isAskedAgain && (own === undefined || (leads && isBehind))) return fallback.value;
      const lookMs = Math.min(leftMs, own === undefined && waitedMs < SOON_MS ? LOOK_MS : 4 * LOOK_MS);
      if (own === undefined) await wait(lookMs);
      else if (await hasSettledWithin(lookMs, own)) {
        // What is kept may be newer than what was read.
        if ((await own) && this.#kept !== undefined) return this.#kept.value;
        own = undefined;
      }
    }
  }

  /** Takes what another read has brought along, which began at `readAt`. */
  offer(value: Value, readAt: number): void {
    this.#keep({ value, readAt }, Number.POSITIVE_INFINITY);
  }

  /** The value has changed, and the kept one must never serve again: not even in an outage, nor that of a read under way. */
  forget(): void {
    this.#forgotten = this.#reads;
    this.#kept = undefined;
    this.#failure = undefined;
    this.#leadingSince = undefined;
  }

  #young(terms: ReadTerms<Value>, since: number): Value | undefined {
    const { freshMs, renewMs, accepts, waitUntil } = terms;
    const now = this.#options.now();
    const kept = this.#kept;
    if (kept === undefined || !isYoung(kept, since, now, freshMs) || accepts?.(kept.value) === false) return undefined;
    if (renewMs !== undefined && waitUntil !== undefined && !isWithin(kept.readAt, now, renewMs)) {
      const failure = this.#failureBy(now);
      const hasJustFailed = failure !== undefined && isWithin(failure.at, now, PAUSE_MS);
      if (!hasJustFailed && this.#mayLead(now, now, freshMs)) waitUntil(this.#renew(terms));
    }
    return kept.value;
  }

  /** Nobody reads, the read under way is late, or it began too early for this request: a store that has just failed is asked by one. */
  #mayLead(since: number, now: number, freshMs: number): boolean {
    const leadingSince = this.#leadingSince;
    if (leadingSince === undefined || !isWithin(leadingSince, now, this.#againMs)) return true;
    return !this.#options.paced && !this.#isRetry && leadingSince < since - freshMs;
  }

  /** An earlier read is under way that would do, too. */
  #isBehind(since: number, freshMs: number): boolean {
    return !this.#options.paced && this.#leadingSince !== undefined && this.#leadingSince >= since - freshMs;
  }

  /** Nobody waits for it, and still it has a deadline: who asks once the value is too old need not find out that the store hangs. */
  async #renew(terms: ReadTerms<Value>): Promise<void> {
    const since = this.#options.now();
    const reading = this.#load(terms, true);
    if (!(await hasSettledWithin(DEADLINE_MS.withFallback, reading)))
      this.#fail(new DeadlineExceeded(DEADLINE_MS.withFallback), since);
    await reading;
  }

  /** Whether the value was read, and is kept or superseded. Never rejects. */
  async #load({ load }: ReadTerms<Value>, isAhead: boolean): Promise<boolean> {
    this.#reads += 1;
    const read = this.#reads;
    const readAt = this.#options.now();
    const downAt = Math.max(this.#failureBy(readAt)?.at ?? 0, this.#isRetry ? (this.#leadingSince ?? 0) : 0);
    this.#isRetry = readAt - downAt < RETRY_MS;
    this.#leadingSince = readAt;
    try {
      this.#keep({ value: await load(isAhead), readAt }, read);
      this.#answered = Math.max(this.#answered, read);
      return read > this.#forgotten;
    } catch (error) {
      // What began earlier and fails later, says nothing new.
      if (read > Math.max(this.#forgotten, this.#answered, this.#failed)) this.#fail(error, readAt);
      this.#failed = Math.max(this.#failed, read);
      return false;
    } finally {
      if (read === this.#reads && !this.#options.paced) this.#leadingSince = undefined;
    }
  }

  #keep(next: Kept<Value>, read: number): void {
    if (read <= this.#forgotten) return;
    const now = this.#options.now();
    // A late answer of an earlier read says nothing of a store that has failed since.
    const failure = this.#failureBy(now);
    if (failure !== undefined && failure.since <= next.readAt) this.#failure = undefined;
    const kept = this.#kept;
    if (kept === undefined) {
      this.#kept = next;
      return;
    }
    const isLater = read < this.#answered || (kept.readAt > next.readAt && kept.readAt <= now);
    const { newer = () => (isLater ? kept.value : next.value) } = this.#options;
    // What is kept may be newer than what the store has just said: it is as fresh as that.
    this.#kept = { value: newer(next.value, kept.value), readAt: isLater ? kept.readAt : next.readAt };
  }

  /** The last failure. One from the future of a clock that has stepped back is forgotten. */
  #failureBy(now: number): Failure | undefined {
    if (this.#failure !== undefined && this.#failure.at > now) this.#failure = undefined;
    return this.#failure;
  }

  /** A failure says nothing of a store that has answered since, by a clock that has not stepped back. */
  #fail(error: unknown, since: number): void {
    if (this.#isOutage(error)) this.#options.onOutage?.(error, since);
    const now = this.#options.now();
    const hasAnswered = this.#kept !== undefined && this.#kept.readAt > since && this.#kept.readAt <= now;
    if (hasAnswered) return;
    // What has hung for ten seconds says that the store was late after two, and nothing of the time since.
    const at = hasHung(error) && since <= now ? Math.min(now, since + DEADLINE_MS.withFallback) : now;
    // Whatever answers from now on ends a failure of before the clock stepped back.
    this.#failure = { error, at, since: since > now ? Number.NEGATIVE_INFINITY : since };
  }

  #isOutage(error: unknown): boolean {
    return error instanceof DeadlineExceeded || this.#options.isOutage(error);
  }
}

/** Whether the value was at most `freshMs` old when the request began, and is not from the future of a clock that stepped back. */
const isYoung = ({ readAt }: Kept<unknown>, since: number, now: number, freshMs: number): boolean =>
  readAt <= now && (readAt >= since || readAt > since - freshMs);
