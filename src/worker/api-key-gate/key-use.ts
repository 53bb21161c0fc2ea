/**
 * The knowledge that an isolate has of one API key that was used recently: how often, the leases that it holds, until when the key is over
 * its limit, and what the key's gate has not been told yet.
 */

import { addressFilter } from "../model/allowed-addresses.ts";
import type { Admission, Admitted, OwnDecision, Quota, Refused } from "../model/api-key.ts";
import type { Sender } from "../model/seen.ts";
import { HeldLease, type LeaseReport, RequestRate } from "../rate-limit/lease.ts";
import { DEADLINE_MS, isWithin } from "../store/deadline.ts";
import { PendingSightings } from "./pending-sightings.ts";
import type { Report } from "./reports.ts";

/**
 * A key over its limit, as its gate said to a call that began at `since`: counted from then, two clocks and the way back never refuse
 * longer than the gate would.
 */
type Flood = { readonly quota: Quota; readonly since: number };

/** The key is refused, as its gate said: for so long it is not asked again. */
type Refusal = { readonly admission: Refused; readonly since: number; readonly forMs: number };

/** The answer that a lease came with, to a call that began at `since`: what was granted holds as long as the lease. */
type Granted = {
  readonly admitted: Admitted;
  readonly quota: Quota;
  readonly since: number;
  readonly isAllowed: (address: string | null) => boolean;
};

/** From where a key may be used, as its gate said to a call that began at `since`, of an address that was refused. */
type Outside = Pick<Granted, "since" | "isAllowed">;

/** A call to the gate that began at `since`. It brings a report, and asks for a lease unless `perSecond` is 0. */
export type GateCall = { readonly since: number; readonly perSecond: number; readonly report: Report | undefined };

const MAX_FLOOD_MS = 60_000;
const REFUSED_MS = 60_000;
/** A gate that was not notified of a rotation refuses the new secret, and a pause ends: that must not be repeated for longer. */
const SOON_OVER_MS = 1_000;
const OUTSIDE_MS = 1_000;
const REFUSED_ADDRESS: Refused = { outcome: "refused", reason: "address" };
/** Fewer requests a second are worth no lease: asking for it and reporting it are calls, too. */
const MIN_PER_SECOND = 3;
/** The next lease is asked for so many calls (as long as this one's) and so many requests before this one ends. */
const CALLS_AHEAD = 3;
const GAPS_AHEAD = 2;

export class KeyUse {
  /** Of the key that requests come with. */
  readonly secretHash: string;
  readonly #rate = new RequestRate();
  /** The oldest is used first. */
  readonly #leases = new Map<HeldLease, Granted>();
  /** Of the limit, as far as this isolate knows. */
  #remaining = 0;
  #flood: Flood | undefined;
  #refusal: Refusal | undefined;
  #outside: Outside | undefined;
  /** Decided here, and in no report yet. */
  #limited = 0;
  #admitted = 0;
  readonly #sightings = new PendingSightings();
  #endedLeases: LeaseReport[] = [];
  /** The call under way that may bring a lease: one at a time, and a call that never ends keeps nobody from asking for long. */
  #asking: GateCall | undefined;
  /** The gate had no lease to follow the ones that are held: these are used to their end. */
  #isLast = false;
  /** When the refusals that are in no report yet are reported at the latest. */
  #reportsAt = Number.NEGATIVE_INFINITY;

  constructor(secretHash: string) {
    this.secretHash = secretHash;
  }

  /** The refusal of the key, whatever the request, if its gate has refused it a while ago. */
  refused(now: number): Refused | undefined {
    const refusal = this.#refusal;
    return refusal && isWithin(refusal.since, now, refusal.forMs) ? refusal.admission : undefined;
  }

  /** Decides a request without the gate, if that can be. */
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
      // Without a lease, which is reported, the gate is asked soon, and sees the next one itself.
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

  /** A request that cannot be decided here goes to the gate: no lease is of use any more. */
  ask(now: number): GateCall {
    this.#rate.count(now);
    this.endAll();
    return this.#begin(now, this.#isAsking(now) ? 0 : this.#worth(now), this.takeReport(true));
  }

  /** The next lease is asked for now, ahead of the end of those that are held; undefined when it is too early, or of no use. */
  askAhead(now: number): GateCall | undefined {
    if (this.#isLast || this.#isAsking(now)) return undefined;
    for (const lease of this.#leases.keys()) if (!lease.isDue(now)) return undefined;
    const perSecond = this.#worth(now);
    if (perSecond === 0) return undefined;
    for (const lease of this.#leases.keys()) if (lease.isOver(now)) this.end(lease);
    return this.#begin(now, perSecond, this.takeReport());
  }

  /** Takes what the gate has answered; undefined is no lease. Returns the lease that came with it. */
  take(call: GateCall, answer: Admission | undefined, now: number): HeldLease | undefined {
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
    // A refusal is of the key, whatever its limit: an answer that was on its way beside it changes nothing.
    if (answer?.outcome === "limited" && this.refused(now) === undefined) this.#flood = { quota: answer.quota, since };
    const lease = answer?.outcome === "admitted" ? answer.lease : undefined;
    if (perSecond > 0) this.#isLast = lease === undefined && this.#leases.size > 0;
    if (answer?.outcome !== "admitted" || lease === undefined) return undefined;
    const { lease: _, quota = { rateLimit: answer.rateLimit, remaining: 0, waitMs: 0 }, ...admitted } = answer;
    const isAllowed = addressFilter(admitted.tenant.allowedAddresses);
    // The gate's number leaves out the admissions that older leases may still make.
    this.#remaining = [...this.#leases.keys()].reduce((total, { left }) => total + left, quota.remaining);
    const aheadMs = CALLS_AHEAD * (now - since) + (GAPS_AHEAD * 1_000) / perSecond;
    const held = new HeldLease(lease, since, aheadMs);
    this.#leases.set(held, { admitted, quota, since, isAllowed });
    return held;
  }

  get hasLease(): boolean {
    return this.#leases.size > 0;
  }

  /** The lease is not used any more, and is reported with the next call. */
  end(lease: HeldLease): void {
    if (this.#leases.delete(lease)) this.#endedLeases.push(lease.use);
  }

  endAll(): void {
    for (const lease of this.#leases.keys()) this.end(lease);
  }

  /** The key has changed, so nothing that its gate said before is of use. Returns what the gate does not know. */
  forget(): Report | undefined {
    this.endAll();
    this.#flood = undefined;
    this.#refusal = undefined;
    this.#outside = undefined;
    return this.takeReport(true);
  }

  /**
   * Taken before a call, so that requests at the same time do not report the same. Admissions alone wait for a call that is made anyway
   * (`isCalled`), or for the end of their lease.
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

  /** Whether a report of refusals is to be planned, `delayMs` later: it is planned once for all of them. */
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
