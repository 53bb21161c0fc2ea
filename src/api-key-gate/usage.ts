/** What a gate counts for its key's owner: requests by hour, and the last use. Totals, so that storing them twice counts once. */
import type { HourlyUsage } from "../database/api-key-usage.ts";

/** `lastUsedAt` and `savedAt`, when D1 last took the totals, are in Unix milliseconds; 0 is never. */
export type UsageState = {
  readonly hours: readonly HourlyUsage[];
  readonly lastUsedAt: number;
  readonly savedAt: number;
};

const HOUR_MS = 3_600_000;

export class Usage {
  #hours: readonly HourlyUsage[];
  #lastUsedAt: number;
  #savedAt: number;

  constructor({ hours, lastUsedAt, savedAt }: UsageState = { hours: [], lastUsedAt: 0, savedAt: 0 }) {
    this.#hours = hours;
    this.#lastUsedAt = lastUsedAt;
    this.#savedAt = savedAt;
  }

  get state(): UsageState {
    return { hours: this.#hours, lastUsedAt: this.#lastUsedAt, savedAt: this.#savedAt };
  }

  /** Whether anything was counted since D1 last took the totals. */
  get pending(): boolean {
    return this.#lastUsedAt > 0 && this.#lastUsedAt >= this.#savedAt;
  }

  count(now: number, admitted: number, limited: number): void {
    const hour = now - (now % HOUR_MS);
    const last = this.#hours.at(-1);
    const current = last?.hour === hour ? last : { hour, admitted: 0, limited: 0 };
    const earlier = current === last ? this.#hours.slice(0, -1) : this.#hours;
    this.#hours = [...earlier, { hour, admitted: current.admitted + admitted, limited: current.limited + limited }];
    this.#lastUsedAt = now;
  }

  /** D1 has taken the totals that stood at `now`: of them, only the last hour's can still grow. */
  saved(now: number, totals: UsageState): void {
    const lastHour = totals.hours.at(-1)?.hour ?? 0;
    this.#hours = this.#hours.filter(({ hour }) => hour >= lastHour);
    this.#savedAt = now;
  }
}
