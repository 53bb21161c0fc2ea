/**
 * The gate of one API key: a Durable Object named by the key's id. One call does what a request needs, or what the next ones
 * need: a lease (leased-window.ts).
 *
 * State is written behind (write-behind.ts). An idle eviction, after ten seconds, loses nothing; a crash forgets fewer than a
 * tenth of the limit's admissions, and none when the limit is below 20.
 */
import { DurableObject } from "cloudflare:workers";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { saveApiKeyUsage } from "../database/api-key-usage.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import { recordUseAfterRevocation } from "../database/audit-events.ts";
import { chooseDatabase } from "../database/choose-database.ts";
import { isDatabaseOutage } from "../database/outage.ts";
import { KeptValue } from "../memory/kept-value.ts";
import {
  type Admission,
  type Admitted,
  type ApiKeyRecord,
  isPreviousSecret,
  refusalOf,
  tenantOf,
} from "../model/api-key.ts";
import { isId } from "../model/id.ts";
import type { Lease, LeaseUse } from "../rate-limit/lease.ts";
import { LeasedWindow, longestLease } from "../rate-limit/leased-window.ts";
import { readLeaseMs } from "../settings.ts";
import { readStoredState, STATE, toStoredState } from "./gate-state.ts";
import { GrantedLeases } from "./granted-leases.ts";
import type { LeaseWish, Report } from "./reports.ts";
import { Usage } from "./usage.ts";
import { WriteBehind } from "./write-behind.ts";

/** The record is read from D1 again when it is this old. */
const RECORD_FRESH_MS = 60_000;
/** From a write to the flush of its counts, so that a few more come along. */
const USAGE_DELAY_MS = 5_000;
/** D1 takes a key's counts at most this often: with the rest of their way, the owner sees them within a minute. */
const USAGE_INTERVAL_MS = 50_000;
const HOUR_MS = 3_600_000;
/** Until when leases may be in use. */
const LEASED_UNTIL = "leased-until/1";
/** A lease has room for more requests than came of late. */
const HEADROOM = 1.5;
/** A lease for less would end before its answer has arrived. */
const SHORTEST_LEASE_MS = 50;

