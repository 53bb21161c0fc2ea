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
 * - Joining: requests at the same time can share one read, while what it reads is fresh. Each has its own deadline all the same.
 *
 * Two users. They differ in what a change of the value means:
 * - A gate's record of its API key (api-key-gate.ts): one value for the object; `forget`, because a revoked key must never be
 *   admitted again; `joins` to the end, because the requests of a Durable Object share their I/O; an initial value, out of storage.
 * - An idea bank's snapshot (snapshots.ts): one value for each idea bank, so that an outage of one is not another's; `expire`,
 *   because an outdated snapshot is better than none; `supersedes`, because replicas answer out of order; `waitUntil`, because
 *   a busy idea bank is refreshed ahead; `joinMs`, because a promise may die with the request that made it; `previous`, because
 *   a read asks only for what is new.
 */
import {
  answerWithin,
  DEADLINE_MS,
  DeadlineExceeded,
  hasSettled,
  hasSettledWithin,
  isWithin,
  type Later,
  type WaitUntil,
} from "./deadline.ts";

/** `readAt` is when the read began, in Unix milliseconds. */
export type Kept<Value> = { readonly value: Value; readonly readAt: number };

/** Reads are numbered in the order in which they begin. `isAhead`: nobody waited for it. */
type Entry<Value> = Kept<Value> & { readonly read: number; readonly isAhead: boolean };

/** A read that others may wait for. */
type Joined<Value> = {
  readonly read: number;
  readonly readAt: number;
  readonly answer: Promise<Value>;
  readonly deadlineMs: number;
};

/** How a request reads: who keeps its context alive, how long it waits, and how old what it reads may be. */
type Terms = {
  readonly waitUntil: WaitUntil | undefined;
  readonly deadlineMs: number;
  readonly freshMs: number;
  readonly isAhead: boolean;
};

export type KeptValueOptions<Value> = {
  /** The clock, in Unix milliseconds. It may step. */
  readonly now: () => number;
  /** Whether a failed read means that the store does not answer. */
  readonly isOutage: (error: unknown) => boolean;
  /** Requests wait for each other's read. */
  readonly joins?: boolean;
  /**
   * How long one waits for another's before it reads itself, in milliseconds; without it, to its deadline. For requests of a
   * Worker: workerd resumes each in its own context, but a read whose request has ended never settles (`waitUntil` keeps it).
   */
  readonly joinMs?: number;
  /** Whether `value` may replace `kept`. Without it, the read that began later wins. */
  readonly supersedes?: (value: Value, kept: Value) => boolean;
  /** What makes a value in steady use be refreshed when it is due, and not by the next request. Not for windows above ten seconds. */
  readonly later?: Later;
  /** Called for each read that fails so, or is abandoned. */
  readonly onOutage?: (error: unknown) => void;
};

/** Reads the store. `previous` is what is kept, however old. `isAhead`: nobody waits for this read. */
export type Load<Value> = (previous: Value | undefined, isAhead: boolean) => Promise<Value>;

/** How old a value may be that serves through an outage, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;
/** The pause between two reads in an outage, in milliseconds: the freshness window, within these bounds. */
const PAUSE_MS = { min: 1_000, max: 5_000 };
/** So much earlier a refresh is planned at most, in milliseconds: until it is due, the context of a request is kept alive. */
const MAX_PLANNED_MS = 5_000;
const NEVER = Number.NEGATIVE_INFINITY;

