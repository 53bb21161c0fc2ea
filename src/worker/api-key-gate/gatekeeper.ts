/**
 * An isolate's way to the gates of API keys: one call to the key's gate, or none.
 *
 * - Lease: a key in busy use is decided here for a while, as its gate has granted. The lease is renewed before it ends, after an
 *   answer, so that no request waits; what is left of the last one is given back.
 * - Flood: once a gate has said "limited", this isolate refuses the key by itself until something can be admitted again.
 *   At most a minute at a time, so that a raised limit or a revocation is noticed. It reports its refusals to the gate within five seconds.
 * - Refusals that are final (unknown, revoked, expired) are remembered for a minute, a wrong secret for a second, by the whole
 *   key: whoever holds an invalid key cannot keep its owner's gate busy.
 * - Failure: a call that fails is made once more, with a new stub, so that a gate that has crashed decides after its restart.
 *   Not when the gate is overloaded: that is caused by this key, and shifting it to D1 would harm the others. 503.
 * - Outage: when the second call fails too, or after two seconds without an answer, the key is checked against D1.
 *   Unverifiable keys are refused, the limit is not enforced: such a request is not counted, unless the gate answers before D1.
 */

import { type ApiKeyCredential, isKeyOf } from "../credentials/api-key.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import {
  answerWithin,
  DEADLINE_MS,
  DeadlineExceeded,
  type Later,
  runLater,
  type WaitUntil,
} from "../memory/deadline.ts";
import type { Admission } from "../model/api-key.ts";
import type { HeldLease } from "../rate-limit/lease.ts";
import type { ApiKeyGate } from "./api-key-gate.ts";
import { checkAgainstDatabase, firstToDecide, UNAVAILABLE } from "./database-check.ts";
import { KeyUse } from "./key-use.ts";
import type { Report } from "./reports.ts";

type Gates = DurableObjectNamespace<ApiKeyGate>;

type Stores = { readonly gates: Gates; readonly database: D1Database };

/** One request with a key. `address` is the client's, for the audit trail; `now` is in Unix milliseconds. */
export type KeyRequest = {
  readonly apiKey: ApiKeyCredential;
  readonly address: string | null;
  readonly now: number;
  readonly waitUntil: WaitUntil;
};

type Refused = { readonly admission: Admission; readonly since: number; readonly forMs: number };

const MAX_KEYS = 10_000;
const REFUSED_MS = 60_000;
/** A gate that was not notified of a rotation refuses the new secret: that must not be repeated for longer. */
const WRONG_SECRET_MS = 1_000;
/** How long the refusals of a flood may be known to this isolate alone. */
const TELL_MS = 5_000;

export class Gatekeeper {
  readonly #later: Later;
  /** By the whole key: only who holds a key can be refused for what was done with it, or use its lease. */
  readonly #uses = new BoundedMap<KeyUse>({ max: MAX_KEYS });
  /** By the whole key, too. */
  readonly #refused = new BoundedMap<Refused>({ max: MAX_KEYS });
  /** Of the gates, by API key id: making an object's id out of its name costs about as much as a tenth of the request. */
  readonly #ids = new BoundedMap<DurableObjectId>({ max: MAX_KEYS });

  /** `later` does what is due when a lease ends, or a while after a flood began. */
  constructor(later: Later = runLater) {
    this.#later = later;
  }

  /** Decides one request. Never throws: what cannot be decided is `unavailable`. */
  async admit(stores: Stores, request: KeyRequest): Promise<Admission> {
    const { apiKey, now } = request;
    const refused = this.#refused.get(apiKey.text);
    if (refused !== undefined && refused.since <= now && now - refused.since < refused.forMs) return refused.admission;
    const use = this.#useOf(apiKey.text);
    const decided = use.decide(now);
    if (decided === undefined) return this.#ask(stores, request, use);
    if (decided.outcome === "admitted") this.#renewIfDue(stores.gates, request, use);
    else if (use.mustTell(now, TELL_MS))
      this.#later(TELL_MS, () => this.#report(stores.gates, apiKey, use, use.takeReport()), request.waitUntil);
    return decided;
  }

