/**
 * An isolate's side of the gates of API keys: a request costs one call to its key's gate, or none. `admit` decides in this order.
 *
 * 1. From memory (key-use.ts). A final refusal (unknown, revoked, expired) is remembered for a minute; a pause, and a wrong secret
 *    of an active key, for a second. They are remembered by the whole key, so an invalid key cannot keep its owner's gate busy.
 *    For a key in busy use, the gate grants the isolate a lease, under which it decides by itself. It asks for the next lease
 *    after an answer, before the current one ends, so that no request waits. The allowed addresses come with a lease. Once the
 *    gate has answered "limited", the isolate refuses the key until the next request can be admitted.
 * 2. By the gate. A failed call is repeated once with a new stub, so that a gate that has crashed decides after its restart. It is
 *    not repeated when the gate is overloaded, because this key causes that, and its load must not move to D1: 503.
 * 3. By D1, when the second call fails, or after two seconds without an answer. A key that cannot be verified is refused; the
 *    limit is not enforced. Such a request may go uncounted. A late gate still counts it.
 *
 * The gate learns from reports what the isolate decided by itself: a call takes one along, the last lease is reported at its end,
 * and the refusals of a flood within five seconds, with the operations that the requests' bodies named. A report is sent once: if its
 * call fails, it is lost and logged.
 */

import { type ApiKeyCredential, isKeyOf } from "../credentials/api-key.ts";
import type { KeyTotals } from "../database/keys/api-key-usage.ts";
import { logWarning } from "../log.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Admission, Region } from "../model/api-key.ts";
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
import type { Report } from "./report.ts";

export type GateCaller = Caller & { readonly env: Pick<Env, "API_KEY_GATE" | "LEASE_SECONDS"> };

/** One request with a key. `now` is in Unix milliseconds. */
type KeyRequest = { readonly sender: Sender; readonly apiKey: ApiKeyCredential };

/** A request's context, its key, and the isolate's use of that key. */
type Asker = { readonly caller: GateCaller; readonly apiKey: ApiKeyCredential; readonly use: KeyUse };

const MAX_KEYS = 10_000;
/** A flood's refusals, and operations, are reported to the gate within this time, in milliseconds. */
const REPORT_MS = 5_000;
/** A gate that could not be notified of a change is notified again this often, at this interval in milliseconds. */
const NOTIFY_AGAIN = { times: 5, eachMs: 5_000 };

export class Gatekeeper {
  readonly #later: Later;
  /** By the whole key, secret included. So a request meets only the refusals and leases of the same secret. */
  readonly #uses = new BoundedMap<KeyUse>({ max: MAX_KEYS });

  /** `later` runs work when a lease ends, or some time after a flood began. */
  constructor(later: Later = runLater) {
    this.#later = later;
  }

  /** Decides one request. `database` has the key's row. Never throws: the outcome is `unavailable` when nothing can decide. */
  async admit(caller: GateCaller, database: Database, request: KeyRequest): Promise<Admission> {
    const { apiKey, sender } = request;
    const { address, now } = sender;
    const use = this.#uses.getOrSet(apiKey.text, () => new KeyUse(apiKey.secretHash));
    const asker = { caller, apiKey, use };
    const decided = use.decide(sender);
    if (decided?.outcome === "admitted") this.#askAhead(asker, now);
    if (decided?.outcome === "limited") this.#planReport(asker);
    if (decided !== undefined) return decided;

    const call = use.ask(now);
    const asked = this.#ask(asker, request, call);
    // The call continues when the client leaves, because a report is only sent once.
    if (call.report !== undefined)
      waitUntilOf(caller)(hasSettledWithin(DEADLINE_MS.withFallback, asked).then(() => {}));
    try {
      return await answerWithin(database.within(DEADLINE_MS.withFallback), asked);
    } catch (error) {
      if (isOverloaded(error)) return UNAVAILABLE;
      logWarning("an API key's gate does not answer; checking the key against D1", error);
      const check = (withinMs: number) => checkAgainstDatabase(database, { apiKey, address, now, withinMs });
      return error instanceof DeadlineExceeded ? firstToDecide(check(LEFT_MS), asked) : check(DEADLINE_MS.without);
    }
  }

