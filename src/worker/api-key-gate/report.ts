/** The messages from an isolate to a key's gate, besides the request itself, and how the isolate collects them. */
import { type Operations, type Seen, type SeenRefusal, type Sender, toSeen } from "../model/seen.ts";
import type { LeaseReport } from "../rate-limit/lease.ts";

/** Some decisions: their numbers, and the facts of the last admitted request and of the last refused one. */
export type Decisions = {
  readonly admitted: number;
  readonly limited: number;
  readonly operations: Operations;
  readonly used?: Seen | undefined;
  readonly refused?: SeenRefusal | undefined;
};

/** One decision. `seen` describes its request. */
export const decided = (outcome: "admitted" | SeenRefusal["reason"], seen: Seen | undefined): Decisions => ({
  admitted: outcome === "admitted" ? 1 : 0,
  limited: outcome === "limited" ? 1 : 0,
  operations: seen?.operation && outcome === "admitted" ? { [seen.operation]: 1 } : {},
  ...(seen && (outcome === "admitted" ? { used: named(seen) } : { refused: { ...named(seen), reason: outcome } })),
});

/** A request at `/mcp` has no operation until its body names it. Until then, and when it is refused, it counts as "mcp". */
const named = (seen: Seen): Seen => (seen.operation === "" ? { ...seen, operation: "mcp" } : seen);

/**
 * The decisions that an isolate made by itself, and its leases that have ended. A report is sent once: if its call fails, it is
 * lost.
 */
export type Report = Decisions & { readonly leases: readonly LeaseReport[] };

/**
 * An isolate sends this with a request. `perSecond` is its recent rate with the key; 0 asks for no lease. `seen` describes the
 * request.
 */
export type Ask = {
  readonly perSecond: number;
  readonly seen?: Seen | undefined;
  readonly report?: Report | undefined;
};

/** The next report of an isolate about a key. A request costs a count and a reference; its facts are read when they are reported. */
export class PendingReport {
  #admitted = 0;
  #limited = 0;
  readonly #operations: Record<string, number> = {};
  #used: Sender | undefined;
  #refused: { readonly sender: Sender; readonly reason: SeenRefusal["reason"] } | undefined;
  readonly #leases: LeaseReport[] = [];
  #isPlanned = false;
  #hasNamed = false;

  countAdmitted(sender: Sender): void {
    this.#admitted += 1;
    this.#countOperation(sender);
  }

  /** The operation of a request that was counted as admitted before it was known. */
  nameOperation(sender: Sender): void {
    this.#hasNamed = true;
    this.#countOperation(sender);
  }

  #countOperation(sender: Sender): void {
    const { operation } = sender;
    if (operation !== "") this.#operations[operation] = (this.#operations[operation] ?? 0) + 1;
    this.#used = sender;
  }

  /** A request over the limit is also a number in the report; one from another address is only its facts. */
  countRefused(sender: Sender, reason: "limited" | "address"): void {
    if (reason === "limited") this.#limited += 1;
    this.#refused = { sender, reason };
  }

  addEnded(lease: LeaseReport): void {
    this.#leases.push(lease);
  }

  /** Returns true once for each report: then the caller has to send it later. */
  plan(): boolean {
    const isFirst = !this.#isPlanned;
    this.#isPlanned = true;
    return isFirst;
  }

  /**
   * The report. Undefined when nothing is due: plain admissions wait for the end of their lease, or for a call that is made anyway
   * (`isCalled`).
   */
  toReport(isCalled: boolean): Report | undefined {
    const isDue = this.#limited > 0 || this.#leases.length > 0 || this.#hasNamed;
    if (!isDue && (!isCalled || (this.#used === undefined && this.#refused === undefined))) return undefined;
    return {
      admitted: this.#admitted,
      limited: this.#limited,
      operations: this.#operations,
      used: this.#used && named(toSeen(this.#used)),
      refused: this.#refused && { ...named(toSeen(this.#refused.sender)), reason: this.#refused.reason },
      leases: this.#leases,
    };
  }
}
