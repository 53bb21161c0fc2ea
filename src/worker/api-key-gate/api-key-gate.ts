/**
 * The gate of one API key: a Durable Object named by the key's id. One call decides one request, and may grant a lease that
 * decides the next ones (leased-window.ts).
 *
 * The gate sleeps between requests. It sets no timer, because an object with a timer is billed for every second. Each admission
 * is stored before its answer leaves (output gate), with a reserve for later ones. The alarm stores what is only in memory before an
 * idle object is evicted (after ten seconds). So only a crash can lose counts, and then the whole reserve counts as used. D1 gets the
 * counts once a day (usage-counts.ts).
 */
import { DurableObject } from "cloudflare:workers";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, type Identifier } from "../credentials/id.ts";
import { recordUseAfterRevocation } from "../database/activity/audit-events.ts";
import { type KeyTotals, saveApiKeyUsage } from "../database/keys/api-key-usage.ts";
import { loadApiKeyRecord } from "../database/keys/api-keys.ts";
import { logWarning } from "../log.ts";
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
import { SECRET_LENGTH } from "../model/seen.ts";
import type { Lease } from "../rate-limit/lease.ts";
import { LeasedWindow, longestLease } from "../rate-limit/leased-window.ts";
import { readLeaseMs } from "../settings.ts";
import { type Database, Databases } from "../store/databases.ts";
import { Kept, OUTAGE_MS } from "../store/kept.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import { type GateState, readStoredState, STATE } from "./gate-state.ts";
import { type Ask, type Decisions, decided, type Report } from "./report.ts";
import { UsageCounts, type UsedSecret } from "./usage-counts.ts";

/** A record that is this old is read from D1 again, after an answer. */
const RENEW_MS = 60_000;
const HOUR_MS = 3_600_000;
/**
 * What is only in memory is stored within this time, because an idle object keeps its memory for ten seconds. Counts wait as long
 * before they go to D1, so that more of them go together.
 */
const WRITE_MS = 8_000;
/** A lease admits this many times as many requests as came lately. */
const HEADROOM = 1.5;
/** A shorter lease would end before its answer has arrived. */
const SHORTEST_LEASE_MS = 50;

/** A key of the storage, beside the state. */
const BLOCKED = "blocked/1";

