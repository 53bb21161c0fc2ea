/**
 * Isolates that share a gate, in simulated time: the pure parts of both sides, with calls that take their time or get lost.
 * What really happened is remembered, for an oracle.
 */
import { KeyUse } from "../../src/worker/api-key-gate/key-use.ts";
import type { Admitted } from "../../src/worker/model/api-key.ts";
import type { HeldLease, Lease } from "../../src/worker/rate-limit/lease.ts";
import { LeasedWindow, longestLease } from "../../src/worker/rate-limit/leased-window.ts";
import type { RateLimit } from "../../src/worker/rate-limit/sliding-window.ts";

const TENANT = { accountId: "a", accountSuspended: false, scopes: [] };
const LEASE_MS = 1_000;
const HEADROOM = 1.5;
const EPOCH = 1_000_000;

/** `thereMs` to the gate and `backMs` to the isolate; `lost` is what does not arrive. */
export type Call = { readonly thereMs: number; readonly backMs: number; readonly lost: "no" | "request" | "answer" };

/** `granted` is the lease that it uses. */
type Isolate = { use: KeyUse; readonly skewMs: number; granted?: Granted };

/** A lease as the world knows it: how much of it was used, and whether it was renewed or given back. */
export type Granted = { readonly endsAt: number; readonly admissions: number; used: number; returned: boolean };

/**
 * What was true when the gate refused a request: how many were really admitted in the last window, and before it for a lease's
 * length and a call's way to the gate (what is used while a renewal is on its way counts as the new lease's); and what leases
 * held that was not used: all of them, and those that had not ended.
 */
export type Refusal = { readonly counted: number; readonly unused: number; readonly outstanding: number };

