/**
 * The gate of one API key: a Durable Object named by the key's id. One call does what a request needs, or what the next ones
 * need: a lease (leased-window.ts).
 *
 * It sleeps: it sets no timer, since an object with a timer is billed for every second. What it admits is stored before the
 * answer leaves (output gate), a reserve ahead of it. Counts follow by its alarm, before an idle object is evicted (after ten
 * seconds): only a crash can lose some, and then the reserve counts as used.
 */
import { DurableObject } from "cloudflare:workers";
import type { Identifier } from "../credentials/id.ts";
import { saveApiKeyUsage } from "../database/api-key-usage.ts";
import { loadApiKeyRecord } from "../database/api-keys.ts";
import {
  type Admission,
  type Admitted,
  type ApiKeyRecord,
  isPreviousSecret,
  refusalOf,
  refuse,
  tenantOf,
} from "../model/api-key.ts";
import { isId } from "../model/id.ts";
import type { Lease } from "../rate-limit/lease.ts";
import { LeasedWindow, longestLease } from "../rate-limit/leased-window.ts";
import { readLeaseMs } from "../settings.ts";
import { type Database, Databases } from "../store/databases.ts";
import { DeadlineExceeded } from "../store/deadline.ts";
import { Kept, OUTAGE_MS } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import { EarliestAlarm } from "./earliest-alarm.ts";
import { readStoredState, STATE, toStoredState } from "./gate-state.ts";
import type { Ask, Report } from "./reports.ts";
import { RevokedUse } from "./revoked-use.ts";
import { decidedHere, refusedHere, UsageCounts } from "./usage-counts.ts";

/** The record is read from D1 again, after an answer, when it is this old. */
const RENEW_MS = 60_000;
/** From the first counts to their way to D1, so that a few more come along. */
const USAGE_DELAY_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Counts and a reserve that only memory has are stored within this time: an idle object keeps its memory for ten seconds. */
const WRITE_MS = 8_000;
/** A lease has room for more requests than came of late. */
const HEADROOM = 1.5;
/** A lease for less would end before its answer has arrived. */
const SHORTEST_LEASE_MS = 50;