const pauseOf = (freshMs: number): number => Math.min(Math.max(freshMs, PAUSE_MS.min), PAUSE_MS.max);

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
  /** The read whose value is to be refreshed later. */
  #planned = 0;
  #joined: Joined<Value> | undefined;

  constructor(options: KeptValueOptions<Value>, kept?: Kept<Value>) {
    this.#options = options;
    if (kept !== undefined) this.#entry = { ...kept, read: 0, isAhead: false };
  }

  get kept(): Kept<Value> | undefined {
    return this.#entry && { value: this.#entry.value, readAt: this.#entry.readAt };
  }

  /**
   * The value: at most `freshMs` old, or at most five minutes while the store does not answer. With `waitUntil`, a read in the
   * second half of the freshness window refreshes it after the answer, and a read that others wait for goes on when its request
   * ends. Rejects as `load` does, or with `DeadlineExceeded`.
   */
  async read(load: Load<Value>, freshMs: number, waitUntil?: WaitUntil): Promise<Value> {
    for (;;) {
      const now = this.#options.now();
      const entry = this.#entry;
      if (entry !== undefined && entry.read >= this.#freshFrom && isWithin(entry.readAt, now, freshMs)) {
        if (waitUntil !== undefined) this.#keepFresh(load, entry, freshMs, waitUntil);
        return entry.value;
      }
      const fallback = entry !== undefined && servesOutage(entry, now);
      if (fallback && isWithin(this.#failedAt, now, pauseOf(freshMs))) return entry.value;
      // This request asks for the others: they go on with the kept value.
      if (isWithin(this.#failedAt, now, 2 * pauseOf(freshMs))) this.#failedAt = now;
      const servesFrom = this.#servesFrom;
      try {
        const deadlineMs = fallback ? DEADLINE_MS.withFallback : DEADLINE_MS.without;
        const value = await this.#load(load, { waitUntil, deadlineMs, freshMs, isAhead: false });
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

  /** After the answer: now, or in the second half of the freshness window when the value is in steady use. */
  #keepFresh(load: Load<Value>, { read, readAt, isAhead }: Entry<Value>, freshMs: number, waitUntil: WaitUntil): void {
    const refresh = () => this.#refreshAhead(load, freshMs, waitUntil);
    const dueMs = readAt + freshMs / 2 - this.#options.now();
    if (dueMs <= 0) {
      refresh();
    } else if (isAhead && this.#planned !== read && dueMs <= MAX_PLANNED_MS) {
      this.#planned = read;
      const refreshUnlessDone = async () => {
        if (this.#entry?.read === read) refresh();
      };
      this.#options.later?.(dueMs, refreshUnlessDone, waitUntil);
    }
  }

  /** One at a time. A request that is cancelled takes its refresh along, so only time tells that one is under way. */
  #refreshAhead(load: Load<Value>, freshMs: number, waitUntil: WaitUntil): void {
    const now = this.#options.now();
    if (isWithin(this.#refreshingSince, now, DEADLINE_MS.withFallback)) return;
    if (isWithin(this.#failedAt, now, pauseOf(freshMs))) return;
    this.#refreshingSince = now;
    const refresh = async () => {
      try {
        const deadlineMs = DEADLINE_MS.withFallback;
        await this.#load(load, { waitUntil: undefined, deadlineMs, freshMs, isAhead: true });
      } catch (error) {
        if (!this.#isOutage(error)) throw error;
      } finally {
        this.#refreshingSince = NEVER;
      }
    };
    waitUntil(refresh());
  }

  /** Reads the store, or joins a read that is not abandoned earlier than this one would be. */
  async #load(load: Load<Value>, terms: Terms): Promise<Value> {
    const { deadlineMs, freshMs } = terms;
    const { joinMs = deadlineMs } = this.#options;
    for (let leftMs = deadlineMs; ; leftMs -= joinMs) {
      const joined = this.#joined;
      const isFresh = joined !== undefined && isWithin(joined.readAt, this.#options.now(), freshMs);
      if (joined === undefined || !isFresh || joined.deadlineMs < deadlineMs) {
        const answer = this.#lead(load, terms);
        return leftMs === deadlineMs ? answer : answerWithin(leftMs, answer);
      }
      if (joinMs >= leftMs) return answerWithin(leftMs, joined.answer);
      if (await hasSettledWithin(joinMs, joined.answer)) return joined.answer;
      if (this.#joined === joined) this.#joined = undefined;
    }
  }

  #lead(load: Load<Value>, { waitUntil, deadlineMs, isAhead }: Terms): Promise<Value> {
    this.#reads += 1;
    const [read, readAt] = [this.#reads, this.#options.now()];
    const keep = async () => {
      const value = await load(this.#entry?.value, isAhead);
      return this.#keep({ value, readAt, read, isAhead });
    };
    const answer = this.#attempt(keep, deadlineMs, read);
    if (this.#options.joins) {
      this.#joined = { read, readAt, answer, deadlineMs };
      waitUntil?.(hasSettled(answer));
    }
    return answer;
  }

  async #attempt(keep: () => Promise<Value>, deadlineMs: number, read: number): Promise<Value> {
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
    if (kept === undefined || supersedes(next.value, kept.value)) {
      this.#entry = next;
      return next.value;
    }
    // What is kept is newer than what the store has just said: it is as fresh as that.
    if (next.read > kept.read) this.#entry = { ...next, value: kept.value };
    return kept.value;
  }

  #isOutage(error: unknown): boolean {
    return error instanceof DeadlineExceeded || this.#options.isOutage(error);
  }
}