  /**
   * The key has changed in D1: notifies its gate, and deletes what this isolate remembers of it. Resolves when no isolate decides by
   * what was before. Rejects when the gate does not answer, within ten seconds.
   */
  async forget(gates: Gates, apiKeyId: string): Promise<void> {
    const reports: Report[] = [];
    for (const text of [...this.#uses.keys()].filter((key) => isKeyOf(key, apiKeyId))) {
      const report = this.#uses.peek(text)?.takeReport();
      if (report !== undefined) reports.push(report);
      this.#uses.delete(text);
    }
    for (const text of [...this.#refused.keys()].filter((key) => isKeyOf(key, apiKeyId))) this.#refused.delete(text);
    await answerWithin(
      DEADLINE_MS.without,
      retried(async () => this.#gateOf(gates, apiKeyId).forget(reports)),
    );
  }

  async #ask({ gates, database }: Stores, request: KeyRequest, use: KeyUse): Promise<Admission> {
    const { apiKey, address, now } = request;
    const report = use.takeReport();
    const wish = { ...use.wish(now), ended: report.lease };
    const asked = retried(async () =>
      this.#gateOf(gates, apiKey.id).admit(apiKey.secretHash, report.limited, address, wish),
    ).then((admission) => {
      this.#remember(apiKey.text, admission, now);
      this.#endLater(gates, request, use, use.take(admission, now));
      return admission;
    });
    try {
      return await answerWithin(DEADLINE_MS.withFallback, asked);
    } catch (error) {
      use.putBack(report);
      if (isOverloaded(error)) return UNAVAILABLE;
      console.warn("an API key's gate does not answer; checking the key against D1", error);
      const checked = checkAgainstDatabase(database, apiKey, now);
      return error instanceof DeadlineExceeded ? firstToDecide(checked, asked) : checked;
    }
  }

  #remember(text: string, admission: Admission, now: number): void {
    if (admission.outcome !== "refused") return;
    const forMs = admission.reason === "wrong-secret" ? WRONG_SECRET_MS : REFUSED_MS;
    this.#refused.set(text, { admission, since: now, forMs });
  }

  /** After the answer, and once: the requests meanwhile use what is left of the old lease. */
  #renewIfDue(gates: Gates, request: KeyRequest, use: KeyUse): void {
    const { apiKey, now, waitUntil } = request;
    const due = use.startRenewal(now);
    if (due === undefined) return;
    const renew = async () => {
      const gate = this.#gateOf(gates, apiKey.id);
      const answer = await answerWithin(
        DEADLINE_MS.withFallback,
        gate.renew(apiKey.secretHash, due.use, due.perSecond),
      ).catch((error: unknown) => console.warn("an API key's gate did not renew a lease", error));
      this.#endLater(gates, request, use, use.renewed(due.held, due.use.used, answer ?? undefined, now));
    };
    waitUntil(renew());
  }

  #endLater(gates: Gates, { apiKey, waitUntil }: KeyRequest, use: KeyUse, held: HeldLease | undefined): void {
    if (held === undefined) return;
    this.#later(held.usableMs, () => this.#report(gates, apiKey, use, use.end(held)), waitUntil);
  }

  async #report(gates: Gates, apiKey: ApiKeyCredential, use: KeyUse, report: Report | undefined): Promise<void> {
    if (report === undefined || (report.limited === 0 && report.lease === undefined)) return;
    try {
      const reported = retried(async () => this.#gateOf(gates, apiKey.id).report(apiKey.secretHash, report));
      await answerWithin(DEADLINE_MS.without, reported);
    } catch (error) {
      use.putBack(report);
      console.warn("an API key's gate did not take an isolate's report", error);
    }
  }

  #useOf(text: string): KeyUse {
    const known = this.#uses.get(text);
    if (known !== undefined) return known;
    const use = new KeyUse();
    this.#uses.set(text, use);
    return use;
  }

  /** A new stub: one that has failed may stay broken. */
  #gateOf(gates: Gates, apiKeyId: string): DurableObjectStub<ApiKeyGate> {
    const known = this.#ids.get(apiKeyId);
    if (known !== undefined) return gates.get(known);
    const id = gates.idFromName(apiKeyId);
    this.#ids.set(apiKeyId, id);
    return gates.get(id);
  }
}

/** Calls a gate, and once more, with a new stub, unless the gate is overloaded. */
async function retried<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (isOverloaded(error)) throw error;
    return await call();
  }
}

/** The platform marks its errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown): boolean => error instanceof Error && Reflect.get(error, "overloaded") === true;
