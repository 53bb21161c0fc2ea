/**
 * The sliding window of a gate that also grants leases (lease.ts): admissions that isolates decide by themselves. Pure.
 *
 * - Upper bound, exact: a lease's admissions are all charged when it is granted, dated at its **end**. A request that was
 *   admitted under it was admitted no later, so no span of the window ever holds more than the limit.
 * - Early refusals are bounded: a lease is sized by its isolate's recent use, takes at most a quarter of what remains and lasts
 *   at most a tenth of the window; all leases together hold at most a tenth of the limit; limits below 20 get none. What was not
 *   used is given back. What an isolate that has died, or a gate that has restarted, does not give back leaves with the window.
 * - Renewal: what is left of the old lease is carried over, so that an isolate which never hears of the new one can go on with
 *   the old one to its end.
 */
import type { LeaseUse } from "./lease.ts";
import { type RateLimit, SlidingWindow, type WindowDecision } from "./sliding-window.ts";

/** `admissions` count until a window after `endsAt` (Unix milliseconds). A charge without an id cannot be given back. */
type Charge = { readonly id: string | undefined; readonly endsAt: number; readonly admissions: number };

/** What an isolate asks for at `now`. `renews` is the lease that it holds. */
export type LeaseRequest = {
  readonly id: string;
  readonly admissions: number;
  readonly forMs: number;
  readonly renews: LeaseUse | undefined;
};

/** No setting grants for longer, in milliseconds. */
export const MAX_LEASE_MS = 5_000;
/** After the end of a lease, its isolate may still give it back. */
const GIVE_BACK_MS = 1_000;
const MIN_LIMIT = 20;
const MIN_ADMISSIONS = 2;
const SHARE_OF_REMAINING = 1 / 4;
const SHARE_OF_LIMIT = 1 / 10;
const SHARE_OF_WINDOW = 1 / 10;

/** How long a lease may last under a limit, in milliseconds. */
export const longestLease = ({ windowMs }: RateLimit, leaseMs: number): number =>
  Math.min(leaseMs, windowMs * SHARE_OF_WINDOW, MAX_LEASE_MS);

export class LeasedWindow {
  readonly rateLimit: RateLimit;
  readonly #window: SlidingWindow;
  /** Of leases, in the order of their end. */
  #charges: Charge[];
  /** The sum of their admissions. */
  #charged: number;

