/**
 * The gate of one API key: a Durable Object named by the key's id. One call does what a request needs.
 *
 * State is written behind: at once when a tenth of the limit has been admitted since the last write, or when the limit is
 * reached; else within five seconds of the last request, and once a minute while there are requests. An idle eviction, after ten
 * seconds, therefore loses nothing; a crash forgets fewer than a tenth of the limit's admissions (none when the limit is below 20).
 *
 * Storage: one value under "gate/1", a `GateState`.
 */
import { DurableObject } from "cloudflare:workers";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { saveApiKeyUsage } from "../database/api-key-usage.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import { recordUseAfterRevocation } from "../database/audit-events.ts";
import { chooseDatabase } from "../database/choose-database.ts";
import { type Admission, type ApiKeyRecord, isPreviousSecret, refusalOf, tenantOf } from "../model/api-key.ts";
import { SlidingWindow } from "../sliding-window.ts";
import { type KeptRecord, RecordCache } from "./record-cache.ts";
import { Usage, type UsageState } from "./usage.ts";

type GateState = { readonly kept: KeptRecord | undefined; readonly times: Float64Array; readonly usage: UsageState };

const STATE = "gate/1";
/** A tick without a request is quiet: what is unsaved is saved then. */
const TICK_MS = 2_500;
/** Or after as many ticks, which make a minute. */
const MAX_TICKS = 24;
/** From a save to the flush of its counts, so that a few more come along. */
const USAGE_DELAY_MS = 5_000;
/** Admissions between two writes: at most this share of the limit. */
const SAVE_AFTER_SHARE = 1 / 10;
/** D1 takes a key's counts at most this often. */
const USAGE_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

export class ApiKeyGate extends DurableObject<Env> {
  readonly #record: RecordCache;
  readonly #usage: Usage;
  /** Admissions until the record tells the limit; then the window itself. */
  #restored: Float64Array | undefined;
  #window: SlidingWindow | undefined;
  #unsavedAdmissions = 0;
  #full = false;
  #flushing = false;
  #revokedUseNoted: number | undefined;
  #ticking: ReturnType<typeof setTimeout> | undefined;
  #ticks = 0;
  #quiet = true;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const state = ctx.storage.kv.get<GateState>(STATE);
    this.#record = new RecordCache(() => loadApiKeyRecord(chooseDatabase(this.env), this.#apiKeyId), state?.kept);
    this.#usage = new Usage(state?.usage);
    this.#restored = state?.times;
  }

  /**
   * Decides one request. `secretHash` is the hex SHA-256 of the presented key; `limitedElsewhere` counts the requests that
   * an isolate has refused by itself since it last called, for the owner's chart; `address` is the client's, for the audit
   * trail of a revoked key.
   */
  async admit(secretHash: string, limitedElsewhere = 0, address: string | null = null): Promise<Admission> {
    let record: ApiKeyRecord | null;
    try {
      record = await this.#record.current();
    } catch (error) {
      console.warn("D1 does not answer, and the gate's record of its key is missing or too old", error);
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
    if (admitted) this.#unsavedAdmissions += 1;
    this.#saveInTime(remaining, rateLimit.limit);

    const quota = { rateLimit, remaining, waitMs };
    return admitted
      ? { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota }
      : { outcome: "limited", quota };
  }

  /** The key's row, or its account's, has changed: the next request reads it from D1. Durable before it answers. */
  forget(): void {
    this.#record.forget();
    this.#save();
  }

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
    this.#save();
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

  /** A window that stays full is not reached again: under a flood, too, a write covers a tenth of the limit. */
  #saveInTime(remaining: number, limit: number): void {
    const reached = remaining === 0 && !this.#full;
    this.#full = remaining === 0;
    const share = Math.max(1, Math.floor(limit * SAVE_AFTER_SHARE));
    if (this.#unsavedAdmissions > 0 && (reached || this.#unsavedAdmissions >= share)) this.#save();
    else this.#saveWhenQuiet();
  }

  #saveWhenQuiet(): void {
    this.#quiet = false;
    this.#ticking ??= setTimeout(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.#quiet || this.#ticks >= MAX_TICKS) {
      this.#save();
      return;
    }
    this.#quiet = true;
    this.#ticking = setTimeout(() => this.#tick(), TICK_MS);
  }

  #save(): void {
    if (this.#ticking !== undefined) clearTimeout(this.#ticking);
    this.#ticking = undefined;
    this.#ticks = 0;
    const state: GateState = { kept: this.#record.kept, times: this.#times(), usage: this.#usage.state };
    this.ctx.storage.kv.put(STATE, state);
    this.#unsavedAdmissions = 0;
    if (this.#usage.pending && !this.#flushing) this.ctx.waitUntil(this.#scheduleUsage());
  }

  async #scheduleUsage(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return;
    const earliest = this.#usage.state.savedAt + USAGE_INTERVAL_MS;
    await this.ctx.storage.setAlarm(Math.max(Date.now() + USAGE_DELAY_MS, earliest));
  }
}