export class ApiKeyGate extends DurableObject<Env> {
  /** The key's row; null when D1 has no such key. */
  readonly #record: Kept<ApiKeyRecord | null>;
  readonly #databases = new Databases();
  /** The last one that was read, also after `forget`: what was used before is reported after. */
  #lastRecord: ApiKeyRecord | null;
  readonly #usage: UsageCounts;
  /** Admissions until the record tells the limit; then the window itself. */
  #restored: Float64Array;
  #window: LeasedWindow | undefined;
  /** Whether something was counted since the last write. */
  #isUnwritten = false;
  readonly #alarm: EarliestAlarm;
  readonly #revokedUse = new RevokedUse();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#alarm = new EarliestAlarm(ctx);
    const { state, discarded } = readStoredState(ctx.storage.kv.get(STATE));
    if (discarded.length > 0) console.warn("a gate's stored state is of another format; discarded", discarded);
    const onOutage = (error: unknown, since: number) => {
      console.warn("D1 does not give a gate its record", error);
      if (error instanceof DeadlineExceeded) this.#database.missed(since);
    };
    this.#record = new Kept({ now: () => Date.now(), isOutage: isDatabaseOutage, onOutage }, state.kept);
    this.#lastRecord = state.kept?.value ?? null;
    this.#usage = new UsageCounts(state.usage);
    this.#restored = state.times ?? new Float64Array();
  }

  /** Decides one request. `secretHash` is the hex SHA-256 of the presented key; `address` is the client's. */
  async admit(secretHash: string, address: string | null = null, ask: Ask = { perSecond: 0 }): Promise<Admission> {
    const { perSecond, seen, report } = ask;
    if (report !== undefined) this.#count(report, secretHash);
    const record = await this.#readRecord();
    if (record === undefined) return { outcome: "unavailable" };
    const now = Date.now();
    const refused = refuse(record, secretHash, address, now);
    // The answer does not wait.
    if (refused?.reason === "revoked")
      this.ctx.waitUntil(this.#revokedUse.note(this.#database.withoutSession(), this.#apiKeyId, address, now));
    if (record === null || refused !== undefined) {
      const sightings = refused && refusedHere(seen, refused.reason);
      if (this.#usage.count(now, { admitted: 0, limited: 0, sightings })) this.#isUnwritten = true;
      this.#setAlarm(now);
      return refused ?? { outcome: "refused", reason: "unknown" };
    }
    const { rateLimit } = record;
    const isPrevious = isPreviousSecret(record, secretHash, now);
    const secret = { hash: secretHash, isPrevious };
    const window = this.#windowOf(record, now);
    const { admitted, remaining, waitMs } = window.admit(now);
    const here = decidedHere(seen, admitted);
    this.#usage.count(now, { admitted: admitted ? 1 : 0, limited: admitted ? 0 : 1, secret, sightings: here });
    const lease = admitted ? this.#grant(record, isPrevious, perSecond, now) : undefined;
    this.#decided(window, (admitted ? 1 : 0) + (lease?.admissions ?? 0), now + (lease?.forMs ?? 0), now);
    const quota = { rateLimit, remaining, waitMs };
    if (!admitted) return { outcome: "limited", quota };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, ...(lease && { lease }) };
  }

  /** Takes an isolate's report. With `perSecond`, grants its next lease, too: undefined when it must not, or there is no room. */
  async report(secretHash: string, report: Report | undefined, perSecond = 0): Promise<Admitted | undefined> {
    if (report !== undefined) this.#count(report, secretHash);
    if (perSecond === 0) return undefined;
    const record = await this.#readRecord();
    const now = Date.now();
    if (!record || refusalOf(record, secretHash, now)) return undefined;
    const { rateLimit } = record;
    const window = this.#windowOf(record, now);
    const lease = this.#grant(record, isPreviousSecret(record, secretHash, now), perSecond, now);
    if (lease === undefined) return undefined;
    this.#decided(window, lease.admissions, now + lease.forMs, now);
    const quota = { rateLimit, remaining: window.remaining(now) + lease.admissions, waitMs: window.leavesMs(now) };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, lease };
  }

  /**
   * The key's row, or its account's, has changed: the next request reads it from D1. Durable before it answers. `reports` are those
   * of the isolate that calls, by the hash of the key. Leases that were granted before may still be used for as many milliseconds as it
   * answers: the caller waits for their end.
   */
  forget(reports: Readonly<Record<string, Report>> = {}): number {
    this.#record.forget();
    for (const [secretHash, report] of Object.entries(reports)) this.#count(report, secretHash);
    this.#write(Date.now());
    this.#setAlarm(Date.now());
    return readLeaseMs(this.env);
  }

  /** The newest secret that was used: the first characters of its hash. Of a new secret the first use in each isolate comes here. */
  usedSecret(): string | null {
    return this.#usage.state.seen.newest?.secret ?? null;
  }

  /** Answers. For the health check: no key has this gate. */
  ping(): void {}

  /**
   * Stores what only memory has, and hands the counts to D1. They are totals and stay here until D1 has them, so failing or
   * running twice is harmless. A key that has ended for good an hour ago leaves nothing stored.
   */
  override async alarm(): Promise<void> {
    this.#alarm.came();
    const began = Date.now();
    if (began >= this.#usage.dueAt(began)) await this.#saveUsage(began);
    if (this.#isUnwritten || this.#window?.hasReserve) this.#write(Date.now());
    if (this.#record.last === undefined) await this.#readRecord();
    const now = Date.now();
    if (!this.#usage.pending && now >= this.#endsAt(now) + HOUR_MS) await this.ctx.storage.deleteAll();
    else this.#setAlarm(now);
  }

  async #saveUsage(now: number): Promise<void> {
    try {
      await this.#usage.save(now, (totals) =>
        saveApiKeyUsage(this.#database.withoutSession(), this.#apiKeyId, totals.hours, totals),
      );
      this.#isUnwritten = true;
    } catch (error) {
      console.warn("D1 did not take an API key's usage; trying again", error);
    }
  }

  /** Counts what an isolate reports. What was used of a lease was used, whether this run has granted it or another. */
  #count({ limited, admitted, leases, sightings }: Report, secretHash: string): void {
    const now = Date.now();
    for (const lease of leases) this.#window?.settle(lease, now);
    if (limited + admitted === 0 && sightings === undefined) return;
    const isPrevious = this.#lastRecord !== null && isPreviousSecret(this.#lastRecord, secretHash, now);
    const isKnown = isPrevious || this.#lastRecord?.secretHash === secretHash;
    const secret = isKnown ? { hash: secretHash, isPrevious } : undefined;
    if (!this.#usage.count(now, { admitted, limited, secret, sightings })) return;
    this.#isUnwritten = true;
    this.#setAlarm(now);
  }

  /** `admissions`, which are used until `latest`, leave this object when storage has them. */
  #decided(window: LeasedWindow, admissions: number, latest: number, now: number): void {
    this.#isUnwritten = true;
    if (admissions > 0 && !window.takeReserved(admissions, latest)) this.#write(now);
    this.#setAlarm(now);
  }

  get #apiKeyId(): Identifier {
    const { name } = this.ctx.id;
    if (name === undefined || !isId(name)) throw new Error("a gate is reached by its key's id: getByName(apiKeyId)");
    return name;
  }

  /** The key's record, null when D1 has none; undefined when D1 does not answer and none may be used. */
  async #readRecord(): Promise<ApiKeyRecord | null | undefined> {
    try {
      this.#lastRecord = await this.#record.get({
        load: () => loadApiKeyRecord(this.#database.withoutSession(), this.#apiKeyId),
        freshMs: OUTAGE_MS,
        renewMs: RENEW_MS,
        waitUntil: (promise) => this.ctx.waitUntil(promise),
      });
      return this.#lastRecord;
    } catch (error) {
      console.warn("a gate has no record that it may use", error);
      return undefined;
    }
  }

  /** A lease ends with what it was granted for: the key, and the grace of its previous secret. */
  #grant(record: ApiKeyRecord, previous: boolean, perSecond: number, now: number): Lease | undefined {
    const ends = [record.expiresAt, previous ? (record.previous?.expiresAt ?? null) : null];
    const lasts = ends.map((end) => (end === null ? Number.POSITIVE_INFINITY : end - now));
    const forMs = Math.min(longestLease(record.rateLimit, readLeaseMs(this.env)), ...lasts);
    if (perSecond <= 0 || forMs < SHORTEST_LEASE_MS) return undefined;
    const wanted = { id: crypto.randomUUID(), admissions: Math.ceil((perSecond * HEADROOM * forMs) / 1_000), forMs };
    const admissions = this.#windowOf(record, now).grant(now, wanted);
    return admissions === 0 ? undefined : { ...wanted, admissions };
  }

  /** Isolates do not call the gates of keys without a database. When a deployment has just added it, this object may not know yet. */
  get #database(): Database {
    const database = this.#databases.of({ env: this.env, executionCtx: this.ctx }, this.#apiKeyId);
    if (database === undefined) throw new Error("no binding has the digit of this key's id");
    return database;
  }

  /** The window under the record's limit. A changed limit keeps the admissions that still count. */
  #windowOf({ rateLimit }: ApiKeyRecord, now: number): LeasedWindow {
    const held = this.#window;
    if (held?.rateLimit.limit === rateLimit.limit && held.rateLimit.windowMs === rateLimit.windowMs) return held;
    this.#window = held?.under(rateLimit, now) ?? new LeasedWindow(rateLimit, this.#restored, now);
    this.#restored = new Float64Array();
    return this.#window;
  }

  #write(now: number): void {
    const times = this.#window?.store(now) ?? this.#restored;
    const state = { kept: this.#record.last, times, usage: this.#usage.state };
    this.ctx.storage.kv.put(STATE, toStoredState(state));
    this.#isUnwritten = false;
  }

  /** For what is due next. */
  #setAlarm(now: number): void {
    const isAhead = this.#isUnwritten || this.#window?.hasReserve;
    const writtenAt = isAhead ? now + WRITE_MS : Number.POSITIVE_INFINITY;
    const savedAt = Math.max(now + USAGE_DELAY_MS, this.#usage.dueAt(now));
    this.#alarm.setBy(Math.min(writtenAt, savedAt, Math.max(now, this.#endsAt(now)) + HOUR_MS));
  }

  /** When the key ends for good, infinite if never. Without a record that is to be seen. */
  #endsAt(now: number): number {
    const { last } = this.#record;
    if (last === undefined) return now;
    if (last.value === null) return last.readAt;
    return last.value.revokedAt ?? last.value.expiresAt ?? Number.POSITIVE_INFINITY;
  }
}
