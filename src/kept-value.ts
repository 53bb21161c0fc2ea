/**
 * The last value that a store gave, kept to answer from while it is fresh, and through an outage of the store.
 *
 * - Fresh: younger than the freshness window, and not expired. It is served from memory.
 * - Not fresh: the store is read, within a deadline (2 s when the kept value can serve instead, 10 s otherwise). A read that
 *   misses its deadline is abandoned: nobody waits for it again. Should it still answer, its value is kept like any other.
 * - Outage: the read failed, or was abandoned. The kept value serves while it is at most five minutes old. It serves without a
 *   read for a pause; in the pause after that, one request asks the store again while the others are still served.
 * - Only outages: any other error is a defect. It is thrown, and nothing is remembered of it.
 * - Order: the read that began later wins, or what `supersedes` says. A caller is served what is kept then, so that answers
 *   never go back.
 * - Clocks: a value whose age is negative is neither fresh nor serves an outage; a negative pause is over.
 *
 * Two users. They differ in what a change of the value means:
 * - A gate's record of its API key (api-key-gate.ts): one value for the object; `forget`, because a revoked key must never be
 *   admitted again; `joins`, because the requests of a Durable Object share their I/O; an initial value, out of storage.
 * - An idea bank's snapshot (snapshots.ts): one value for each idea bank, so that an outage of one is not another's; `expire`,
 *   because an outdated snapshot is better than none; `supersedes`, because replicas answer out of order; `waitUntil`, because
 *   a busy idea bank is refreshed ahead; `previous`, because a read asks only for what is new.
 */
import { answerWithin, DEADLINE_MS, DeadlineExceeded } from "./deadline.ts";

/** `readAt` is when the read began, in Unix milliseconds. */
export type Kept<Value> = { readonly value: Value; readonly readAt: number };

/** Reads are numbered in the order in which they begin. */
type Entry<Value> = Kept<Value> & { readonly read: number };

export type KeptValueOptions<Value> = {
  /** The clock, in Unix milliseconds. It may step. */
  readonly now: () => number;
  /** Whether a failed read means that the store does not answer. */
  readonly isOutage: (error: unknown) => boolean;
  /** Requests wait for each other's read: only where they share their I/O, as in a Durable Object. */
  readonly joins?: boolean;
  /** Whether `value` may replace `kept`. Without it, the read that began later wins. */
  readonly supersedes?: (value: Value, kept: Value) => boolean;
  /** Told of each read that fails so, or is abandoned. */
  readonly onOutage?: (error: unknown) => void;
};

/** Reads the store. `previous` is what is kept, however old. */
export type Load<Value> = (previous: Value | undefined) => Promise<Value>;

/** Keeps a request's context alive until the promise settles. */
export type WaitUntil = (promise: Promise<void>) => void;

/** How old a value may be that serves through an outage, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;
/** The pause between two reads in an outage, in milliseconds: the freshness window, within these bounds. */
const PAUSE_MS = { min: 1_000, max: 5_000 };
const NEVER = Number.NEGATIVE_INFINITY;

const pauseOf = (freshMs: number): number => Math.min(Math.max(freshMs, PAUSE_MS.min), PAUSE_MS.max);

const isWithin = (since: number, now: number, milliseconds: number): boolean =>
  now >= since && now - since < milliseconds;

const servesOutage = ({ readAt }: Kept<unknown>, now: number): boolean => now >= readAt && now - readAt <= OUTAGE_MS;

export class KeptValue<Value> {
  readonly #options: KeptValueOptions<Value>;
  #entry: Entry<Value> | undefined;
  #reads = 0;
  /** The first read that may be kept as fresh: those before it began before the value was expired. */
  #freshFrom = 0;
  /** The first read that may serve at all: those before it began before the value was forgotten. */
  #servesFrom = 0;
  #failedAt = NEVER;
  #refreshingSince = NEVER;
  #joined: { readonly read: number; readonly answer: Promise<Value>; readonly deadlineMs: number } | undefined;

  constructor(options: KeptValueOptions<Value>, kept?: Kept<Value>) {
    this.#options = options;
    if (kept !== undefined) this.#entry = { ...kept, read: 0 };
  }

  get kept(): Kept<Value> | undefined {
    return this.#entry && { value: this.#entry.value, readAt: this.#entry.readAt };
  }

