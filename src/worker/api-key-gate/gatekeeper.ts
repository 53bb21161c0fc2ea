/**
 * An isolate's way to the gates of API keys: one call to the key's gate, or none.
 *
 * - Lease: a key in busy use is decided here for a while, as its gate has granted. The next lease is asked for before one ends,
 *   after an answer, so that no request waits. That call also reports the ones that have ended, and gives back what they did not
 *   use; the last one is reported at its end.
 * - Flood: once a gate has said "limited", this isolate refuses the key by itself until something can be admitted again. At most a
 *   minute at a time, so that a raised limit or a revocation is noticed. It reports its refusals to the gate within five seconds.
 * - Refusals that are final (unknown, revoked, expired) are remembered for a minute; a pause, and a wrong secret of a key that lives,
 *   for a second. By the whole key: whoever holds an invalid key cannot keep its owner's gate busy. The list of a key that is limited
 *   to addresses is known for as long: who comes from elsewhere costs no call.
 * - Failure: a call that fails is made once more, with a new stub, so that a gate that has crashed decides after its restart.
 *   Not when the gate is overloaded: that is caused by this key, and shifting it to D1 would harm the others. 503.
 * - Outage: when the second call fails too, or after two seconds without an answer, the key is checked against D1.
 *   Unverifiable keys are refused, the limit is not enforced: such a request is not counted, unless the gate answers before D1.
 * - Reports count at most once: a report whose call fails is lost and logged.
 */

import { type ApiKeyCredential, isKeyOf } from "../credentials/api-key.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Admission, OwnDecision, Region } from "../model/api-key.ts";
import { type Sender, toSeen } from "../model/seen.ts";
import { readLeaseMs } from "../settings.ts";
import type { Caller, Database } from "../store/databases.ts";
import {
  answerWithin,
  DEADLINE_MS,
  DeadlineExceeded,
  hasSettledWithin,
  type Later,
  runLater,
  type WaitUntil,
  wait,
} from "../store/deadline.ts";
import type { ApiKeyGate } from "./api-key-gate.ts";
import { checkAgainstDatabase, firstToDecide, LEFT_MS, UNAVAILABLE } from "./database-check.ts";
import { type GateCall, KeyUse } from "./key-use.ts";
import type { Ask, Report } from "./reports.ts";

export type GateCaller = Caller & { readonly env: Pick<Env, "API_KEY_GATE" | "LEASE_SECONDS"> };

/** One request with a key. `now` is in Unix milliseconds. */
export type KeyRequest = Sender & { readonly apiKey: ApiKeyCredential };

const MAX_KEYS = 10_000;
/** How long the refusals of a flood may be known to this isolate alone. */
const REPORT_MS = 5_000;
/** When a gate was not notified of a change, it is notified again so often, and so many milliseconds later. */
const NOTIFY_AGAIN = { times: 5, eachMs: 5_000 };

export class Gatekeeper {
  readonly #later: Later;
  /** By the whole key: only who holds a key can be refused for what was done with it, or use its lease. */
  readonly #uses = new BoundedMap<KeyUse>({ max: MAX_KEYS });
  /** Of the gates, by API key id: making an object's id out of its name costs about as much as a tenth of the request. */
  readonly #ids = new BoundedMap<DurableObjectId>({ max: MAX_KEYS });

  /** `later` does what is due when a lease ends, or a while after a flood began. */
  constructor(later: Later = runLater) {
    this.#later = later;
  }

  /** Decides one request. `database` has the key's row. Never throws: what cannot be decided is `unavailable`. */
  async admit(caller: GateCaller, database: Database, request: KeyRequest): Promise<Admission> {
    const use = this.#useOf(request.apiKey);
    const decided = use.refused(request.now) ?? this.#admitFromMemory(caller, request);
    return decided ?? this.#ask(caller, database, request, use);
  }

