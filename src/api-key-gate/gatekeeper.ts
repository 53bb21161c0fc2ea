/**
 * An isolate's way to the gates of API keys: one call to the key's gate, or none.
 *
 * - Flood: once a gate has said "limited", this isolate refuses the key by itself until something can be admitted again.
 *   At most a minute at a time, so that a raised limit or a revocation is noticed. What it refused is told to the gate later.
 * - Refusals that are final (unknown, revoked, expired) are remembered for a minute, a wrong secret for a second, by the whole key: whoever holds an invalid key
 *   cannot keep its owner's gate busy.
 * - Failure: a call that fails is made once more, with a new stub, so that a gate that has crashed decides after its restart.
 *   Not when the gate is overloaded: that is caused by this key, and shifting it to D1 would harm the others. 503.
 * - Outage: when the second call fails too, or after two seconds without an answer, the key is checked against D1.
 *   Authentication fails closed, the limit open: such a request is not counted, unless the gate's answer comes before D1's.
 */
import { BoundedMap } from "../bounded-map.ts";
import { type ApiKeyCredential, isKeyOf } from "../credentials/api-key.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import { answerWithin, DEADLINE_MS, DeadlineExceeded } from "../deadline.ts";
import { type Admission, type Quota, refusalOf, tenantOf } from "../model/api-key.ts";
import type { ApiKeyGate } from "./api-key-gate.ts";

type Gates = DurableObjectNamespace<ApiKeyGate>;

type Stores = { readonly gates: Gates; readonly database: D1Database };

/**
 * A key over its limit, as its gate said at `since`: nothing can be admitted before `retryAt`, and the gate is not asked before
 * `askAt` (Unix milliseconds). `untold` counts the requests refused here since the gate was told.
 */
type Flood = {
  readonly quota: Quota;
  readonly since: number;
  readonly retryAt: number;
  readonly askAt: number;
  untold: number;
};

type Refused = { readonly admission: Admission; readonly since: number; readonly forMs: number };

const UNAVAILABLE: Admission = { outcome: "unavailable" };

const MAX_FLOODS = 10_000;
const MAX_IDS = 10_000;
const MAX_FLOOD_MS = 60_000;
const MAX_REFUSED = 10_000;
const REFUSED_MS = 60_000;
/** A gate that was not notified of a rotation refuses the new secret: that must not be repeated for longer. */
const WRONG_SECRET_MS = 1_000;

export class Gatekeeper {
  /** By the whole key: only who holds a key can be refused for what was done with it. */
  readonly #floods = new BoundedMap<Flood>({ max: MAX_FLOODS });
  /** By the whole key, too. */
  readonly #refused = new BoundedMap<Refused>({ max: MAX_REFUSED });
  /** Of the gates, by API key id: making an object's id out of its name costs about as much as a tenth of the request. */
  readonly #ids = new BoundedMap<DurableObjectId>({ max: MAX_IDS });

  /**
   * Decides one request at `now` (Unix milliseconds); `address` is the client's, for the audit trail. Never throws: what
   * cannot be decided is `unavailable`.
   */
  async admit(stores: Stores, apiKey: ApiKeyCredential, address: string | null, now: number): Promise<Admission> {
    const refused = this.#refused.get(apiKey.text);
    if (refused !== undefined && refused.since <= now && now - refused.since < refused.forMs) return refused.admission;
    const flood = this.#floods.get(apiKey.text);
    // A clock that has stepped back to before the flood says nothing of how long it lasts: the gate does.
    if (flood !== undefined && flood.since <= now && now < flood.askAt) {
      flood.untold += 1;
      return { outcome: "limited", quota: { ...flood.quota, waitMs: flood.retryAt - now } };
    }
    // Taken before the call, so that requests at the same time do not report the same refusals.
    const untold = flood?.untold ?? 0;
    if (flood !== undefined) flood.untold = 0;
    const asked = retried(async () =>
      this.#gateOf(stores.gates, apiKey.id).admit(apiKey.secretHash, untold, address),
    ).then((admission) => this.#remember(apiKey, admission, now));
    try {
      return await answerWithin(DEADLINE_MS.withFallback, asked);
    } catch (error) {
      if (flood !== undefined) flood.untold += untold;
      if (isOverloaded(error)) return UNAVAILABLE;
      console.warn("an API key's gate does not answer; checking the key against D1", error);
      const checked = checkAgainstDatabase(stores.database, apiKey, now);
      return error instanceof DeadlineExceeded ? firstToDecide(checked, asked) : checked;
    }
  }

  /**
   * The key has changed in D1: its gate is told, and what this isolate remembers of it goes. Rejects when the gate does not
   * answer, within ten seconds.
   */
  async forget(gates: Gates, apiKeyId: string): Promise<void> {
    for (const memory of [this.#floods, this.#refused])
      for (const text of [...memory.keys()]) if (isKeyOf(text, apiKeyId)) memory.delete(text);
    await answerWithin(
      DEADLINE_MS.without,
      retried(async () => this.#gateOf(gates, apiKeyId).forget()),
    );
  }

  #remember(apiKey: ApiKeyCredential, admission: Admission, now: number): Admission {
    if (admission.outcome === "refused") {
      const forMs = admission.reason === "wrong-secret" ? WRONG_SECRET_MS : REFUSED_MS;
      this.#refused.set(apiKey.text, { admission, since: now, forMs });
    }
    if (admission.outcome === "limited") {
      // Counted from before the call, so that two clocks and the way back never refuse longer than the gate would.
      const { quota } = admission;
      const askAt = now + Math.min(quota.waitMs, MAX_FLOOD_MS);
      const refusedMeanwhile = this.#floods.get(apiKey.text)?.untold ?? 0;
      const flood = { quota, since: now, retryAt: now + quota.waitMs, askAt, untold: refusedMeanwhile };
      this.#floods.set(apiKey.text, flood);
    }
    return admission;
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

/**
 * The gate is late. Whoever decides first is believed: D1 (`checked`), or the gate (`asked`), which counts what it admits.
 * When D1 does not answer either, the gate may still: it has a record of its own.
 */
async function firstToDecide(checked: Promise<Admission>, asked: Promise<Admission>): Promise<Admission> {
  const late = asked.catch(() => checked);
  const first = Promise.race([checked, late]).then((admission) =>
    admission.outcome === "unavailable" ? late : admission,
  );
  return answerWithin(DEADLINE_MS.without - DEADLINE_MS.withFallback, first).catch(() => UNAVAILABLE);
}

/** The platform marks its errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown): boolean => error instanceof Error && Reflect.get(error, "overloaded") === true;

async function checkAgainstDatabase(
  database: D1Database,
  { id, secretHash }: ApiKeyCredential,
  now: number,
): Promise<Admission> {
  try {
    const record = await loadApiKeyRecord(database, id);
    const reason = refusalOf(record, secretHash, now);
    if (record === null || reason !== undefined) return { outcome: "refused", reason: reason ?? "unknown" };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit: record.rateLimit };
  } catch (error) {
    console.warn("neither an API key's gate nor D1 answers", error);
    return UNAVAILABLE;
  }
}