export class ApiKeyGate extends DurableObject<Env> {
  /** The key's row; null when D1 has no such key. */
  readonly #record: Kept<ApiKeyRecord | null>;
  readonly #databases = new Databases();
  readonly #usage: UsageCounts;
  /** The stored admissions, until the record tells the limit. Then `#window` has them. */
  #restored: Float64Array;
  #window: LeasedWindow | undefined;
  /** The key is revoked, whatever D1 says of it. */
  #isBlocked: boolean;
  /** Whether something was counted since the last write. */
  #isUnwritten = false;
  /** In Unix milliseconds; infinite when no alarm is set. */
  #alarmAt = Number.POSITIVE_INFINITY;
  /** The last hour in which the use of the revoked key was recorded. */
  #usedAfterRevocation: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = (await ctx.storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    });
    this.#isBlocked = ctx.storage.kv.get(BLOCKED) === true;
    const { state, discarded } = readStoredState(ctx.storage.kv.get(STATE));
    if (discarded.length > 0) logWarning("a gate's stored state is of another format; discarded", discarded.join(", "));
    const onOutage = (error: unknown, since: number) =>
      this.#database.noteOutage("D1 does not give a gate its record", error, since);
    this.#record = new Kept({ now: () => Date.now(), isOutage: isDatabaseOutage, onOutage }, state.kept);
    this.#usage = new UsageCounts(state.usage);
    this.#restored = state.times ?? new Float64Array();
  }

  /** Decides one request. `secretHash` is the hex SHA-256 of the presented key; `address` is the client's. */
  async admit(secretHash: string, address: string | null = null, ask: Ask = { perSecond: 0 }): Promise<Admission> {
    const { perSecond, seen, report } = ask;
    if (report !== undefined) this.#takeReport(report, secretHash);
    if (this.#isBlocked) return { outcome: "refused", reason: "revoked" };
    const record = await this.#readRecord();
    if (record === undefined) return { outcome: "unavailable" };
    const now = Date.now();
    const refused = refuse(record, { secretHash, address, now });
    if (record === null || refused !== undefined) {
      const reason = refused?.reason ?? "unknown";
      // The answer does not wait for it.
      if (reason === "revoked") this.ctx.waitUntil(this.#recordUseAfterRevocation(address, now));
      // An unknown key has no owner who could see it.
      if (reason !== "unknown") this.#count(now, decided(reason, seen));
      this.#setAlarm(now);
      return refused ?? { outcome: "refused", reason };
    }
    const { rateLimit } = record;
    const window = this.#windowOf(record, now);
    const { admitted, remaining, waitMs } = window.admit(now);
    const outcome = admitted ? "admitted" : "limited";
    this.#count(now, decided(outcome, seen), secretOf(record, secretHash, now));
    const lease = admitted ? this.#grant(record, { secretHash, perSecond, now }) : undefined;
    const admissions = (admitted ? 1 : 0) + (lease?.admissions ?? 0);
    this.#store(window, { admissions, latest: now + (lease?.forMs ?? 0), now });
    const quota = { rateLimit, remaining, waitMs };
    if (!admitted) return { outcome: "limited", quota };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, ...(lease && { lease }) };
  }

  /**
   * Takes an isolate's report. With `perSecond`, it also grants the isolate's next lease; undefined when the key may not have
   * one, or the limit has no room.
   */
  async report(secretHash: string, report: Report | undefined, perSecond = 0): Promise<Admitted | undefined> {
    if (report !== undefined) this.#takeReport(report, secretHash);
    if (perSecond === 0 || this.#isBlocked) return undefined;
    const record = await this.#readRecord();
    const now = Date.now();
    if (!record || refusalOf(record, secretHash, now)) return undefined;
    const { rateLimit } = record;
    const window = this.#windowOf(record, now);
    const lease = this.#grant(record, { secretHash, perSecond, now });
    if (lease === undefined) return undefined;
    this.#store(window, { admissions: lease.admissions, latest: now + lease.forMs, now });
    const quota = { rateLimit, remaining: window.remaining(now) + lease.admissions, waitMs: window.leavesMs(now) };
    return { outcome: "admitted", tenant: tenantOf(record), rateLimit, quota, lease };
  }

  /**
   * The key's row, or its account's, has changed: the next request reads it from D1, also after a crash. `reports` are those of
   * the calling isolate, by the hash of the key. Returns the milliseconds for which leases that were granted before may still be
   * used; the caller waits that long.
   */
  forget(reports: Readonly<Record<string, Report>> = {}): number {
    // First the reports, because the record tells which secret they are about.
    for (const [secretHash, report] of Object.entries(reports)) this.#takeReport(report, secretHash);
    this.#record.forget();
    this.#write(Date.now());
    this.#setAlarm(Date.now());
    return readLeaseMs(this.env);
  }

  /** The owner has revoked the key, and D1 could not store it. It stays revoked here, also after a crash: revoking is final. */
  block(): void {
    this.#isBlocked = true;
    this.ctx.storage.kv.put(BLOCKED, true);
  }

  /**
   * The newest secret that was used: the first characters of its hash. It is up to date, because the first use of a new secret in
   * each isolate calls the gate.
   */
  usedSecret(): string | null {
    return this.#usage.state.seen.newest?.secret ?? null;
  }

  /** What D1 may not have yet of the key's use. */
  unsavedUse(): KeyTotals {
    return this.#usage.unsaved;
  }

  /** Creates the gate near the caller, or shows that one answers. It has no effect on the key. */
  ping(): void {}

  /**
   * Stores the state that is only in memory, and sends the counts to D1 when they are due. The counts are totals, and the gate keeps them until D1
   * has them, so a failed or repeated run does no harm. An hour after the key has ended for good, everything stored is deleted.
   */
  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    const began = Date.now();
    if (began >= this.#usage.dueAt(began, this.#endsAt(began))) await this.#saveUsage(began);
    if (this.#needsWrite) this.#write(Date.now());
    if (this.#record.last === undefined) await this.#readRecord();
    const now = Date.now();
    if (!this.#usage.state.isPending && now >= this.#endsAt(now) + HOUR_MS) await this.ctx.storage.deleteAll();
    else this.#setAlarm(now);
  }

  async #saveUsage(now: number): Promise<void> {
    try {
      await this.#usage.save(now, ({ hours, seen }) =>
        saveApiKeyUsage(this.#database.withoutSession(), { apiKeyId: this.#apiKeyId, hours, seen }),
      );
      this.#isUnwritten = true;
    } catch (error) {
      logWarning("D1 did not take an API key's usage; trying again", error);
    }
  }

  /** The used part of a lease counts, even if an earlier run of this object granted it. */
  #takeReport(report: Report, secretHash: string): void {
    const now = Date.now();
    for (const lease of report.leases) this.#window?.settle(lease, now);
    const record = this.#record.last?.value ?? null;
    this.#count(now, report, record === null ? undefined : secretOf(record, secretHash, now));
    this.#setAlarm(now);
  }

  #count(now: number, decisions: Decisions, secret?: UsedSecret): void {
    if (this.#usage.count(now, decisions, secret)) this.#isUnwritten = true;
  }

  /** Stores `admissions` before they leave this object, unless the reserve covers them. They are used until `latest`. */
  #store(
    window: LeasedWindow,
    { admissions, latest, now }: { readonly admissions: number; readonly latest: number; readonly now: number },
  ): void {
    this.#isUnwritten = true;
    if (admissions > 0 && !window.takeReserved(admissions, latest)) this.#write(now);
    this.#setAlarm(now);
  }

  /** Records it in the owner's activity, once an hour: the database knows the hour, too. Never rejects. */
  async #recordUseAfterRevocation(address: string | null, now: number): Promise<void> {
    const hour = now - (now % HOUR_MS);
    if (this.#usedAfterRevocation === hour) return;
    this.#usedAfterRevocation = hour;
    try {
      const apiKeyId = this.#apiKeyId;
      const eventId = createId(apiKeyId, secureRandomBytes);
      await recordUseAfterRevocation(this.#database.withoutSession(), { apiKeyId, eventId, address, now });
    } catch (error) {
      this.#usedAfterRevocation = undefined;
      logWarning("D1 did not take an audit event; the next use tries again", error);
    }
  }

  get #apiKeyId(): Identifier {
    const { name } = this.ctx.id;
    if (name === undefined || !isId(name)) throw new Error("a gate is reached by its key's id: getByName(apiKeyId)");
    return name;
  }

  /** The key's record; null when D1 has none; undefined when D1 does not answer and no kept record may be used. */
  async #readRecord(): Promise<ApiKeyRecord | null | undefined> {
    try {
      return await this.#record.get({
        load: () => loadApiKeyRecord(this.#database.withoutSession(), this.#apiKeyId),
        freshMs: OUTAGE_MS,
        renewMs: RENEW_MS,
        waitUntil: (promise) => this.ctx.waitUntil(promise),
      });
    } catch (error) {
      logWarning("a gate has no record that it may use", error);
      return undefined;
    }
  }

  /** Grants a lease. It ends no later than the key does, and no later than the previous secret's grace. */
  #grant(
    record: ApiKeyRecord,
    { secretHash, perSecond, now }: { readonly secretHash: string; readonly perSecond: number; readonly now: number },
  ): Lease | undefined {
    const graceEnds = isPreviousSecret(record, secretHash, now) ? record.previous?.expiresAt : undefined;
    const ends = [record.expiresAt, graceEnds ?? null];
    const lasts = ends.map((end) => (end === null ? Number.POSITIVE_INFINITY : end - now));
    const forMs = Math.min(longestLease(record.rateLimit, readLeaseMs(this.env)), ...lasts);
    if (perSecond <= 0 || forMs < SHORTEST_LEASE_MS) return undefined;
    const wanted = { id: crypto.randomUUID(), admissions: Math.ceil((perSecond * HEADROOM * forMs) / 1_000), forMs };
    const admissions = this.#windowOf(record, now).grant(now, wanted);
    return admissions === 0 ? undefined : { ...wanted, admissions };
  }

  /**
   * Throws when the key's database has no binding. Isolates do not call such gates, but after a deployment that adds a database,
   * this object may still run without it.
   */
  get #database(): Database {
    const database = this.#databases.of({ env: this.env, executionCtx: this.ctx }, this.#apiKeyId);
    if (database === undefined) throw new Error("no binding has the digit of this key's id");
    return database;
  }

  /** The window under the record's limit. When the limit changes, the admissions that still count are kept. */
  #windowOf({ rateLimit }: ApiKeyRecord, now: number): LeasedWindow {
    const current = this.#window;
    if (current?.rateLimit.limit === rateLimit.limit && current.rateLimit.windowMs === rateLimit.windowMs)
      return current;
    this.#window = current?.under(rateLimit, now) ?? new LeasedWindow(rateLimit, { stored: this.#restored, now });
    this.#restored = new Float64Array();
    return this.#window;
  }

  #write(now: number): void {
    const times = this.#window?.store(now) ?? this.#restored;
    const state: GateState = { kept: this.#record.last, times, usage: this.#usage.state };
    this.ctx.storage.kv.put(STATE, state);
    this.#isUnwritten = false;
  }

  get #needsWrite(): boolean {
    return this.#isUnwritten || this.#window?.hasReserve === true;
  }

  /**
   * Makes the alarm come when the next thing is due, or before. It is never moved to a later time, because each setting is billed
   * as a row written. An alarm that comes early finds nothing to do, and sets the next.
   */
  #setAlarm(now: number): void {
    const soon = now + WRITE_MS;
    const endsAt = this.#endsAt(now);
    const workAt = this.#needsWrite ? soon : Math.max(soon, this.#usage.dueAt(now, endsAt));
    const dueAt = Math.min(workAt, Math.max(now, endsAt) + HOUR_MS);
    if (dueAt >= this.#alarmAt) return;
    this.#alarmAt = dueAt;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(dueAt));
  }

  /** When the key ends for good; infinite if never; `now` when the record has yet to be read. */
  #endsAt(now: number): number {
    const { last } = this.#record;
    if (last === undefined) return now;
    if (last.value === null) return last.readAt;
    return last.value.revokedAt ?? last.value.expiresAt ?? Number.POSITIVE_INFINITY;
  }
}

function secretOf(record: ApiKeyRecord, secretHash: string, now: number): UsedSecret | undefined {
  const isPrevious = isPreviousSecret(record, secretHash, now);
  return isPrevious || record.secretHash === secretHash
    ? { id: secretHash.slice(0, SECRET_LENGTH), isPrevious }
    : undefined;
}
