/**
 * An isolate's side of the gates of API keys: a request costs one call to its key's gate, or none.
 *
 * - Lease: for a key in busy use, the gate grants the isolate a lease, under which it decides by itself. It asks for the next
 *   lease after an answer, before the current one ends, so that no request waits. The same call reports the leases that have
 *   ended, and gives back their unused admissions. The last lease is reported at its end.
 * - Flood: once a gate has answered "limited", this isolate refuses the key by itself until the next request can be admitted, but
 *   for at most a minute, so that it notices a raised limit or a revocation. It reports these refusals to the gate within five
 *   seconds.
 * - Refusals: a final one (unknown, revoked, expired) is remembered for a minute; a pause, and a wrong secret of an active key,
 *   for a second. They are remembered by the whole key, so an invalid key cannot keep its owner's gate busy. For a key that is
 *   limited to addresses, the list is remembered for a second, too, so a request from elsewhere costs no call.
 * - Failure: a failed call is repeated once with a new stub, so that a gate that has crashed decides after its restart. It is not
 *   repeated when the gate is overloaded, because this key causes that, and its load must not move to D1: 503.
 * - Outage: when the second call fails, or after two seconds without an answer, the key is checked against D1. A key that cannot
 *   be verified is refused; the limit is not enforced. Such a request may go uncounted. A late gate still counts it.
 * - Reports count at most once: if a report's call fails, the report is lost and logged.
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
import type { Ask, Report } from "./report.ts";

export type GateCaller = Caller & { readonly env: Pick<Env, "API_KEY_GATE" | "LEASE_SECONDS"> };

/** One request with a key. `now` is in Unix milliseconds. */
export type KeyRequest = Sender & { readonly apiKey: ApiKeyCredential };

const MAX_KEYS = 10_000;
/** A flood's refusals are reported to the gate within this time, in milliseconds. */
const REPORT_MS = 5_000;
/** A gate that could not be notified of a change is notified again this often, at this interval in milliseconds. */
const NOTIFY_AGAIN = { times: 5, eachMs: 5_000 };

export class Gatekeeper {
  readonly #later: Later;
  /** By the whole key, secret included. So a request meets only the refusals and leases of the same secret. */
  readonly #uses = new BoundedMap<KeyUse>({ max: MAX_KEYS });
  /** The gates' object ids, by API key id: deriving one from its name costs about a tenth of the request. */
  readonly #ids = new BoundedMap<DurableObjectId>({ max: MAX_KEYS });

  /** `later` runs work when a lease ends, or some time after a flood began. */
  constructor(later: Later = runLater) {
    this.#later = later;
  }

  /** Decides one request. `database` has the key's row. Never throws: the outcome is `unavailable` when nothing can decide. */
  async admit(caller: GateCaller, database: Database, request: KeyRequest): Promise<Admission> {
    const use = this.#useOf(request.apiKey);
    const decided = this.#admitFromMemory(caller, request, use);
    return decided ?? this.#ask(caller, { database, request, use });
  }