  /** Decides by a lease, or by what is known of a flood, without any call. When it is undefined, nothing was counted. */
  #admitFromMemory(caller: GateCaller, request: KeyRequest): OwnDecision | undefined {
    const use = this.#uses.get(request.apiKey.text);
    const decided = use?.decide(request);
    if (use === undefined || decided === undefined) return undefined;
    if (decided.outcome === "admitted") this.#askAhead(caller, request, use);
    else if (decided.outcome === "limited" && use.plansReport(request.now, REPORT_MS))
      this.#later(REPORT_MS, () => this.#report(caller, request, use), waitUntilOf(caller));
    return decided;
  }

  /**
   * The key has changed in D1. Deletes what this isolate remembers of it, notifies its gate, and waits. Resolves when no isolate
   * decides by the key's state before: the gate grants no lease for it any more, and the longest that it can have granted has ended
   * (the lease rule of Gray and Cheriton, 1989). Rejects when the gate does not answer within ten seconds; then it is notified again, in
   * the context of the caller.
   */
  async forget(caller: GateCaller, apiKeyId: string): Promise<void> {
    const reports: Record<string, Report> = {};
    for (const text of this.#uses.keys()) {
      const use = isKeyOf(text, apiKeyId) ? this.#uses.peek(text) : undefined;
      const report = use?.forget();
      if (use !== undefined && report !== undefined) reports[use.secretHash] = report;
    }
    const notify = () => this.#gateOf(caller, apiKeyId).forget();
    const report = () => orLost(this.#gateOf(caller, apiKeyId).forget(reports));
    try {
      const notified = retried(Object.keys(reports).length === 0 ? notify : report, notify);
      const leaseMs = await answerWithin(DEADLINE_MS.without, notified);
      // Here and not in the gate: a Worker's waiting costs nothing. A deployment brings a new setting to one of them first.
      await wait(Math.max(readLeaseMs(caller.env), leaseMs));
    } catch (error) {
      this.#notifyAgain(notify, waitUntilOf(caller), NOTIFY_AGAIN.times);
      throw error;
    }
  }

  /** The newest of the key's secrets that was used, as its gate knows; null when it does not answer, or knows of none. */
  async usedSecret(caller: GateCaller, apiKeyId: string): Promise<string | null> {
    try {
      return await answerWithin(DEADLINE_MS.withFallback, this.#gateOf(caller, apiKeyId).usedSecret());
    } catch (error) {
      console.warn("a key's gate does not say which secret was used; D1 says it, about a minute behind", error);
      return null;
    }
  }

  /** Makes the gate of a new key in its region: where an object is made, it stays. */
  async place(caller: GateCaller, apiKeyId: string, locationHint: Region): Promise<void> {
    await answerWithin(DEADLINE_MS.without, this.#gateOf(caller, apiKeyId, { locationHint }).ping());
  }

  async #ask(caller: GateCaller, database: Database, request: KeyRequest, use: KeyUse): Promise<Admission> {
    const { apiKey, address, now } = request;
    const call = use.ask(now);
    const { report, perSecond } = call;
    const seen = toSeen(request);
    const admit = async (ask: Ask): Promise<Admission> =>
      await this.#gateOf(caller, apiKey.id).admit(apiKey.secretHash, address, ask);
    const askAlone = () => admit({ perSecond, seen });
    const askAndReport = () => orLost(admit({ perSecond, seen, report }));
    const asked = retried(report === undefined ? askAlone : askAndReport, askAlone).then((admission) => {
      this.#take(caller, request, use, call, admission);
      return admission;
    });
    // Also when the client leaves meanwhile, because a report is sent once.
    if (report !== undefined) waitUntilOf(caller)(hasSettledWithin(DEADLINE_MS.withFallback, asked).then(() => {}));
    try {
      return await answerWithin(DEADLINE_MS.withFallback, asked);
    } catch (error) {
      if (isOverloaded(error)) return UNAVAILABLE;
      console.warn("an API key's gate does not answer; checking the key against D1", error);
      const check = (withinMs: number) => checkAgainstDatabase(database, apiKey, address, now, withinMs);
      return error instanceof DeadlineExceeded ? firstToDecide(check(LEFT_MS), asked) : check(DEADLINE_MS.without);
    }
  }

  /** After the answer: the requests meanwhile use what is left of the leases that are held. */
  #askAhead(caller: GateCaller, request: KeyRequest, use: KeyUse): void {
    const call = use.askAhead(request.now);
    if (call === undefined) return;
    const { apiKey } = request;
    const asked = this.#gateOf(caller, apiKey.id)
      .report(apiKey.secretHash, call.report, call.perSecond)
      .then((answer) => this.#take(caller, request, use, call, answer));
    const asking = answerWithin(DEADLINE_MS.withFallback, asked).catch((error: unknown) => {
      use.take(call, undefined, Date.now());
      console.warn("an API key's gate did not answer for the next lease; the report with it is lost", error);
    });
    waitUntilOf(caller)(asking);
  }

  /** Also when the answer is late: a lease is reported when it has ended, used or not. */
  #take(caller: GateCaller, request: KeyRequest, use: KeyUse, call: GateCall, answer: Admission | undefined): void {
    const lease = use.take(call, answer, Date.now());
    if (lease === undefined) return;
    const end = async () => {
      use.end(lease);
      // The next lease is reported later, or asked for: this one with it.
      if (!use.hasLease) await this.#report(caller, request, use);
    };
    this.#later(lease.usableMs, end, waitUntilOf(caller));
  }

  async #report(caller: GateCaller, { apiKey }: KeyRequest, use: KeyUse): Promise<void> {
    const report = use.takeReport();
    if (report === undefined) return;
    const reported = this.#gateOf(caller, apiKey.id).report(apiKey.secretHash, report);
    await orLost(answerWithin(DEADLINE_MS.withFallback, reported)).catch(() => {});
  }

  #notifyAgain(notify: () => Promise<unknown>, waitUntil: WaitUntil, times: number): void {
    if (times === 0) return;
    const again = () =>
      notify().then(
        () => {},
        () => this.#notifyAgain(notify, waitUntil, times - 1),
      );
    this.#later(NOTIFY_AGAIN.eachMs, again, waitUntil);
  }

  #useOf({ text, secretHash }: ApiKeyCredential): KeyUse {
    return this.#uses.getOrSet(text, () => new KeyUse(secretHash));
  }

  /** A new stub for one call: one that has failed may stay broken. */
  #gateOf(caller: GateCaller, apiKeyId: string, options?: { locationHint: Region }): DurableObjectStub<ApiKeyGate> {
    const gates = caller.env.API_KEY_GATE;
    if (caller.var?.calls !== undefined) caller.var.calls.gate += 1;
    return gates.get(
      this.#ids.getOrSet(apiKeyId, () => gates.idFromName(apiKeyId)),
      options,
    );
  }
}

const waitUntilOf =
  ({ executionCtx }: Caller): WaitUntil =>
  (promise) =>
    executionCtx.waitUntil(promise);

/** A call that brings a report. The report is sent once: if the call fails, it is lost, and the log says so. */
async function orLost<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    console.warn("an API key's gate did not take an isolate's report, which is lost", error);
    throw error;
  }
}

/** Calls a gate. If that fails, `again` calls it once more, with a new stub, unless the gate is overloaded. */
async function retried<Answer>(call: () => Promise<Answer>, again: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (isOverloaded(error)) throw error;
    return await again();
  }
}

/** The platform marks its errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown): boolean =>
  error instanceof Error && "overloaded" in error && error.overloaded === true;