export class LeaseWorld {
  now = EPOCH;
  /** When requests were really admitted. */
  readonly admitted: number[] = [];
  readonly refused: Refusal[] = [];
  readonly granted: Granted[] = [];
  gateCalls = 0;
  readonly #isolates: Isolate[];
  #gate: LeasedWindow;
  /** In the order in which they happen. */
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];
  readonly #leases = new Map<string, Granted>();
  readonly #held = new Map<HeldLease, Granted>();
  #ids = 0;
  #longestWayMs = 0;

  constructor(rateLimit: RateLimit, skews: readonly number[]) {
    this.#isolates = skews.map((skewMs) => ({ use: new KeyUse(), skewMs }));
    this.#gate = new LeasedWindow(rateLimit, new Float64Array(), this.now);
  }

  get rateLimit(): RateLimit {
    return this.#gate.rateLimit;
  }

  /** Time passes, and what is due in it happens. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    for (let next = this.#events[0]; next !== undefined && next.at <= until; next = this.#events[0]) {
      this.#events.shift();
      this.now = next.at;
      next.run();
    }
    this.now = until;
  }

  /** A request arrives at an isolate. */
  request(index: number, call: Call): void {
    const isolate = this.#at(index);
    this.#longestWayMs = Math.max(this.#longestWayMs, call.thereMs);
    const { use } = isolate;
    const clock = this.now + isolate.skewMs;
    const decided = use.decide(clock);
    if (decided?.outcome === "admitted") {
      this.admitted.push(this.now);
      if (isolate.granted) isolate.granted.used += 1;
      this.#renew(isolate, call);
    }
    if (decided === undefined) this.#ask(isolate, call);
  }

  /** The isolate is gone, and what it held. */
  kill(index: number): void {
    const isolate = this.#at(index);
    isolate.use = new KeyUse();
  }

  /** The gate starts again, from what it has stored. */
  restartGate(): void {
    this.#gate = new LeasedWindow(this.rateLimit, structuredClone(this.#gate.times(this.now)), this.now);
  }

  /** The owner changes the limit: it holds when every lease that was granted before has ended. Returns when that is. */
  changeLimit(limit: number): number {
    this.#gate = this.#gate.under({ ...this.rateLimit, limit }, this.now);
    return Math.max(this.now, ...this.granted.map(({ endsAt }) => endsAt));
  }

  #ask(isolate: Isolate, { thereMs, backMs, lost }: Call): void {
    const { use } = isolate;
    const since = this.now + isolate.skewMs;
    const report = use.takeReport();
    const { perSecond } = use.wish(since);
    if (lost === "request") {
      use.putBack(report);
      return;
    }
    this.#in(thereMs, () => {
      this.gateCalls += 1;
      if (report.lease !== undefined) this.#settle(report.lease);
      const { admitted, remaining, waitMs } = this.#gate.admit(this.now);
      const { rateLimit } = this;
      const quota = { rateLimit, remaining, waitMs };
      if (admitted) this.admitted.push(this.now);
      else this.refused.push(this.#refusal());
      const lease = admitted ? this.#grant(perSecond, undefined) : undefined;
      if (lost === "answer") {
        use.putBack(report);
        return;
      }
      this.#in(backMs, () => {
        const answer = admitted
          ? ({ outcome: "admitted", tenant: TENANT, rateLimit, quota, ...(lease && { lease }) } as const)
          : ({ outcome: "limited", quota } as const);
        this.#take(isolate, lease, use.take(answer, since), use);
      });
    });
  }

  #renew(isolate: Isolate, { thereMs, backMs, lost }: Call): void {
    const { use } = isolate;
    const since = this.now + isolate.skewMs;
    const due = use.startRenewal(since);
    if (due === undefined) return;
    const failed = () => void use.renewed(due.held, due.use.used, undefined, since);
    if (lost === "request") {
      this.#in(thereMs, failed);
      return;
    }
    this.#in(thereMs, () => {
      this.gateCalls += 1;
      const lease = this.#grant(due.perSecond, due.use);
      if (lost === "answer") {
        failed();
        return;
      }
      this.#in(backMs, () => {
        const { rateLimit } = this;
        const quota = { rateLimit, remaining: 0, waitMs: 0 };
        const answer: Admitted | undefined = lease && { outcome: "admitted", tenant: TENANT, rateLimit, quota, lease };
        const old = this.#held.get(due.held);
        const held = use.renewed(due.held, due.use.used, answer, since);
        const renewed = lease && this.#leases.get(lease.id);
        // What was used since the renewal began is charged to the new lease.
        if (renewed && old) renewed.used += old.used - due.use.used;
        this.#take(isolate, lease, held, use);
      });
    });
  }

  #refusal(): Refusal {
    const { windowMs } = this.rateLimit;
    const from = this.now - windowMs - longestLease(this.rateLimit, LEASE_MS) - this.#longestWayMs;
    const unused = (after: number) =>
      this.granted
        .filter(({ endsAt, returned }) => endsAt > after && !returned)
        .reduce((sum, lease) => sum + lease.admissions - lease.used, 0);
    const counted = this.admitted.filter((at) => at > from).length;
    return { counted, unused: unused(this.now - windowMs), outstanding: unused(this.now) };
  }

  #grant(perSecond: number, renews: Parameters<LeasedWindow["grant"]>[1]["renews"]): Lease | undefined {
    const forMs = longestLease(this.rateLimit, LEASE_MS);
    if (perSecond === 0) return undefined;
    this.#ids += 1;
    const id = `${this.#ids}`;
    const wanted = Math.ceil((perSecond * HEADROOM * forMs) / 1_000);
    const admissions = this.#gate.grant(this.now, { id, admissions: wanted, forMs, renews });
    if (admissions === 0) return undefined;
    const granted = { endsAt: this.now + forMs, admissions, used: 0, returned: false };
    const old = renews && this.#leases.get(renews.id);
    if (old) old.returned = true;
    this.granted.push(granted);
    this.#leases.set(id, granted);
    return { id, admissions, forMs };
  }

  #take(isolate: Isolate, lease: Lease | undefined, held: HeldLease | undefined, use: KeyUse): void {
    const granted = lease && this.#leases.get(lease.id);
    if (held === undefined || granted === undefined || isolate.use !== use) return;
    this.#held.set(held, granted);
    isolate.granted = granted;
    this.#in(held.usableMs, () => {
      const report = use.end(held);
      const ended = report?.lease;
      if (ended !== undefined && isolate.use === use) this.#in(1, () => this.#settle(ended));
    });
  }

  #settle(ended: { readonly id: string; readonly used: number }): void {
    const granted = this.#leases.get(ended.id);
    if (this.#gate.settle(ended) && granted) granted.returned = true;
  }

  #in(milliseconds: number, run: () => void): void {
    const at = this.now + milliseconds;
    const before = this.#events.findLastIndex((event) => event.at <= at);
    this.#events.splice(before + 1, 0, { at, run });
  }

  #at(index: number): Isolate {
    const isolate = this.#isolates[index % this.#isolates.length];
    if (isolate === undefined) throw new Error("a world needs an isolate");
    return isolate;
  }
}