  /** Decides without a call: by a lease, or by a known flood. When it is undefined, nothing was counted. */
  #admitFromMemory(caller: GateCaller, request: KeyRequest, use: KeyUse): OwnDecision | undefined {
    const decided = use.decide(request);
    if (decided === undefined) return undefined;
    if (decided.outcome === "admitted") this.#askAhead(caller, request, use);
    else if (decided.outcome === "limited" && use.plansReport())
      this.#later(REPORT_MS, () => this.#report(caller, request, use), waitUntilOf(caller));
    return decided;
  }

  /**
   * The key has changed in D1. Forgets its state in this isolate, notifies its gate, and waits. When it resolves, no isolate
   * decides by the old state any more: the gate grants no lease by it, and the longest lease that it can have granted has ended
   * (the lease rule of Gray and Cheriton, 1989). Rejects when the gate does not answer within ten seconds; then the gate is
   * notified again later, in the context of the caller.
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
      // The Worker waits, not the gate, because its waiting costs nothing. It waits for the longer of two settings, because a
      // deployment brings a new one first to the Worker or first to the gate.
      await wait(Math.max(readLeaseMs(caller.env), leaseMs));
    } catch (error) {
      this.#notifyAgain(notify, waitUntilOf(caller), NOTIFY_AGAIN.times);
      throw error;
    }
  }

  /** The newest of the key's secrets that was used, as its gate knows. Null when the gate does not answer, or when none was used. */
  async usedSecret(caller: GateCaller, apiKeyId: string): Promise<string | null> {
    try {
      return await answerWithin(DEADLINE_MS.withFallback, this.#gateOf(caller, apiKeyId).usedSecret());
    } catch (error) {
      console.warn("a key's gate does not say which secret was used; D1 says it, about a minute behind", error);
      return null;
    }
  }

  /** Creates the gate of a new key in its region. An object stays where it was created. */
  async place(caller: GateCaller, apiKeyId: string, locationHint: Region): Promise<void> {
    await answerWithin(DEADLINE_MS.without, this.#gateOf(caller, apiKeyId, { locationHint }).ping());
  }

  async #ask(
    caller: GateCaller,
    { database, request, use }: { readonly database: Database; readonly request: KeyRequest; readonly use: KeyUse },
  ): Promise<Admission> {
    const { apiKey, address, now } = request;
    const call = use.ask(now);
    const { report, perSecond } = call;
    const seen = toSeen(request);
    const admit = async (ask: Ask): Promise<Admission> =>
      await this.#gateOf(caller, apiKey.id).admit(apiKey.secretHash, address, ask);
    const askAlone = () => admit({ perSecond, seen });
    const askAndReport = () => orLost(admit({ perSecond, seen, report }));
    const asked = retried(report === undefined ? askAlone : askAndReport, askAlone).then((admission) => {
      this.#receive(caller, { request, use, call, answer: admission });
      return admission;
    });
    // The call goes on when the client leaves, because a report is sent once.
    if (report !== undefined) waitUntilOf(caller)(hasSettledWithin(DEADLINE_MS.withFallback, asked).then(() => {}));
    try {
      return await answerWithin(DEADLINE_MS.withFallback, asked);
    } catch (error) {
      if (isOverloaded(error)) return UNAVAILABLE;
      console.warn("an API key's gate does not answer; checking the key against D1", error);
      const check = (withinMs: number) => checkAgainstDatabase(database, { apiKey, address, now, withinMs });
      return error instanceof DeadlineExceeded ? firstToDecide(check(LEFT_MS), asked) : check(DEADLINE_MS.without);
    }
  }

  /** After the answer. Until the lease arrives, requests use the remaining leases. */
  #askAhead(caller: GateCaller, request: KeyRequest, use: KeyUse): void {
    const call = use.askAhead(request.now);
    if (call === undefined) return;
    const { apiKey } = request;
    const asked = this.#gateOf(caller, apiKey.id)
      .report(apiKey.secretHash, call.report, call.perSecond)
      .then((answer) => this.#receive(caller, { request, use, call, answer }));
    const asking = answerWithin(DEADLINE_MS.withFallback, asked).catch((error: unknown) => {
      use.receive(call, undefined, Date.now());
      console.warn("an API key's gate did not answer for the next lease; the report with it is lost", error);
    });
    waitUntilOf(caller)(asking);
  }

  /** A late answer is taken too, because its lease has to be reported when it has ended. */
  #receive(
    caller: GateCaller,
    {
      request,
      use,
      call,
      answer,
    }: {
      readonly request: KeyRequest;
      readonly use: KeyUse;
      readonly call: GateCall;
      readonly answer: Admission | undefined;
    },
  ): void {
    const lease = use.receive(call, answer, Date.now());
    if (lease === undefined) return;
    const end = async () => {
      use.end(lease);
      // Otherwise a later call reports this one: the report of another lease, or the request for the next.
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

  /** A new stub for each call, because a stub whose call has failed may stay broken. */
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

/** For a call that carries a report. A report is sent once; if the call fails, the report is lost, and the log says so. */
async function orLost<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    console.warn("an API key's gate did not take an isolate's report, which is lost", error);
    throw error;
  }
}

/** Calls a gate. If that fails, `again` repeats the call with a new stub, unless the gate is overloaded. */
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
