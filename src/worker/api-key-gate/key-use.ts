/**
 * An isolate's knowledge of one API key in recent use: its rate, its leases, the gate's last answers, and the report that the gate
 * has yet to get.
 */

import { addressFilter } from "../model/allowed-addresses.ts";
import type { Admission, Admitted, OwnDecision, Quota, Refused } from "../model/api-key.ts";
import type { Sender } from "../model/seen.ts";
import { IsolateLease, RequestRate } from "../rate-limit/lease.ts";
import { DEADLINE_MS, isWithin } from "../store/deadline.ts";
import { PendingReport, type Report } from "./report.ts";

/**
 * The gate said it in its answer to a call that began at `since`, and it holds for `forMs` from then. So the isolate never relies
 * on it longer than the gate would, although their clocks differ and the answer took time.
 */
type Known<Value> = { readonly value: Value; readonly since: number; readonly forMs: number };

type AddressFilter = ReturnType<typeof addressFilter>;

/** The answer that came with a lease, to a call that began at `since`. It holds as long as the lease. */
type Granted = {
  readonly admitted: Admitted;
  readonly quota: Quota;
  readonly since: number;
  readonly isAllowed: AddressFilter;
};

/** A call to the gate that began at `since`. It carries a report, and asks for a lease unless `perSecond` is 0. */
export type GateCall = { readonly since: number; readonly perSecond: number; readonly report: Report | undefined };

/** A longer flood is interrupted by a call, so that a raised limit or a revocation is noticed. */
const MAX_FLOOD_MS = 60_000;
const REFUSED_MS = 60_000;
/**
 * Refusals that may end soon are remembered only this long: a pause, and the refusal of a new secret by a gate that was not
 * notified of the rotation.
 */
const SOON_OVER_MS = 1_000;
const ADDRESSES_MS = 1_000;
/** Below this many requests a second a lease costs more than it saves, because asking for it and reporting it are calls, too. */
const MIN_PER_SECOND = 3;
/** The next lease is requested this many calls (as long as this one took) and this many requests before the current one ends. */
const CALLS_AHEAD = 3;
const GAPS_AHEAD = 2;

export class KeyUse {
  /** The hash of the key that the requests send. */
  readonly secretHash: string;
  readonly #rate = new RequestRate();
  /** In the order in which they are used, the oldest first. */
  readonly #leases = new Map<IsolateLease, Granted>();
  /** The remaining requests under the limit, as far as this isolate knows. */
  #remaining = 0;
  /** The gate answered "limited". */
  #flood: Known<Quota> | undefined;
  /** The gate refused the key, whatever the address. */
  #refusal: Known<Refused> | undefined;
  /** The addresses from which the key may be used. */
  #addresses: Known<AddressFilter> | undefined;
  #pending = new PendingReport();
  /** The call under way that may bring a lease. There is one at a time; one that never ends delays the next for two seconds. */
  #asking: GateCall | undefined;
  /** The gate gave no further lease: the current ones are used to their end. */
  #isLast = false;

  constructor(secretHash: string) {
    this.secretHash = secretHash;
  }

