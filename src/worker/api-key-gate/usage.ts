/** What a gate counts for its key's owner: requests by hour, and the last use. Totals, so that storing them twice counts once. */
import type { HourlyUsage, LastUse } from "../database/api-key-usage.ts";

/** `savedAt` is when D1 last took the totals, in Unix milliseconds; 0 is never. */
export type UsageState = LastUse & { readonly hours: readonly HourlyUsage[]; readonly savedAt: number };

const HOUR_MS = 3_600_000;
const NEVER: UsageState = { hours: [], lastUsedAt: 0, previousUsedAt: 0, savedAt: 0 };

export class Usage {
  #hours: readonly HourlyUsage[];
  #lastUsedAt: number;
  #previousUsedAt: number;
  #savedAt: number;
  /** Whether anything was counted since D1 last took the totals. */
  #pending: boolean;

  constructor({ hours, lastUsedAt, previousUsedAt, savedAt }: UsageState = NEVER) {
    this.#hours = hours;
    this.#lastUsedAt = lastUsedAt;
    this.#previousUsedAt = previousUsedAt;
    this.#savedAt = savedAt;
    this.#pending = hours.length > 0 && lastUsedAt >= savedAt;
  }

  get state(): UsageState {
    return {
      hours: this.#hours,
      lastUsedAt: this.#lastUsedAt,
      previousUsedAt: this.#previousUsedAt,
      savedAt: this.#savedAt,
    };
  }

  get pending(): boolean {
    return this.#pending;
  }

  /** `previous`: the request came with the secret before the last rotation. */
  count(now: number, admitted: number, limited: number, previous: boolean): void {
    const hour = now - (now % HOUR_MS);
    // Found by its hour, not by its place: the clock may have stepped back.
    const current = this.#hours.find((counts) => counts.hour === hour) ?? { hour, admitted: 0, limited: 0 };
    const others = this.#hours.filter((counts) => counts !== current);
    this.#hours = [...others, { hour, admitted: current.admitted + admitted, limited: current.limited + limited }];
    this.#pending = true;
    this.#lastUsedAt = now;
    if (previous) this.#previousUsedAt = now;
  }

  /** At `now`, D1 has taken these totals: of them, only the last hour's can still grow. */
  saved(now: number, totals: UsageState): void {
    const lastHour = totals.hours.at(-1)?.hour ?? 0;
    this.#pending = this.#hours !== totals.hours;
    this.#hours = this.#hours.filter(({ hour }) => hour >= lastHour);
    this.#savedAt = now;
  }
}
