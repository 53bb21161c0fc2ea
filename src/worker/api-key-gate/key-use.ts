/**
 * The state that an isolate has of one API key in recent use: its rate, its leases, the time until which it is over its limit,
 * and the part that its gate has not been told yet.
 */

import { addressFilter } from "../model/allowed-addresses.ts";
import type { Admission, Admitted, OwnDecision, Quota, Refused } from "../model/api-key.ts";
import type { Sender } from "../model/seen.ts";
import { IsolateLease, type LeaseReport, RequestRate } from "../rate-limit/lease.ts";
import { DEADLINE_MS, isWithin } from "../store/deadline.ts";
import { PendingSightings } from "./pending-sightings.ts";
import type { Report } from "./reports.ts";

/**
 * The gate answered "limited" to a call that began at `since`. The wait counts from there, so that the isolate never refuses
 * longer than the gate would, although their clocks differ and the answer took time.
 */
type Flood = { readonly quota: Quota; readonly since: number };

/** The gate refused the key in a call that began at `since`. It is not asked again for `forMs`. */
type Refusal = { readonly admission: Refused; readonly since: number; readonly forMs: number };

/** The answer that came with a lease, to a call that began at `since`. It holds as long as the lease. */
type Granted = {
  readonly admitted: Admitted;
  readonly quota: Quota;
  readonly since: number;
  readonly isAllowed: (address: string | null) => boolean;
};

/**
 * The addresses from which the key may be used, as the gate said when it refused another address, to a call that began at
 * `since`.
 */
type KnownAddresses = Pick<Granted, "since" | "isAllowed">;

/** A call to the gate that began at `since`. It carries a report, and asks for a lease unless `perSecond` is 0. */
export type GateCall = { readonly since: number; readonly perSecond: number; readonly report: Report | undefined };

const MAX_FLOOD_MS = 60_000;
const REFUSED_MS = 60_000;
/**
 * Refusals that may end soon are remembered only this long: a pause, and the refusal of a new secret by a gate that was not
 * notified of the rotation.
 */
const SOON_OVER_MS = 1_000;
const OUTSIDE_MS = 1_000;
const REFUSED_ADDRESS: Refused = { outcome: "refused", reason: "address" };
/** Below this many requests a second a lease costs more than it saves, because asking for it and reporting it are calls, too. */
const MIN_PER_SECOND = 3;
/** The next lease is asked for this many calls (as long as this one took) and this many requests before the current one ends. */
const CALLS_AHEAD = 3;
const GAPS_AHEAD = 2;

export class KeyUse {
  /** Of the key in the requests. */
  readonly secretHash: string;
  readonly #rate = new RequestRate();
  /** In the order in which they are used, the oldest first. */
  readonly #leases = new Map<IsolateLease, Granted>();
  /** The remaining requests under the limit, as far as this isolate knows. */
  #remaining = 0;
  #flood: Flood | undefined;
  #refusal: Refusal | undefined;
  #outside: KnownAddresses | undefined;
  /** Requests that were decided here and are in no report yet. */
  #limited = 0;
  #admitted = 0;
  readonly #sightings = new PendingSightings();
  #endedLeases: LeaseReport[] = [];
  /** The call under way that may bring a lease. There is one at a time; one that never ends delays the next for two seconds. */
  #asking: GateCall | undefined;
  /** The gate gave no further lease: the current ones are used to their end. */
  #isLast = false;
  /** The latest time at which the unreported refusals are reported. */
  #reportsAt = Number.NEGATIVE_INFINITY;

  constructor(secretHash: string) {
    this.secretHash = secretHash;
  }

  /** The key's refusal, if its gate has refused it lately, whatever the request. */
  refused(now: number): Refused | undefined {
    const refusal = this.#refusal;
    return refusal && isWithin(refusal.since, now, refusal.forMs) ? refusal.admission : undefined;
  }