  /**
   * `times` are earlier admissions, oldest first, as `times()` gave them: those after `now` are of leases, unless no lease could
   * last so long, and the clock has stepped back.
   */
  constructor(rateLimit: RateLimit, times: Float64Array, now: number, charges: readonly Charge[] = []) {
    this.rateLimit = rateLimit;
    const isOfLease = (at: number) => at > now && at <= now + MAX_LEASE_MS;
    this.#window = new SlidingWindow(
      rateLimit,
      times.filter((at) => !isOfLease(at)),
    );
    const leased = [...times.filter(isOfLease)].map((endsAt) => ({ id: undefined, endsAt, admissions: 1 }));
    this.#charges = [...charges, ...leased].sort((one, other) => one.endsAt - other.endsAt);
    this.#charged = sum(this.#charges);
  }

  /** The same admissions and leases under another limit. */
  under(rateLimit: RateLimit, now: number): LeasedWindow {
    this.#drop(now);
    return new LeasedWindow(rateLimit, this.#window.times(now), now, this.#charges);
  }

  /**
   * Decides one request. When it is refused, `waitMs` is the time until something may be admitted: the oldest admission leaves
   * the window, or a lease ends and is given back.
   */
  admit(now: number): WindowDecision {
    this.#drop(now);
    const { admitted, remaining } = this.#window.admit(now, this.#charged);
    const leavesMs = this.leavesMs(now);
    return { admitted, remaining, waitMs: admitted ? leavesMs : Math.min(leavesMs, this.#giveBackMs(now)) };
  }

  /** The time until the oldest admission leaves the window. */
  leavesMs(now: number): number {
    const oldest = this.#charges[0]?.endsAt ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#window.leavesMs(now), oldest + this.rateLimit.windowMs - now);
  }

  /** Grants a lease, and returns its admissions; 0 is none, and then a lease to renew stays as it is. */
  grant(now: number, { id, admissions, forMs, renews }: LeaseRequest): number {
    const { limit } = this.rateLimit;
    if (limit < MIN_LIMIT) return 0;
    this.#drop(now);
    const old = this.#charges.findLast((charge) => charge.id !== undefined && charge.id === renews?.id);
    // Its isolate has used it up and said so meanwhile: what it used since then would be charged to both.
    if (renews !== undefined && old === undefined) return 0;
    const unused = old === undefined ? 0 : Math.max(0, old.admissions - (renews?.used ?? 0));
    const endsAt = now + forMs;
    const free = this.remaining(now) + unused;
    const share = limit * SHARE_OF_LIMIT - sum(this.#outstanding(now).filter((charge) => charge !== old));
    const granted = Math.floor(Math.min(admissions, free * SHARE_OF_REMAINING, share));
    // The old lease may be used to its end by an isolate that never hears of this one.
    if (granted < Math.max(MIN_ADMISSIONS, unused) || endsAt < (old?.endsAt ?? 0)) return 0;
    if (renews !== undefined) this.settle(renews);
    const before = this.#charges.findLastIndex((charge) => charge.endsAt <= endsAt);
    this.#charges.splice(before + 1, 0, { id, endsAt, admissions: granted });
    this.#charged += granted;
    return granted;
  }

  /** What neither requests nor leases have taken of the limit. */
  remaining(now: number): number {
    this.#drop(now);
    return Math.max(0, this.#window.left(now) - this.#charged);
  }

  /** A lease has ended: what was not used counts no more. False when it is not known, or was settled before. */
  settle({ id, used }: LeaseUse): boolean {
    const index = this.#charges.findLastIndex((charge) => charge.id === id);
    const charge = this.#charges[index];
    if (charge === undefined) return false;
    const counted = Math.min(charge.admissions, used);
    this.#charged -= charge.admissions - counted;
    this.#charges.splice(index, 1, ...(counted > 0 ? [{ ...charge, id: undefined, admissions: counted }] : []));
    return true;
  }

  /** The admissions that still count at `now`, oldest first, those of leases at their end. */
  times(now: number): Float64Array {
    this.#drop(now);
    const leased = this.#charges.flatMap(({ endsAt, admissions }) => new Array<number>(admissions).fill(endsAt));
    const times = Float64Array.from([...this.#window.times(now), ...leased]).sort();
    return times.subarray(Math.max(0, times.length - this.rateLimit.limit));
  }

  /** Leases that have not ended. */
  #outstanding(now: number): Charge[] {
    const ended = this.#charges.findLastIndex(({ endsAt }) => endsAt <= now);
    return this.#charges.slice(ended + 1).filter(({ id }) => id !== undefined);
  }

  /** The time until the next lease may have been given back: at its end, or, when the isolate is late, a while after. */
  #giveBackMs(now: number): number {
    const returned = this.#charges.flatMap(({ id, endsAt }) => {
      const at = endsAt > now ? endsAt : endsAt + GIVE_BACK_MS;
      return id !== undefined && at > now ? [at - now] : [];
    });
    return Math.min(...returned, Number.POSITIVE_INFINITY);
  }

  /** Drops what has left the window. When the clock has stepped back, no lease ends later than one granted now could. */
  #drop(now: number): void {
    const latest = now + MAX_LEASE_MS;
    if ((this.#charges.at(-1)?.endsAt ?? 0) > latest)
      this.#charges = this.#charges.map((charge) => ({ ...charge, endsAt: Math.min(charge.endsAt, latest) }));
    const gone = this.#charges.findIndex(({ endsAt }) => endsAt > now - this.rateLimit.windowMs);
    const left = gone === -1 ? this.#charges.splice(0) : this.#charges.splice(0, gone);
    this.#charged -= sum(left);
  }
}

const sum = (charges: readonly Charge[]): number => charges.reduce((total, { admissions }) => total + admissions, 0);
