/**
 * The sliding window of a gate that also grants leases (lease.ts), and stores its state ahead of what it admits. Pure.
 *
 * - Upper bound, exact: a lease's admissions are all charged when it is granted, dated at its **end**. A request that was
 *   admitted under it was admitted no later. When its isolate reports, what was used is dated no later than the report, and the
 *   rest counts no more.
 * - Through a crash: what leaves the gate is stored before. Each write also stores a reserve, which is charged like a lease, at
 *   its end; until it is used up, nothing needs another write. After a crash all of it counts as used.
 * - Early refusals are bounded: leases that were not reported, ended ones included, and the reserve hold at most a twentieth
 *   of the limit together. What was reported is dated late by at most as much again: what leases held a window ago. So who has
 *   used less than nine tenths of the limit is admitted. A crash can add what the leases and the reserve held then.
 */
import type { Lease, LeaseReport } from "./lease.ts";
import { MAX_LIMIT, type RateLimit, SlidingWindow, type WindowDecision } from "./sliding-window.ts";

/**
 * `admissions` count until a window after `endsAt` (Unix milliseconds). Without an id it is what an earlier run of the gate may
 * have admitted: nobody gives it back.
 */
type Charge = Omit<Lease, "id"> & { readonly id: string | undefined; readonly endsAt: number };

/** How long a reserve lasts, longer than any lease, and of how long ago the use is that it is made for, in milliseconds. */
export const RESERVE_MS = 9_000;
/** Fewer admissions in that time are worth no reserve: the write that ends it would cost as much as it spares. */
const MIN_RECENT = 4;
const HEADROOM = 1.25;
const MIN_ADMISSIONS = 2;
const SHARE_OF_REMAINING = 1 / 4;
const SHARE_OF_LIMIT = 1 / 20;
/** A lease takes at most this share of what leases may still hold: the next one, and other isolates, find some left. */
const SHARE_OF_FREE = 1 / 2;
const SHARE_OF_WINDOW = 1 / 10;

/** How long a lease may last under a limit, in milliseconds. */
export const longestLease = ({ windowMs }: RateLimit, leaseMs: number): number =>
  Math.min(leaseMs, windowMs * SHARE_OF_WINDOW);

export class LeasedWindow {
  readonly rateLimit: RateLimit;
  readonly #window: SlidingWindow;
  #charges: Charge[];
  /** Admissions until `until` that are stored already. */
  #reserve = { left: 0, until: Number.NEGATIVE_INFINITY };

  /**
   * `stored` are the admissions of an earlier run, oldest first, as `store()` gave them: those after `now` are of leases and of
   * a reserve, unless none could last so long, and the clock has stepped back.
   */
  constructor(rateLimit: RateLimit, stored: Float64Array, now: number, charges: readonly Charge[] = []) {
    this.rateLimit = rateLimit;
    const isAhead = (at: number) => at > now && at <= now + RESERVE_MS;
    const ends = Map.groupBy(stored.filter(isAhead), (at) => at);
    const unknown = [...ends].map(([endsAt, { length }]) => ({ id: undefined, endsAt, forMs: 0, admissions: length }));
    this.#charges = [...charges, ...unknown];
    const past = stored.filter((at) => !isAhead(at));
    this.#window = new SlidingWindow(rateLimit, past, sum(this.#charges));
  }