  /**
   * The value: at most `freshMs` old, or at most five minutes while the store does not answer. With `waitUntil`, a read in the
   * second half of the freshness window refreshes it after the answer. Rejects as `load` does, or with `DeadlineExceeded`.
   */
  async read(load: Load<Value>, freshMs: number, waitUntil?: WaitUntil): Promise<Value> {
    for (;;) {
      const now = this.#options.now();
      const entry = this.#entry;
      if (entry !== undefined && entry.read >= this.#freshFrom && isWithin(entry.readAt, now, freshMs)) {
        if (waitUntil !== undefined && !isWithin(entry.readAt, now, freshMs / 2)) {
          this.#refreshAhead(load, now, freshMs, waitUntil);
        }
        return entry.value;
      }
      const fallback = entry !== undefined && servesOutage(entry, now);
      if (fallback && isWithin(this.#failedAt, now, pauseOf(freshMs))) return entry.value;
      // This request asks for the others: they go on with the kept value.
      if (isWithin(this.#failedAt, now, 2 * pauseOf(freshMs))) this.#failedAt = now;
      const servesFrom = this.#servesFrom;
      try {
        const value = await this.#load(load, now, fallback ? DEADLINE_MS.withFallback : DEADLINE_MS.without);
        if (servesFrom === this.#servesFrom) return value;
      } catch (error) {
        if (!this.#isOutage(error)) throw error;
        // What could serve when the read began was forgotten meanwhile: look again, without it.
        if (servesFrom !== this.#servesFrom && fallback) continue;
        const left = this.#entry;
        if (left === undefined || !servesOutage(left, this.#options.now())) throw error;
        return left.value;
      }
    }
  }

  /** The value has changed, and the kept one must never serve again: not even in an outage, nor that of a read under way. */
  forget(): void {
    this.expire();
    this.#servesFrom = this.#freshFrom;
    this.#entry = undefined;
  }

  /** The value has changed: the next read asks the store. The kept one, and that of a read under way, serve only an outage. */
  expire(): void {
    this.#freshFrom = this.#reads + 1;
    this.#failedAt = NEVER;
    this.#refreshingSince = NEVER;
    this.#joined = undefined;
  }

  /** One at a time. A request that is cancelled takes its refresh along, so only time tells that one is under way. */
  #refreshAhead(load: Load<Value>, now: number, freshMs: number, waitUntil: WaitUntil): void {
    if (isWithin(this.#refreshingSince, now, DEADLINE_MS.withFallback)) return;
    if (isWithin(this.#failedAt, now, pauseOf(freshMs))) return;
    this.#refreshingSince = now;
    const refresh = async () => {
      try {
        await this.#load(load, now, DEADLINE_MS.withFallback);
      } catch (error) {
        if (!this.#isOutage(error)) throw error;
      } finally {
        this.#refreshingSince = NEVER;
      }
    };
    waitUntil(refresh());
  }

  /** Reads the store, or joins a read that is not abandoned earlier than this one would be. */
  #load(load: Load<Value>, now: number, deadlineMs: number): Promise<Value> {
    const joined = this.#joined;
    if (joined !== undefined && joined.deadlineMs >= deadlineMs) return answerWithin(deadlineMs, joined.answer);
    this.#reads += 1;
    const read = this.#reads;
    const answer = this.#attempt(load, now, deadlineMs, read);
    if (this.#options.joins) this.#joined = { read, answer, deadlineMs };
    return answer;
  }

  async #attempt(load: Load<Value>, readAt: number, deadlineMs: number, read: number): Promise<Value> {
    const keep = async () => this.#keep({ value: await load(this.#entry?.value), readAt, read });
    try {
      return await answerWithin(deadlineMs, keep());
    } catch (error) {
      if (this.#isOutage(error)) {
        // A failure says nothing of a store that has answered a later read, or was written to since.
        if (read >= this.#freshFrom && read > (this.#entry?.read ?? 0)) this.#failedAt = this.#options.now();
        this.#options.onOutage?.(error);
      }
      throw error;
    } finally {
      if (this.#joined?.read === read) this.#joined = undefined;
    }
  }

  /** Keeps what a read gave, unless it was forgotten or overtaken meanwhile, and returns what is to be served. */
  #keep(next: Entry<Value>): Value {
    if (next.read < this.#servesFrom) return next.value;
    this.#failedAt = NEVER;
    const kept = this.#entry;
    const { supersedes = () => next.read > (kept?.read ?? 0) } = this.#options;
    if (kept !== undefined && !supersedes(next.value, kept.value)) return kept.value;
    this.#entry = next;
    return next.value;
  }

  #isOutage(error: unknown): boolean {
    return error instanceof DeadlineExceeded || this.#options.isOutage(error);
  }
}
