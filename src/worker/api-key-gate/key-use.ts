/** What an isolate holds of one API key that was used recently: its rate, a lease, a flood, and what it has not reported to its gate. */
import { DEADLINE_MS } from "../memory/deadline.ts";
import type { Admission, Admitted, Quota } from "../model/api-key.ts";
import { HeldLease, type Lease, type LeaseUse, RequestRate } from "../rate-limit/lease.ts";
import type { LeaseWish, Report } from "./reports.ts";

/**
 * A key over its limit, as its gate said at `since`: nothing can be admitted before `retryAt`, and the gate is not asked before
 * `askAt` (Unix milliseconds).
 */
type Flood = { readonly quota: Quota; readonly since: number; readonly retryAt: number; readonly askAt: number };

/** A lease, and the gate's answer that came with it. */
type Leased = { readonly held: HeldLease; readonly answer: Admitted; readonly quota: Quota; readonly since: number };

const MAX_FLOOD_MS = 60_000;
/** Fewer requests a second are worth no lease: its renewal and its end are calls, too. */
const MIN_PER_SECOND = 3;

export class KeyUse {
  readonly #rate = new RequestRate();
  #leased: Leased | undefined;
  #flood: Flood | undefined;
  #limited = 0;
  /** A lease that has ended, whose report did not reach the gate. */
  #unreported: LeaseUse | undefined;
  /** A call that may bring a lease began then. One at a time; a call that never ends keeps nobody from asking for long. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Its gate has not renewed it: it is used to its end. */
  #last: HeldLease | undefined;
  #tellsAt = Number.NEGATIVE_INFINITY;

  /** Decides a request at `now` (Unix milliseconds) without the gate, if that can be. */
  decide(now: number): Admission | undefined {
    this.#rate.count(now);
    const used = this.#leased?.held.admit(now) ?? 0;
    if (this.#leased !== undefined && used > 0) {
      const { answer, quota, since } = this.#leased;
      const remaining = Math.max(0, quota.remaining - used);
      return { ...answer, quota: { ...quota, remaining, waitMs: Math.max(0, quota.waitMs - (now - since)) } };
    }
    const flood = this.#flood;
    // A clock that has stepped back to before the flood says nothing of how long it lasts: the gate does.
    if (flood === undefined || now < flood.since || now >= flood.askAt) return undefined;
    this.#limited += 1;
    return { outcome: "limited", quota: { ...flood.quota, waitMs: flood.retryAt - now } };
  }

  /** Taken before a call, so that requests at the same time do not tell the same; the isolate holds no lease after it. */
  takeReport(): Report {
    const report = { limited: this.#limited, lease: this.#leased?.held.use ?? this.#unreported };
    if (this.#leased === undefined) this.#unreported = undefined;
    this.#limited = 0;
    this.#leased = undefined;
    return report;
  }

  /**
   * The gate was not reached: the next call tells it. It counts a lease once, however often it is reported; one that is never
   * given back leaves with the window.
   */
  putBack({ limited, lease }: Report): void {
    this.#limited += limited;
    this.#unreported ??= lease;
  }

  wish(now: number): LeaseWish {
    const perSecond = this.#leased === undefined && !this.#isAsking(now) ? this.#worth(now) : 0;
    if (perSecond > 0) this.#askedAt = now;
    return { perSecond };
  }

  /** Whether the refusals that the gate does not know of are to be reported `delayMs` later: once in that time. */
  mustTell(now: number, delayMs: number): boolean {
    if (this.#limited === 0 || (now >= this.#tellsAt - delayMs && now < this.#tellsAt)) return false;
    this.#tellsAt = now + delayMs;
    return true;
  }

  /** Takes what the gate has answered to a call that began at `since`. Returns the lease that came with it. */
  take(admission: Admission, since: number): HeldLease | undefined {
    if (this.#askedAt === since) this.#askedAt = Number.NEGATIVE_INFINITY;
    if (admission.outcome === "refused") this.#leased = undefined;
    if (admission.outcome === "limited") {
      // Counted from before the call, so that two clocks and the way back never refuse longer than the gate would.
      const { quota } = admission;
      const askAt = since + Math.min(quota.waitMs, MAX_FLOOD_MS);
      this.#flood = { quota, since, retryAt: since + quota.waitMs, askAt };
    }
    if (admission.outcome !== "admitted" || admission.lease === undefined) return undefined;
    return this.#hold(admission, admission.lease, since);
  }

  /**
   * The lease to renew now, and the rate to renew it for; undefined when none is due. The isolate goes on with the old lease
   * until `renewed`.
   */
  startRenewal(now: number) {
    const { held } = this.#leased ?? {};
    const perSecond = this.#worth(now);
    if (held === undefined || held === this.#last || perSecond === 0) return undefined;
    if (!held.isDue(now) || this.#isAsking(now)) return undefined;
    this.#askedAt = now;
    return { held, use: held.use, perSecond };
  }

  /** `before` was used when the renewal began. Returns the new lease, if there is one. */
  renewed(old: HeldLease, before: number, answer: Admitted | undefined, since: number): HeldLease | undefined {
    if (this.#askedAt === since) this.#askedAt = Number.NEGATIVE_INFINITY;
    if (answer?.lease === undefined) {
      this.#last = old;
      return undefined;
    }
    const held = this.#hold(answer, answer.lease, since);
    held.startWith(old.use.used - before);
    return held;
  }

  /** The lease has ended: to be given back, unless it was renewed or given back before. */
  end(held: HeldLease): Report | undefined {
    return this.#leased?.held === held ? this.takeReport() : undefined;
  }

  #hold(answer: Admitted, lease: Lease, since: number): HeldLease {
    const held = new HeldLease(lease, since);
    const { rateLimit } = answer;
    const { lease: _, ...admitted } = answer;
    this.#leased = { held, answer: admitted, quota: answer.quota ?? { rateLimit, remaining: 0, waitMs: 0 }, since };
    return held;
  }

  #isAsking(now: number): boolean {
    return now >= this.#askedAt && now - this.#askedAt < DEADLINE_MS.withFallback;
  }

  #worth(now: number): number {
    const perSecond = this.#rate.perSecond(now);
    return perSecond >= MIN_PER_SECOND ? perSecond : 0;
  }
}