  /** The same admissions and leases under another limit: as far back as the longer window of both, for it may change once more. */
  under(rateLimit: RateLimit, now: number): LeasedWindow {
    const windowMs = Math.max(rateLimit.windowMs, this.rateLimit.windowMs);
    return new LeasedWindow(rateLimit, this.#window.times(now, windowMs), now, this.#charges);
  }

  /**
   * Decides one request. When it is refused, `waitMs` is the time until something may be admitted: the oldest admission leaves
   * the window, or a lease ends and is given back.
   */
  admit(now: number): WindowDecision {
    this.#drop(now);
    const { admitted, remaining } = this.#window.admit(now, sum(this.#charges));
    const leavesMs = this.leavesMs(now);
    return { admitted, remaining, waitMs: admitted ? leavesMs : Math.min(leavesMs, this.#giveBackMs(now)) };
  }

  /** The time until the oldest admission leaves the window. */
  leavesMs(now: number): number {
    const ends = this.#charges.map(({ endsAt }) => endsAt + this.rateLimit.windowMs - now);
    return Math.min(this.#window.leavesMs(now), ...ends);
  }

  /** Grants a lease of up to so many admissions, and returns how many; 0 is none. */
  grant(now: number, { id, admissions, forMs }: Lease): number {
    this.#drop(now);
    const free = this.#freeForLeases() * SHARE_OF_FREE;
    const granted = Math.floor(Math.min(admissions, this.remaining(now) * SHARE_OF_REMAINING, free));
    if (granted < MIN_ADMISSIONS) return 0;
    this.#charges.push({ id, endsAt: now + forMs, forMs, admissions: granted });
    return granted;
  }

  /** The part of the limit that neither requests nor leases have taken. */
  remaining(now: number): number {
    this.#drop(now);
    return Math.max(0, this.#window.left(now) - sum(this.#charges));
  }

  /** A lease is reported at `now`: what was not used counts no more. One that is not known, or was reported before, changes nothing. */
  settle({ id, used }: LeaseReport, now: number): void {
    this.#drop(now);
    const charge = this.#charges.find((each) => each.id === id);
    if (charge === undefined) return;
    this.#charges = this.#charges.filter((each) => each !== charge);
    const at = Math.min(now, charge.endsAt);
    for (let left = Math.min(used, charge.admissions); left > 0; left--) this.#window.add(at);
  }

  /** Takes admissions, which are used until `latest` (Unix milliseconds), out of the reserve. False: they must be stored first. */
  takeReserved(admissions: number, latest: number): boolean {
    if (admissions > this.#reserve.left || latest > this.#reserve.until) return false;
    this.#reserve.left -= admissions;
    return true;
  }

  /** Whether a restart would count admissions that were not used. */
  get hasReserve(): boolean {
    return this.#reserve.left > 0;
  }

  /** The state to store: the admissions that still count at `now`, those of leases at their end, and a new reserve at its end. */
  store(now: number): Float64Array {
    this.#drop(now);
    const until = now + RESERVE_MS;
    this.#reserve = { left: this.#worthReserving(now), until };
    const charged = this.#charges.flatMap(({ endsAt, admissions }) => new Array<number>(admissions).fill(endsAt));
    const reserved = new Array<number>(this.#reserve.left).fill(until);
    const counted = [...this.#window.times(now), ...charged];
    const times = Float64Array.from([...counted, ...reserved]).sort();
    const most = Math.min(MAX_LIMIT, Math.max(this.rateLimit.limit, counted.length));
    return times.subarray(Math.max(0, times.length - most));
  }

  #worthReserving(now: number): number {
    const recent = this.#window.since(now - RESERVE_MS);
    if (recent < MIN_RECENT) return 0;
    // Of a full window, too: what is stored may be more than the limit, and then its oldest do not count any more.
    return Math.max(0, Math.floor(Math.min(recent * HEADROOM, this.#freeForLeases())));
  }

  #freeForLeases(): number {
    return this.rateLimit.limit * SHARE_OF_LIMIT - sum(this.#charges.filter(({ id }) => id !== undefined));
  }

  /** The time until the next lease may have been given back: at its end, or, when its isolate is late, as long after it again. */
  #giveBackMs(now: number): number {
    const returned = this.#charges.flatMap(({ id, endsAt, forMs }) => {
      const at = endsAt > now ? endsAt : endsAt + forMs;
      return id !== undefined && at > now ? [at - now] : [];
    });
    return Math.min(...returned, Number.POSITIVE_INFINITY);
  }

  /** Drops what has left the window. When the clock has stepped back, nothing ends later than what begins now could. */
  #drop(now: number): void {
    const { windowMs } = this.rateLimit;
    const latest = now + RESERVE_MS;
    this.#charges = this.#charges
      .filter(({ endsAt }) => endsAt > now - windowMs)
      .map((charge) => (charge.endsAt > latest ? { ...charge, endsAt: latest } : charge));
  }
}

const sum = (charges: readonly Charge[]): number => charges.reduce((total, { admissions }) => total + admissions, 0);
