/** What a gate counts for its key's owner: requests by hour, and the last use. Totals, so that storing them twice counts once. */
import type { HourlyUsage, LastUse } from "../database/api-key-usage.ts";

/** `savedAt` is when D1 last took the totals, in Unix milliseconds; 0 is never. */
export type UsageState = LastUse & { readonly hours: readonly HourlyUsage[]; readonly savedAt: number };

const HOUR_MS = 3_600_000;
/** D1 takes a key's totals at most this often: with the rest of their way, the owner sees them within a minute. */
const INTERVAL_MS = 50_000;
const NOTHING: UsageState = { hours: [], lastUsedAt: 0, previousUsedAt: 0, savedAt: 0 };

export class UsageCounts {
  #state: UsageState;
  /** Whether anything was counted since D1 last took the totals. */
  #pending: boolean;
  /** When D1 was last asked to take the totals; and whether it is asked now. */
  #triedAt = 0;
  #isSaving = false;

  constructor(state: UsageState = NOTHING) {
    this.#state = state;
    this.#pending = state.hours.length > 0 && state.lastUsedAt >= state.savedAt;
  }

  get state(): UsageState {
    return this.#state;
  }

  get pending(): boolean {
    return this.#pending;
  }

  /** When D1 is to take the totals, at the earliest; infinite when there is nothing to take, or it is asked now. */
  dueAt(now: number): number {
    if (!this.#pending || this.#isSaving) return Number.POSITIVE_INFINITY;
    // A clock that was ahead keeps nobody waiting.
    return Math.min(Math.max(this.#state.savedAt, this.#triedAt), now) + INTERVAL_MS;
  }

  /** `previous`: the request came with the secret before the last rotation. */
  count(now: number, admitted: number, limited: number, previous: boolean): void {
    const hour = now - (now % HOUR_MS);
    const { hours } = this.#state;
    // Found by its hour, not by its place: the clock may have stepped back.
    const current = hours.find((counts) => counts.hour === hour) ?? { hour, admitted: 0, limited: 0 };
    const counted = { hour, admitted: current.admitted + admitted, limited: current.limited + limited };
    this.#state = {
      ...this.#state,
      hours: [...hours.filter((counts) => counts !== current), counted],
      lastUsedAt: now,
      ...(previous && { previousUsedAt: now }),
    };
    this.#pending = true;
  }

  /** Has them stored. Rejects as `store` does: they stay here, and `dueAt` says when to try again. */
  async save(now: number, store: (totals: UsageState) => Promise<void>): Promise<void> {
    const totals = this.#state;
    this.#triedAt = now;
    this.#isSaving = true;
    try {
      await store(totals);
    } finally {
      this.#isSaving = false;
    }
    // Of the hours that D1 has, only the last can still grow.
    const lastHour = totals.hours.at(-1)?.hour ?? 0;
    this.#pending = this.#state !== totals;
    this.#state = { ...this.#state, hours: this.#state.hours.filter(({ hour }) => hour >= lastHour), savedAt: now };
  }
}