  /**
   * Counts the operation of a request that was admitted without one, because its body names it. The next call brings it to the gate, or
   * a report within five seconds.
   */
  nameOperation(caller: GateCaller, request: KeyRequest): void {
    const { apiKey, sender } = request;
    const use = this.#uses.getOrSet(apiKey.text, () => new KeyUse(apiKey.secretHash));
    use.nameOperation(sender);
    this.#planReport({ caller, apiKey, use });
  }

  /**
   * The key has changed in D1. Forgets its state in this isolate, notifies its gate, and waits. When it resolves, no isolate
   * decides by the old state: the gate grants no more leases by it, and the longest lease that it can have granted has ended
   * (the lease rule of Gray and Cheriton, 1989). Rejects when the gate does not answer in time. Then it is notified
   * again later, so that its record does not admit a key that nobody has used in the meantime.
   */
  async forget(caller: GateCaller, apiKeyId: string): Promise<void> {
    const reports: Record<string, Report> = {};
    for (const text of this.#uses.keys()) {
      const use = isKeyOf(text, apiKeyId) ? this.#uses.peek(text) : undefined;
      const report = use?.forget();
      if (use !== undefined && report !== undefined) reports[use.secretHash] = report;
    }
    const notified = callTwice(Object.keys(reports).length === 0 ? undefined : reports, (carried) =>
      this.#gateOf(caller, apiKeyId).forget(carried),
    );
    let leaseMs: number;
    try {
      leaseMs = await answerWithin(withinWhatFollows(caller), notified);
    } catch (error) {
      this.#notifyAgain(caller, apiKeyId, NOTIFY_AGAIN.times);
      throw error;
    }
    // The Worker waits, not the gate, because its waiting costs nothing. It waits for the longer of two settings, because a
    // deployment brings a new one first to the Worker or first to the gate.
    await wait(Math.max(readLeaseMs(caller.env), leaseMs));
  }

  /**
   * A revocation that D1 did not take: the gate refuses the key from now on. When it resolves, no isolate admits it, except while
   * the gate does not answer. Rejects when the gate does not answer.
   */
  async block(caller: GateCaller, apiKeyId: string): Promise<void> {
    await answerWithin(withinWhatFollows(caller), this.#gateOf(caller, apiKeyId).block());
    await this.forget(caller, apiKeyId);
  }

  #notifyAgain(caller: GateCaller, apiKeyId: string, times: number): void {
    if (times === 0) return;
    const notify = async () => {
      try {
        await this.#gateOf(caller, apiKeyId).forget();
      } catch {
        this.#notifyAgain(caller, apiKeyId, times - 1);
      }
    };
    this.#later(NOTIFY_AGAIN.eachMs, notify, waitUntilOf(caller));
  }

