/**
 * An isolate's way to the gates of API keys: one call to the key's gate, or none.
 *
 * - Flood: once a gate has said "limited", this isolate refuses the key by itself until something can be admitted again.
 *   At most a minute at a time, so that a raised limit or a revocation is noticed. What it refused is told to the gate later.
 * - Outage: when the gate does not answer, the key is checked against D1 directly. Authentication fails closed, the limit open.
 *   A gate that is overloaded is not down: 503.
 */
import { LRUCache } from "lru-cache";
import { type ApiKeyCredential, isKeyOf } from "../credentials/api-key.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import { type Admission, type Quota, refusalOf, tenantOf } from "../model/api-key.ts";
import type { ApiKeyGate } from "./api-key-gate.ts";

type Gates = DurableObjectNamespace<ApiKeyGate>;

/**
 * A key over its limit: nothing can be admitted before `retryAt`, and its gate is not asked before `askAt` (Unix milliseconds).
 * `untold` counts the requests refused here since the gate was told.
 */
type Flood = { readonly quota: Quota; readonly retryAt: number; readonly askAt: number; untold: number };

const MAX_FLOODS = 10_000;
const MAX_IDS = 10_000;
const MAX_FLOOD_MS = 60_000;

export class Gatekeeper {
  /** By the whole key: only who holds a key can be refused for what was done with it. */
  readonly #floods = new LRUCache<string, Flood>({ max: MAX_FLOODS });
  /** Of the gates, by API key id: making an object's id out of its name costs about as much as a tenth of the request. */
  readonly #ids = new LRUCache<string, DurableObjectId>({ max: MAX_IDS });

  /**
   * Decides one request at `now` (Unix milliseconds); `address` is the client's, for the audit trail. Never throws: what
   * cannot be decided is `unavailable`.
   */
  async admit(
    { gates, database }: { readonly gates: Gates; readonly database: D1Database },
    apiKey: ApiKeyCredential,
    address: string | null,
    now: number,
  ): Promise<Admission> {
    const flood = this.#floods.get(apiKey.text);
    if (flood !== undefined && now < flood.askAt) {
      flood.untold += 1;
      return { outcome: "limited", quota: { ...flood.quota, waitMs: flood.retryAt - now } };
    }
    // Taken before the call, so that requests at the same time do not report the same refusals.
    const untold = flood?.untold ?? 0;
    if (flood !== undefined) flood.untold = 0;
    let admission: Admission;
    try {
      admission = await retried(async () => this.#gateOf(gates, apiKey.id).admit(apiKey.secretHash, untold, address));
    } catch (error) {
      if (flood !== undefined) flood.untold += untold;
      // A gate drowns in its own key's requests: passing them on to D1 would drown everyone's.
      if (isMarked(error, "overloaded")) return { outcome: "unavailable" };
      console.warn("an API key's gate does not answer; checking the key against D1", error);
      return checkAgainstDatabase(database, apiKey.id, apiKey.secretHash, now);
    }
    if (admission.outcome === "limited") {
      // Counted from before the call, so that two clocks and the way back never refuse longer than the gate would.
      const { quota } = admission;
      const askAt = now + Math.min(quota.waitMs, MAX_FLOOD_MS);
      const refusedMeanwhile = this.#floods.get(apiKey.text)?.untold ?? 0;
      this.#floods.set(apiKey.text, { quota, retryAt: now + quota.waitMs, askAt, untold: refusedMeanwhile });
    }
    return admission;
  }

  /** The key has changed in D1: its gate is told, and what this isolate remembers of it goes. Rejects when the gate does not answer. */
  async forget(gates: Gates, apiKeyId: string): Promise<void> {
    for (const text of [...this.#floods.keys()]) if (isKeyOf(text, apiKeyId)) this.#floods.delete(text);
    await retried(async () => this.#gateOf(gates, apiKeyId).forget());
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

/** Calls a gate, and once more, with a new stub, when the platform says that this may help. */
async function retried<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!isMarked(error, "retryable") || isMarked(error, "overloaded")) throw error;
    return await call();
  }
}

/** The platform marks its errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isMarked = (error: unknown, mark: "retryable" | "overloaded"): boolean =>
  error instanceof Error && Reflect.get(error, mark) === true;

async function checkAgainstDatabase(
  database: D1Database,
  apiKeyId: string,
  secretHash: string,
  now: number,
): Promise<Admission> {
  try {
    const record = await loadApiKeyRecord(database, apiKeyId);
    const reason = refusalOf(record, secretHash, now);
    if (record === null || reason !== undefined) return { outcome: "refused", reason: reason ?? "unknown" };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit: record.rateLimit };
  } catch (error) {
    console.warn("neither an API key's gate nor D1 answers", error);
    return { outcome: "unavailable" };
  }
}
