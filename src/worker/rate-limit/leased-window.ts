/**
 * The sliding window of a gate that also grants leases (lease.ts) and stores its state ahead of its admissions. Pure.
 *
 * - The upper bound is exact. A lease is charged with all its admissions when it is granted, dated at its **end**. No request
 *   under it is admitted later than that. When its isolate reports, the used admissions are dated no later than the report, and
 *   the others no longer count.
 * - It holds through a crash, because admissions are stored before they leave the gate. Each write also stores a reserve, which
 *   is charged like a lease, at its end; admissions out of the reserve need no further write. After a crash the whole reserve
 *   counts as used.
 * - Early refusals are bounded. Unreported leases, also ended ones, and the reserve together hold at most a twentieth of the
 *   limit. Reported admissions are dated late by at most the same amount: that of the leases one window ago. So a client that has
 *   used less than nine tenths of the limit is admitted. A crash can add the leases and the reserve of that moment.
 */
import type { Lease, LeaseReport } from "./lease.ts";
import { MAX_LIMIT, type RateLimit, SlidingWindow, type WindowDecision } from "./sliding-window.ts";

/**
 * `admissions` count until one window after `endsAt` (Unix milliseconds). Without an id, an earlier run of the gate may have
 * admitted them, and nobody gives them back.
 */
type Charge = Omit<Lease, "id"> & { readonly id: string | undefined; readonly endsAt: number };

/**
 * In milliseconds: a reserve lasts this long, which is longer than any lease, and its size follows from the use in as long a time
 * before.
 */
export const RESERVE_MS = 9_000;
/** With fewer admissions in that time a reserve is not worth it, because the write that ends it costs as much as it saves. */
const MIN_RECENT = 4;
const HEADROOM = 1.25;
const MIN_ADMISSIONS = 2;
const SHARE_OF_REMAINING = 1 / 4;
const SHARE_OF_LIMIT = 1 / 20;
/** A lease takes at most this share of the admissions that are free for leases, so that the next one and other isolates find some. */
const SHARE_OF_FREE = 1 / 2;
const SHARE_OF_WINDOW = 1 / 10;

/** The longest lease under a limit, in milliseconds. */
export const longestLease = ({ windowMs }: RateLimit, leaseMs: number): number =>
  Math.min(leaseMs, windowMs * SHARE_OF_WINDOW);

export class LeasedWindow {
  readonly rateLimit: RateLimit;
  readonly #window: SlidingWindow;
  #charges: Charge[];
  /** Admissions that are already stored; they may be used until `until`. */
  #reserve = { left: 0, until: Number.NEGATIVE_INFINITY };

  /**
   * `stored` are the admissions of an earlier run, oldest first, as `store()` returned them. Those after `now` belong to leases
   * and to a reserve; any that lie too far ahead for that come from a clock that has stepped back since.
   */
  constructor(
    rateLimit: RateLimit,
    {
      stored,
      now,
      charges = [],
    }: { readonly stored: Float64Array; readonly now: number; readonly charges?: readonly Charge[] | undefined },
  ) {
    this.rateLimit = rateLimit;
    const isAhead = (at: number) => at > now && at <= now + RESERVE_MS;
    const ends = Map.groupBy(stored.filter(isAhead), (at) => at);
    const unknown = [...ends].map(([endsAt, { length }]) => ({ id: undefined, endsAt, forMs: 0, admissions: length }));
    this.#charges = [...charges, ...unknown];
    const past = stored.filter((at) => !isAhead(at));
    this.#window = new SlidingWindow(rateLimit, past, sum(this.#charges));
  }

  /**
   * These admissions and leases under another limit. Keeps admissions for the longer of the two windows, because the limit may
   * change again.
   */
  under(rateLimit: RateLimit, now: number): LeasedWindow {
    const windowMs = Math.max(rateLimit.windowMs, this.rateLimit.windowMs);
    return new LeasedWindow(rateLimit, { stored: this.#window.times(now, windowMs), now, charges: this.#charges });
  }

  /**
   * Decides one request. If it is refused, `waitMs` is the time until one may be admitted: until the oldest admission leaves the
   * window, or a lease ends and is given back.
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

  /** Grants a lease. Returns the number of its admissions, at most as many as asked for; 0 means no lease. */
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

  /**
   * Takes the report of a lease at `now`: its unused admissions no longer count. The report of an unknown lease, or a second
   * report, changes nothing.
   */
  settle({ id, used }: LeaseReport, now: number): void {
    this.#drop(now);
    const charge = this.#charges.find((each) => each.id === id);
    if (charge === undefined) return;
    this.#charges = this.#charges.filter((each) => each !== charge);
    const at = Math.min(now, charge.endsAt);
    for (let left = Math.min(used, charge.admissions); left > 0; left--) this.#window.add(at);
  }

  /**
   * Takes admissions, which are used until `latest` (Unix milliseconds), out of the reserve. Returns false when the reserve does
   * not cover them, so that they must be stored first.
   */
  takeReserved(admissions: number, latest: number): boolean {
    if (admissions > this.#reserve.left || latest > this.#reserve.until) return false;
    this.#reserve.left -= admissions;
    return true;
  }

  /** Whether a restart would count unused admissions. */
  get hasReserve(): boolean {
    return this.#reserve.left > 0;
  }

  /**
   * The state to store: the admissions that still count at `now`, those of leases dated at their end, and a new reserve dated at
   * its end.
   */
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
    // A full window gets a reserve too: then more is stored than the limit, and the oldest no longer count.
    return Math.max(0, Math.floor(Math.min(recent * HEADROOM, this.#freeForLeases())));
  }

  #freeForLeases(): number {
    return this.rateLimit.limit * SHARE_OF_LIMIT - sum(this.#charges.filter(({ id }) => id !== undefined));
  }

  /** The time until a lease may have been given back: until its end, or, if its isolate is late, as long after it again. */
  #giveBackMs(now: number): number {
    const returned = this.#charges.flatMap(({ id, endsAt, forMs }) => {
      const at = endsAt > now ? endsAt : endsAt + forMs;
      return id !== undefined && at > now ? [at - now] : [];
    });
    return Math.min(...returned, Number.POSITIVE_INFINITY);
  }

  /**
   * Drops the charges that have left the window. If the clock has stepped back, a charge's end is limited to the latest end that
   * is possible now.
   */
  #drop(now: number): void {
    const { windowMs } = this.rateLimit;
    const latest = now + RESERVE_MS;
    this.#charges = this.#charges
      .filter(({ endsAt }) => endsAt > now - windowMs)
      .map((charge) => (charge.endsAt > latest ? { ...charge, endsAt: latest } : charge));
  }
}

const sum = (charges: readonly Charge[]): number => charges.reduce((total, { admissions }) => total + admissions, 0);
