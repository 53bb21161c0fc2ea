/**
 * Isolates that share a gate, in simulated time: the pure parts of both sides, with calls that take their time or get lost, isolates
 * that die, and a gate that crashes. When requests were really admitted is remembered, for an oracle.
 */
import { type GateCall, KeyUse } from "../../src/worker/api-key-gate/key-use.ts";
import type { Report } from "../../src/worker/api-key-gate/report.ts";
import type { Admission } from "../../src/worker/model/api-key.ts";
import type { Lease } from "../../src/worker/rate-limit/lease.ts";
import { LeasedWindow, longestLease } from "../../src/worker/rate-limit/leased-window.ts";
import type { RateLimit } from "../../src/worker/rate-limit/sliding-window.ts";

const TENANT = { accountId: "a", accountSuspended: false, scopes: [], allowedAddresses: null };
export const LEASE_MS = 1_000;
const HEADROOM = 1.5;
const EPOCH = 1_000_000;

/** `thereMs` to the gate and `backMs` to the isolate; `lost` is what does not arrive. */
export type Call = { readonly thereMs: number; readonly backMs: number; readonly lost: "no" | "request" | "answer" };

const SENT = new Request("https://api.example/tenant/whoami");

type Isolate = { use: KeyUse; readonly skewMs: number };

export class LeaseWorld {
  now = EPOCH;
  /** When requests were admitted, by the gate or an isolate. */
  readonly admitted: number[] = [];
  /** When requests were refused, and what had been admitted in the window before. */
  readonly refused: { readonly at: number; readonly counted: number }[] = [];
  readonly crashes: number[] = [];
  leases = 0;
  /** Requests that waited for the gate. */
  waited = 0;
  gateCalls = 0;
  writes = 0;
  readonly #isolates: Isolate[];
  #gate: LeasedWindow;
  #stored: Float64Array = new Float64Array();
  /** In the order in which they happen. */
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];

  constructor(rateLimit: RateLimit, skews: readonly number[]) {
    this.#isolates = skews.map((skewMs) => ({ use: new KeyUse("hash"), skewMs }));
    this.#gate = new LeasedWindow(rateLimit, { stored: this.#stored, now: this.now });
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
    const { use } = isolate;
    const clock = this.now + isolate.skewMs;
    const decided = use.decide({ now: clock, address: null, operation: "whoami", sent: SENT });
    if (decided?.outcome === "admitted") {
      this.admitted.push(this.now);
      const ahead = use.askAhead(clock);
      if (ahead !== undefined) this.#call(isolate, ahead, call, () => this.#nextLease(ahead));
    } else if (decided === undefined) {
      this.waited += 1;
      const ask = use.ask(clock);
      this.#call(isolate, ask, call, () => this.#admit(ask));
    } else this.#refuse();
  }

  /** The isolate is gone, and what it held. */
  kill(index: number): void {
    this.#at(index).use = new KeyUse("hash");
  }

  /** The gate starts again, from what it has stored. */
  crashGate(): void {
    this.crashes.push(this.now);
    this.#gate = new LeasedWindow(this.rateLimit, { stored: structuredClone(this.#stored), now: this.now });
  }

  /** The owner changes the limit: it holds when the longest lease has ended. Returns when that is. */
  changeLimit(limit: number): number {
    this.#gate = this.#gate.under({ ...this.rateLimit, limit }, this.now);
    return this.now + LEASE_MS;
  }

  /** `thereMs` later the gate answers, and `backMs` later its answer is taken; or the call fails, and its report is lost. */
  #call(isolate: Isolate, ask: GateCall, { thereMs, backMs, lost }: Call, answerOf: () => Admission | undefined): void {
    const { use, skewMs } = isolate;
    const fail = () => void use.receive(ask, undefined, this.now + skewMs);
    this.#in(thereMs, () => {
      if (lost === "request") {
        fail();
        return;
      }
      this.gateCalls += 1;
      this.#settle(ask.report);
      const answer = structuredClone(answerOf());
      this.#in(backMs, () => {
        if (lost === "answer") fail();
        else this.#take(isolate, use, ask, answer);
      });
    });
  }

  #take(isolate: Isolate, use: KeyUse, ask: GateCall, answer: Admission | undefined): void {
    const lease = use.receive(ask, answer, this.now + isolate.skewMs);
    if (lease === undefined) return;
    this.#in(lease.usableMs, () => {
      if (isolate.use !== use) return;
      use.end(lease);
      if (use.hasLease) return;
      const report = use.takeReport();
      this.#in(1, () => this.#settle(report));
    });
  }

  #admit({ perSecond }: GateCall): Admission {
    const { admitted, remaining, waitMs } = this.#gate.admit(this.now);
    if (admitted) this.admitted.push(this.now);
    else this.#refuse();
    const { rateLimit } = this;
    const quota = { rateLimit, remaining, waitMs };
    const lease = admitted ? this.#grant(perSecond) : undefined;
    if (admitted) this.#leave(1 + (lease?.admissions ?? 0), lease);
    return admitted
      ? { outcome: "admitted", tenant: TENANT, rateLimit, quota, ...(lease && { lease }) }
      : { outcome: "limited", quota };
  }

  #nextLease({ perSecond }: GateCall): Admission | undefined {
    const lease = this.#grant(perSecond);
    if (lease === undefined) return undefined;
    this.#leave(lease.admissions, lease);
    const { rateLimit } = this;
    const quota = { rateLimit, remaining: this.#gate.remaining(this.now) + lease.admissions, waitMs: 0 };
    return { outcome: "admitted", tenant: TENANT, rateLimit, quota, lease };
  }

  #grant(perSecond: number): Lease | undefined {
    if (perSecond === 0) return undefined;
    const forMs = longestLease(this.rateLimit, LEASE_MS);
    const wanted = { id: `${this.leases}`, admissions: Math.ceil((perSecond * HEADROOM * forMs) / 1_000), forMs };
    const admissions = this.#gate.grant(this.now, wanted);
    if (admissions === 0) return undefined;
    this.leases += 1;
    return { ...wanted, admissions };
  }

  /** What leaves the gate is stored before. */
  #leave(admissions: number, lease: Lease | undefined): void {
    if (this.#gate.takeReserved(admissions, this.now + (lease?.forMs ?? 0))) return;
    this.writes += 1;
    this.#stored = this.#gate.store(this.now);
  }

  #settle(report: Report | undefined): void {
    for (const lease of report?.leases ?? []) this.#gate.settle(lease, this.now);
  }

  #refuse(): void {
    const from = this.now - this.rateLimit.windowMs;
    this.refused.push({ at: this.now, counted: this.admitted.filter((at) => at > from).length });
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
