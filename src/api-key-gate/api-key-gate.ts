/**
 * The gate of one API key: a Durable Object named by the key's id. One call does what a request needs.
 *
 * State is written behind (write-behind.ts). An idle eviction, after ten seconds, loses nothing; a crash forgets fewer than a
 * tenth of the limit's admissions, and none when the limit is below 20.
 */
import { DurableObject } from "cloudflare:workers";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { saveApiKeyUsage } from "../database/api-key-usage.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import { recordUseAfterRevocation } from "../database/audit-events.ts";
import { chooseDatabase } from "../database/choose-database.ts";
import { isDatabaseOutage } from "../database/outage.ts";
import { KeptValue } from "../kept-value.ts";
import { type Admission, type ApiKeyRecord, isPreviousSecret, refusalOf, tenantOf } from "../model/api-key.ts";
import { SlidingWindow } from "../sliding-window.ts";
import { readStoredState, STATE, toStoredState } from "./gate-state.ts";
import { Usage } from "./usage.ts";
import { WriteBehind } from "./write-behind.ts";

/** The record is read from D1 again when it is this old. */
const RECORD_FRESH_MS = 60_000;
/** From a write to the flush of its counts, so that a few more come along. */
const USAGE_DELAY_MS = 5_000;
/** D1 takes a key's counts at most this often. */
const USAGE_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

export class ApiKeyGate extends DurableObject<Env> {
  /** The key's row; null when D1 has no such key. */
  readonly #record: KeptValue<ApiKeyRecord | null>;
  readonly #usage: Usage;
  readonly #writeBehind = new WriteBehind(() => this.#write());
  /** Admissions until the record tells the limit; then the window itself. */
  #restored: Float64Array | undefined;
  #window: SlidingWindow | undefined;
  #flushing = false;
  #revokedUseNoted: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { state, discarded } = readStoredState(ctx.storage.kv.get(STATE));
    if (discarded.length > 0) console.warn("a gate's stored state is of another format; discarded", discarded);
    this.#record = new KeptValue(
      {
        now: () => Date.now(),
        isOutage: isDatabaseOutage,
        joins: true,
        onOutage: (error) => console.warn("D1 does not give a gate its record", error),
      },
      state.kept,
    );
    this.#usage = new Usage(state.usage);
    this.#restored = state.times;
  }

  /**
   * Decides one request. `secretHash` is the hex SHA-256 of the presented key; `limitedElsewhere` counts the requests that
   * an isolate has refused by itself since it last called, for the owner's chart; `address` is the client's, for the audit
   * trail of a revoked key.
   */
  async admit(secretHash: string, limitedElsewhere = 0, address: string | null = null): Promise<Admission> {
    let record: ApiKeyRecord | null;
    try {
      record = await this.#record.read(
        () => loadApiKeyRecord(chooseDatabase(this.env), this.#apiKeyId),
        RECORD_FRESH_MS,
      );
    } catch (error) {
      console.warn("a gate has no record that it may use", error);
      return { outcome: "unavailable" };
    }
    const now = Date.now();
    const reason = refusalOf(record, secretHash, now);
    if (reason === "revoked") this.#noteUseAfterRevocation(address, now);
    if (record === null || reason !== undefined) return { outcome: "refused", reason: reason ?? "unknown" };

    const { rateLimit } = record;
    const { admitted, remaining, waitMs } = this.#windowOf(record).admit(now);
    const previous = isPreviousSecret(record, secretHash, now);
    this.#usage.count(now, admitted ? 1 : 0, (admitted ? 0 : 1) + limitedElsewhere, previous);
    this.#writeBehind.decided(admitted, remaining, rateLimit.limit);

    const quota = { rateLimit, remaining, waitMs };
    return admitted
      ? { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota }
      : { outcome: "limited", quota };
  }

  /** The key's row, or its account's, has changed: the next request reads it from D1. Durable before it answers. */
  forget(): void {
    this.#record.forget();
    this.#writeBehind.writeNow();
  }

  /** Answers. For the health check: no key has this gate. */
  ping(): void {}

  /** Hands the counts to D1. They are totals and stay here until D1 has them, so failing or running twice is harmless. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const totals = this.#usage.state;
    this.#flushing = true;
    try {
      await saveApiKeyUsage(chooseDatabase(this.env), this.#apiKeyId, totals.hours, totals);
      this.#usage.saved(now, totals);
    } catch (error) {
      console.warn("D1 did not take an API key's usage; trying again in a minute", error);
      await this.ctx.storage.setAlarm(now + USAGE_INTERVAL_MS);
    }
    this.#flushing = false;
    this.#writeBehind.writeNow();
  }

  /** Once an hour; the database makes sure of it when this object has forgotten. The answer does not wait. */
  #noteUseAfterRevocation(address: string | null, now: number): void {
    const hour = now - (now % HOUR_MS);
    if (this.#revokedUseNoted === hour) return;
    this.#revokedUseNoted = hour;
    const eventId = createId(secureRandomBytes);
    const noting = recordUseAfterRevocation(chooseDatabase(this.env), this.#apiKeyId, eventId, address, now);
    this.ctx.waitUntil(
      noting.catch((error) => {
        this.#revokedUseNoted = undefined;
        console.warn("D1 did not take an audit event; the next use tries again", error);
      }),
    );
  }

  get #apiKeyId(): string {
    const { name } = this.ctx.id;
    if (name === undefined) throw new Error("a gate is reached by its key's id: getByName(apiKeyId)");
    return name;
  }

  /** The window under the record's limit. A changed limit keeps the admissions that still count. */
  #windowOf({ rateLimit }: ApiKeyRecord): SlidingWindow {
    const held = this.#window;
    if (held?.rateLimit.limit === rateLimit.limit && held.rateLimit.windowMs === rateLimit.windowMs) return held;
    this.#window = new SlidingWindow(rateLimit, this.#times());
    this.#restored = undefined;
    return this.#window;
  }

  #times(): Float64Array {
    return this.#window?.times(Date.now()) ?? this.#restored ?? new Float64Array();
  }

  #write(): void {
    const state = { kept: this.#record.kept, times: this.#times(), usage: this.#usage.state };
    this.ctx.storage.kv.put(STATE, toStoredState(state));
    if (this.#usage.pending && !this.#flushing) this.ctx.waitUntil(this.#scheduleUsage());
  }

  async #scheduleUsage(): Promise<void> {
    const now = Date.now();
    const alarm = await this.ctx.storage.getAlarm();
    // None is ever set further ahead than this, unless the clock has stepped back since.
    if (alarm !== null && alarm <= now + USAGE_INTERVAL_MS) return;
    const earliest = Math.min(this.#usage.state.savedAt, now) + USAGE_INTERVAL_MS;
    await this.ctx.storage.setAlarm(Math.max(now + USAGE_DELAY_MS, earliest));
  }
}