  /** Decides a request without the gate. Undefined when the gate has to decide; then nothing was counted. */
  decide(sender: Sender): OwnDecision | undefined {
    return (
      at(this.#refusal, sender.now) ??
      this.#admitByLease(sender) ??
      this.#refuseAddress(sender) ??
      this.#limitInFlood(sender)
    );
  }

  #admitByLease(sender: Sender): OwnDecision | undefined {
    const { now, address } = sender;
    for (const [lease, { admitted, quota, since, isAllowed }] of this.#leases) {
      if (!isAllowed(address) || !lease.admit(now)) continue;
      this.#rate.count(now);
      this.#remaining = Math.max(0, this.#remaining - 1);
      this.#pending.countAdmitted(sender);
      const waitMs = Math.max(0, quota.waitMs - (now - since));
      return { ...admitted, quota: { ...quota, remaining: this.#remaining, waitMs } };
    }
    return undefined;
  }

  #refuseAddress(sender: Sender): Refused | undefined {
    const isAllowed = at(this.#addresses, sender.now);
    if (isAllowed === undefined || isAllowed(sender.address)) return undefined;
    this.#pending.countRefused(sender, "address");
    return { outcome: "refused", reason: "address" };
  }

  #limitInFlood(sender: Sender): OwnDecision | undefined {
    const { now } = sender;
    const quota = at(this.#flood, now);
    if (this.#flood === undefined || quota === undefined) return undefined;
    this.#rate.count(now);
    this.#pending.countRefused(sender, "limited");
    return { outcome: "limited", quota: { ...quota, waitMs: quota.waitMs - (now - this.#flood.since) } };
  }

  /** Begins a call for a request that cannot be decided here. The leases end, because they are no longer useful. */
  ask(now: number): GateCall {
    this.#rate.count(now);
    this.#endAll();
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
    if (answer?.outcome === "refused") this.#receiveRefusal(answer, since);
    // A refusal is about the key, whatever its limit. A "limited" that was under way at the same time must not replace it.
    if (answer?.outcome === "limited" && at(this.#refusal, now) === undefined)
      this.#flood = { value: answer.quota, since, forMs: Math.min(answer.quota.waitMs, MAX_FLOOD_MS) };
    const lease = answer?.outcome === "admitted" ? answer.lease : undefined;
    if (perSecond > 0) this.#isLast = lease === undefined && this.hasLease;
    if (answer?.outcome !== "admitted" || lease === undefined) return undefined;
    const { lease: _, quota = { rateLimit: answer.rateLimit, remaining: 0, waitMs: 0 }, ...admitted } = answer;
    const isAllowed = addressFilter(admitted.tenant.allowedAddresses);
    // The gate's number does not include the admissions that older leases may still make.
    this.#remaining = [...this.#leases.keys()].reduce((total, { left }) => total + left, quota.remaining);
    const aheadMs = CALLS_AHEAD * (now - since) + (GAPS_AHEAD * 1_000) / perSecond;
    const granted = new IsolateLease(lease, since, aheadMs);
    this.#leases.set(granted, { admitted, quota, since, isAllowed });
    this.#addresses = { value: isAllowed, since, forMs: granted.usableMs };
    return granted;
  }

  #receiveRefusal(refused: Refused, since: number): void {
    if (refused.reason === "address") {
      this.#addresses = { value: addressFilter(refused.allowedAddresses), since, forMs: ADDRESSES_MS };
      return;
    }
    this.#endAll();
    this.#flood = undefined;
    const isFinal = refused.isOver || (refused.reason !== "wrong-secret" && refused.reason !== "paused");
    this.#refusal = { value: refused, since, forMs: isFinal ? REFUSED_MS : SOON_OVER_MS };
  }

  /** The operation of an admitted request that came without one. */
  nameOperation(sender: Sender): void {
    this.#pending.nameOperation(sender);
  }

  get hasLease(): boolean {
    return this.#leases.size > 0;
  }

  /** Stops using the lease. The next call reports it. */
  end(lease: IsolateLease): void {
    if (this.#leases.delete(lease)) this.#pending.addEnded(lease.use);
  }

  #endAll(): void {
    for (const lease of this.#leases.keys()) this.end(lease);
  }

  /** The key has changed, so the gate's earlier answers are void. Returns the report that the gate does not have. */
  forget(): Report | undefined {
    this.#endAll();
    this.#flood = undefined;
    this.#refusal = undefined;
    this.#addresses = undefined;
    return this.takeReport(true);
  }

  /**
   * The report is taken out before a call, so that two calls at the same time do not send it twice. `isCalled`: the call is made
   * anyway. Undefined when there is none, or when it can wait.
   */
  takeReport(isCalled = false): Report | undefined {
    const report = this.#pending.toReport(isCalled);
    if (report !== undefined) this.#pending = new PendingReport();
    return report;
  }

  /** Whether the caller has to plan a report of refusals, or of operations. One report serves all of them. */
  plansReport(): boolean {
    return this.#pending.plan();
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

const at = <Value>(known: Known<Value> | undefined, now: number): Value | undefined =>
  known !== undefined && isWithin(known.since, now, known.forMs) ? known.value : undefined;