  /** Decides a request without the gate; undefined when the gate has to decide. */
  decide(sender: Sender): OwnDecision | undefined {
    const { now, address } = sender;
    const outside = this.#outside;
    let isOutside = outside !== undefined && isWithin(outside.since, now, OUTSIDE_MS) && !outside.isAllowed(address);
    for (const [lease, { admitted, quota, since, isAllowed }] of this.#leases) {
      if (!isAllowed(address)) isOutside ||= !lease.isOver(now);
      else if (lease.admit(now)) {
        this.#rate.count(now);
        this.#remaining = Math.max(0, this.#remaining - 1);
        this.#admitted += 1;
        this.#sightings.admitted(sender);
        const waitMs = Math.max(0, quota.waitMs - (now - since));
        return { ...admitted, quota: { ...quota, remaining: this.#remaining, waitMs } };
      }
    }
    if (isOutside) {
      // Without a lease no report follows, but the gate is asked soon, and sees the next such request itself.
      if (this.#leases.size > 0) this.#sightings.refused(sender, "address");
      return REFUSED_ADDRESS;
    }
    const flood = this.#flood;
    if (!flood || !isWithin(flood.since, now, Math.min(flood.quota.waitMs, MAX_FLOOD_MS))) return undefined;
    this.#rate.count(now);
    this.#limited += 1;
    this.#sightings.refused(sender, "limited");
    return { outcome: "limited", quota: { ...flood.quota, waitMs: flood.quota.waitMs - (now - flood.since) } };
  }

  /** Begins a call for a request that cannot be decided here. The leases are ended, because they are of no more use. */
  ask(now: number): GateCall {
    this.#rate.count(now);
    this.endAll();
    return this.#begin(now, this.#isAsking(now) ? 0 : this.#worth(now), this.takeReport(true));
  }

  /** Begins a call for the next lease, before the current ones end. Undefined when it is too early, or not worth a call. */
  askAhead(now: number): GateCall | undefined {
    if (this.#isLast || this.#isAsking(now)) return undefined;
    for (const lease of this.#leases.keys()) if (!lease.isDue(now)) return undefined;
    const perSecond = this.#worth(now);
    if (perSecond === 0) return undefined;
    for (const lease of this.#leases.keys()) if (lease.isOver(now)) this.end(lease);
    return this.#begin(now, perSecond, this.takeReport());
  }

  /** Takes the gate's answer; undefined means no lease. Returns the lease that came with it. */
  receive(call: GateCall, answer: Admission | undefined, now: number): IsolateLease | undefined {
    if (this.#asking === call) this.#asking = undefined;
    const { since, perSecond } = call;
    if (answer?.outcome === "refused" && answer.reason === "address")
      this.#outside = { since, isAllowed: addressFilter(answer.allowedAddresses) };
    else if (answer?.outcome === "refused") {
      this.endAll();
      this.#flood = undefined;
      const isFinal = answer.isOver || (answer.reason !== "wrong-secret" && answer.reason !== "paused");
      this.#refusal = { admission: answer, since, forMs: isFinal ? REFUSED_MS : SOON_OVER_MS };
    }
    // A refusal is about the key, whatever its limit. A "limited" that was under way at the same time must not replace it.
    if (answer?.outcome === "limited" && this.refused(now) === undefined) this.#flood = { quota: answer.quota, since };
    const lease = answer?.outcome === "admitted" ? answer.lease : undefined;
    if (perSecond > 0) this.#isLast = lease === undefined && this.#leases.size > 0;
    if (answer?.outcome !== "admitted" || lease === undefined) return undefined;
    const { lease: _, quota = { rateLimit: answer.rateLimit, remaining: 0, waitMs: 0 }, ...admitted } = answer;
    const isAllowed = addressFilter(admitted.tenant.allowedAddresses);
    // The gate's number does not include the admissions that older leases may still make.
    this.#remaining = [...this.#leases.keys()].reduce((total, { left }) => total + left, quota.remaining);
    const aheadMs = CALLS_AHEAD * (now - since) + (GAPS_AHEAD * 1_000) / perSecond;
    const granted = new IsolateLease(lease, since, aheadMs);
    this.#leases.set(granted, { admitted, quota, since, isAllowed });
    return granted;
  }

  get hasLease(): boolean {
    return this.#leases.size > 0;
  }

  /** Stops using the lease. The next call reports it. */
  end(lease: IsolateLease): void {
    if (this.#leases.delete(lease)) this.#endedLeases.push(lease.use);
  }

  endAll(): void {
    for (const lease of this.#leases.keys()) this.end(lease);
  }

  /** The key has changed, so the gate's earlier answers are void. Returns the report that the gate does not have. */
  forget(): Report | undefined {
    this.endAll();
    this.#flood = undefined;
    this.#refusal = undefined;
    this.#outside = undefined;
    return this.takeReport(true);
  }

  /**
   * The report is taken out before a call, so that two calls at the same time do not send it twice. Admissions alone wait for the
   * end of their lease, or for a call that is made anyway (`isCalled`).
   */
  takeReport(isCalled = false): Report | undefined {
    const isDue = this.#limited > 0 || this.#endedLeases.length > 0;
    if (!isDue && (!isCalled || this.#sightings.isEmpty)) return undefined;
    const report = {
      limited: this.#limited,
      admitted: this.#admitted,
      leases: this.#endedLeases,
      sightings: this.#sightings.take(),
    };
    this.#limited = 0;
    this.#admitted = 0;
    this.#endedLeases = [];
    this.#reportsAt = Number.NEGATIVE_INFINITY;
    return report;
  }

  /** Whether the caller has to plan a report of refusals `delayMs` from now. One report serves all of them. */
  plansReport(now: number, delayMs: number): boolean {
    if (now >= this.#reportsAt - delayMs && now < this.#reportsAt) return false;
    this.#reportsAt = now + delayMs;
    return true;
  }

  #begin(since: number, perSecond: number, report: Report | undefined): GateCall {
    const call = { since, perSecond, report };
    if (perSecond > 0) this.#asking = call;
    return call;
  }

  #isAsking(now: number): boolean {
    return this.#asking !== undefined && isWithin(this.#asking.since, now, DEADLINE_MS.withFallback);
  }

  #worth(now: number): number {
    const perSecond = this.#rate.perSecond(now);
    return perSecond >= MIN_PER_SECOND ? perSecond : 0;
  }
}