  /** The newest of the key's secrets that was used, as its gate knows. Null when the gate does not answer, or when none was used. */
  async usedSecret(caller: GateCaller, apiKeyId: string): Promise<string | null> {
    try {
      const withinMs = caller.get?.("budget")?.within(DEADLINE_MS.withFallback) ?? DEADLINE_MS.withFallback;
      return await answerWithin(withinMs, this.#gateOf(caller, apiKeyId).usedSecret());
    } catch (error) {
      logWarning(
        "a key's gate does not say which secret was used; D1 says it, unless it was in the last minute",
        error,
      );
      return null;
    }
  }

  /** What D1 may not have yet of the keys' use. A gate that does not answer in time is missing. Never rejects. */
  async unsavedUse(caller: GateCaller, apiKeyIds: readonly string[]): Promise<ReadonlyMap<string, KeyTotals>> {
    const withinMs = caller.get?.("budget")?.within(DEADLINE_MS.withFallback) ?? DEADLINE_MS.withFallback;
    const found = new Map<string, KeyTotals>();
    const ask = async (id: string) => {
      try {
        found.set(id, await answerWithin(withinMs, this.#gateOf(caller, id).unsavedUse()));
      } catch (error) {
        logWarning("a key's gate does not say how the key was used; D1 says it, up to a day behind", error);
      }
    };
    await Promise.all(apiKeyIds.map(ask));
    return found;
  }

  /** Creates the gate of a new key in its region. An object stays where it was created. */
  async place(caller: GateCaller, apiKeyId: string, locationHint: Region): Promise<void> {
    await answerWithin(DEADLINE_MS.without, this.#gateOf(caller, apiKeyId, { locationHint }).ping());
  }

  async #ask(asker: Asker, request: KeyRequest, call: GateCall): Promise<Admission> {
    const { caller, apiKey } = asker;
    const seen = toSeen(request.sender);
    const answer = await callTwice(call.report, async (report): Promise<Admission> => {
      const ask = { perSecond: call.perSecond, seen, report };
      return await this.#gateOf(caller, apiKey.id).admit(apiKey.secretHash, request.sender.address, ask);
    });
    this.#receive(asker, call, answer);
    return answer;
  }

  /** After the answer. Until the lease arrives, requests use the remaining leases. */
  #askAhead(asker: Asker, now: number): void {
    const call = asker.use.askAhead(now);
    if (call !== undefined) waitUntilOf(asker.caller)(this.#report(asker, call));
  }

  #planReport(asker: Asker): void {
    if (asker.use.plansReport()) this.#later(REPORT_MS, () => this.#reportDecisions(asker), waitUntilOf(asker.caller));
  }

  async #reportDecisions(asker: Asker): Promise<void> {
    const report = asker.use.takeReport();
    if (report !== undefined) await this.#report(asker, { since: Date.now(), perSecond: 0, report });
  }

  async #report(asker: Asker, call: GateCall): Promise<void> {
    const { caller, apiKey } = asker;
    const answered = this.#gateOf(caller, apiKey.id)
      .report(apiKey.secretHash, call.report, call.perSecond)
      .then((answer) => this.#receive(asker, call, answer));
    await answerWithin(DEADLINE_MS.withFallback, answered).catch(warnOfLoss);
  }

  /** A late answer is taken too, because its lease has to be reported when it has ended. */
  #receive(asker: Asker, call: GateCall, answer: Admission | undefined): void {
    const { caller, use } = asker;
    const lease = use.receive(call, answer, Date.now());
    if (lease === undefined) return;
    const end = async () => {
      use.end(lease);
      // Otherwise a later call reports this one: the report of another lease, or the request for the next.
      if (!use.hasLease) await this.#reportDecisions(asker);
    };
    this.#later(lease.usableMs, end, waitUntilOf(caller));
  }

  /** A new stub for each call, because a stub whose call has failed may stay broken. */
  #gateOf(caller: GateCaller, apiKeyId: string, options?: { locationHint: Region }): DurableObjectStub<ApiKeyGate> {
    const gates = caller.env.API_KEY_GATE;
    const calls = caller.get?.("calls");
    if (calls !== undefined) calls.gate += 1;
    return gates.get(gates.idFromName(apiKeyId), options);
  }
}

/** The time of a gate to hear of a change that D1 has made. */
const withinWhatFollows = (caller: Caller): number =>
  caller.get?.("budget")?.withinWhatFollows(DEADLINE_MS.without) ?? DEADLINE_MS.without;

const waitUntilOf =
  ({ executionCtx }: Caller): WaitUntil =>
  (promise) =>
    executionCtx.waitUntil(promise);

const warnOfLoss = (error: unknown): void =>
  logWarning("an API key's gate did not take an isolate's report, which is lost", error);

/**
 * Calls a gate. If that fails, calls it again, unless it is overloaded: with a new stub, and without the report, which may have
 * arrived.
 */
async function callTwice<Carried, Answer>(
  report: Carried | undefined,
  call: (report: Carried | undefined) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call(report);
  } catch (error) {
    if (report !== undefined) warnOfLoss(error);
    if (isOverloaded(error)) throw error;
    return await call(undefined);
  }
}

/** The platform marks its errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown): boolean =>
  error instanceof Error && "overloaded" in error && error.overloaded === true;