export class ApiKeyGate extends DurableObject<Env> {
  /** The key's row; null when D1 has no such key. */
  readonly #record: KeptValue<ApiKeyRecord | null>;
  readonly #usage: Usage;
  readonly #writeBehind = new WriteBehind(() => this.#write());
  /** Admissions until the record tells the limit; then the window itself. */
  #restored: Float64Array | undefined;
  #window: LeasedWindow | undefined;
  readonly #leases: GrantedLeases;
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
        onOutage: (error) => console.warn("D1 does not give a gate its record", error),
      },
      state.kept,
    );
    this.#usage = new Usage(state.usage);
    this.#restored = state.times;
    const { kv } = ctx.storage;
    const leasedUntil = { get: () => kv.get(LEASED_UNTIL), put: (until: number) => kv.put(LEASED_UNTIL, until) };
    this.#leases = new GrantedLeases(leasedUntil, crypto.randomUUID());
  }

  /**
   * Decides one request. `secretHash` is the hex SHA-256 of the presented key; `limitedElsewhere` counts the requests that
   * an isolate has refused by itself since it last called, for the owner's chart; `address` is the client's, for the audit
   * trail of a revoked key; `wish` asks for a lease.
   */
  async admit(
    secretHash: string,
    limitedElsewhere = 0,
    address: string | null = null,
    wish: LeaseWish = { perSecond: 0 },
  ): Promise<Admission> {
    const record = await this.#readRecord();
    if (record === undefined) return { outcome: "unavailable" };
    const now = Date.now();
    const reason = refusalOf(record, secretHash, now);
    if (reason === "revoked") this.#noteUseAfterRevocation(address, now);
    if (record === null || reason !== undefined) return { outcome: "refused", reason: reason ?? "unknown" };

    const { rateLimit } = record;
    const previous = isPreviousSecret(record, secretHash, now);
    if (wish.ended !== undefined) this.#settle(wish.ended, previous, now);
    const window = this.#windowOf(record, now);
    const { admitted, remaining, waitMs } = window.admit(now);
    this.#usage.count(now, admitted ? 1 : 0, (admitted ? 0 : 1) + limitedElsewhere, previous);
    const lease = admitted ? this.#grant(record, previous, wish.perSecond, undefined, now) : undefined;
    this.#writeBehind.decided((admitted ? 1 : 0) + (lease?.admissions ?? 0), window.remaining(now), rateLimit.limit);

    const quota = { rateLimit, remaining, waitMs };
    return admitted
      ? { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, ...(lease && { lease }) }
      : { outcome: "limited", quota };
  }

  /** Renews a lease for an isolate that goes on with it: undefined when it must not, or there is no room. */
  async renew(secretHash: string, held: LeaseUse, perSecond: number): Promise<Admitted | undefined> {
    const record = await this.#readRecord();
    const now = Date.now();
    if (record === undefined || record === null || refusalOf(record, secretHash, now) !== undefined) return undefined;
    const { rateLimit } = record;
    const previous = isPreviousSecret(record, secretHash, now);
    const window = this.#windowOf(record, now);
    const lease = this.#grant(record, previous, perSecond, held, now);
    if (lease === undefined) return undefined;
    const remaining = window.remaining(now);
    this.#writeBehind.decided(lease.admissions, remaining, rateLimit.limit);
    const quota = { rateLimit, remaining: remaining + lease.admissions, waitMs: window.leavesMs(now) };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, lease };
  }

  /** Takes an isolate's report: refusals of its own, a lease that has ended. */
  report(secretHash: string, { limited, lease }: Report): void {
    const now = Date.now();
    const record = this.#record.kept?.value ?? null;
    const previous = record !== null && isPreviousSecret(record, secretHash, now);
    if (lease !== undefined) this.#settle(lease, previous, now);
    if (limited > 0) this.#usage.count(now, 0, limited, previous);
    this.#writeBehind.writeNow();
  }

  /**
   * The key's row, or its account's, has changed: the next request reads it from D1. Durable before it answers; and it answers
   * when every lease that was granted before has ended. `reports` are those of the isolate that asks, which uses none any more.
   */
  async forget(reports: readonly Report[] = []): Promise<void> {
    this.#record.forget();
    for (const report of reports) this.report("", report);
    this.#writeBehind.writeNow();
    await this.#leases.allEnded(Date.now());
  }

  /** Answers. For the health check: no key has this gate. */
  ping(): void {}

  /** Hands the counts to D1. They are totals and stay here until D1 has them, so failing or running twice is harmless. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const totals = this.#usage.state;
    this.#flushing = true;
    try {
      await saveApiKeyUsage(this.#database, this.#apiKeyId, totals.hours, totals);
      this.#usage.saved(now, totals);
    } catch (error) {
      console.warn("D1 did not take an API key's usage; trying again", error);
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
    const eventId = createId(this.#apiKeyId, secureRandomBytes);
    const noting = recordUseAfterRevocation(this.#database, this.#apiKeyId, eventId, address, now);
    this.ctx.waitUntil(
      noting.catch((error) => {
        this.#revokedUseNoted = undefined;
        console.warn("D1 did not take an audit event; the next use tries again", error);
      }),
    );
  }

  get #apiKeyId(): Identifier {
    const { name } = this.ctx.id;
    if (name === undefined || !isId(name)) throw new Error("a gate is reached by its key's id: getByName(apiKeyId)");
    return name;
  }

  /** The key's record, null when D1 has none; undefined when D1 does not answer and none may be used. */
  async #readRecord(): Promise<ApiKeyRecord | null | undefined> {
    try {
      return await this.#record.read({
        load: async () => loadApiKeyRecord(this.#database, this.#apiKeyId),
        freshMs: RECORD_FRESH_MS,
      });
    } catch (error) {
      console.warn("a gate has no record that it may use", error);
      return undefined;
    }
  }

  /** A lease ends with what it was granted for: the key, and the grace of its previous secret. */
  #grant(
    record: ApiKeyRecord,
    previous: boolean,
    perSecond: number,
    renews: LeaseUse | undefined,
    now: number,
  ): Lease | undefined {
    const ends = [record.expiresAt, previous ? (record.previous?.expiresAt ?? null) : null];
    const lasts = ends.map((end) => (end === null ? Number.POSITIVE_INFINITY : end - now));
    const forMs = Math.min(longestLease(record.rateLimit, readLeaseMs(this.env)), ...lasts);
    if (perSecond <= 0 || forMs < SHORTEST_LEASE_MS) return undefined;
    const id = this.#leases.nextId();
    const wanted = Math.ceil((perSecond * HEADROOM * forMs) / 1_000);
    const admissions = this.#windowOf(record, now).grant(now, { id, admissions: wanted, forMs, renews });
    if (admissions === 0) return undefined;
    if (renews !== undefined) this.#countLease(renews, previous, now);
    this.#leases.add(id, forMs, now);
    return { id, admissions, forMs };
  }

  #settle(lease: LeaseUse, previous: boolean, now: number): void {
    // What another run has granted is not known any more, but was used all the same.
    const known = this.#window?.settle(lease) ?? false;
    if (known || !this.#leases.isOwn(lease.id)) this.#countLease(lease, previous, now);
  }

  #countLease({ id, used }: LeaseUse, previous: boolean, now: number): void {
    this.#leases.end(id);
    if (used > 0) this.#usage.count(now, used, 0, previous);
  }

  /** Isolates do not call the gates of keys without a database. When a deployment has just added it, this object may not know yet. */
  get #database(): D1Database {
    const database = chooseDatabase(this.env, this.#apiKeyId);
    if (database === undefined) throw new Error("no binding has the digit of this key's id");
    return database;
  }

  /** The window under the record's limit. A changed limit keeps the admissions that still count. */
  #windowOf({ rateLimit }: ApiKeyRecord, now: number): LeasedWindow {
    const held = this.#window;
    if (held?.rateLimit.limit === rateLimit.limit && held.rateLimit.windowMs === rateLimit.windowMs) return held;
    this.#window = held?.under(rateLimit, now) ?? new LeasedWindow(rateLimit, this.#times(), now);
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
