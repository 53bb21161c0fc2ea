/**
 * The counts that a gate keeps for its key's owner: requests by hour and operation, and the senders of the last ones. They are
 * totals, so storing them twice counts once.
 */
import type { HourlyUsage, LastUse } from "../database/api-key-usage.ts";
import type { RecordRefusal } from "../model/api-key.ts";
import { countAdmitted, SECRET_LENGTH, type Seen, type SeenWithPrevious } from "../model/seen.ts";
import type { Sightings } from "./reports.ts";

/** `savedAt` is when D1 last took the totals, `countedAt` when something was last counted, in Unix milliseconds; 0 is never. */
export type UsageState = LastUse & {
  readonly hours: readonly HourlyUsage[];
  readonly savedAt: number;
  readonly countedAt: number;
  /** The time of the last refusal that was stored for its own sake. */
  readonly refusedAt: number;
};

/** A decision of an isolate or of the gate. `secret` is set if the request had one of the key's two secrets. */
export type Decided = {
  readonly admitted: number;
  readonly limited: number;
  readonly secret?: UsedSecret | undefined;
  readonly sightings?: Sightings | undefined;
};

/** `isPrevious`: the secret from before the last rotation. */
export type UsedSecret = { readonly hash: string; readonly isPrevious: boolean };

const HOUR_MS = 3_600_000;
/** D1 takes a key's totals at most once in this time. The owner sees them within a minute, with the other delays. */
const INTERVAL_MS = 50_000;
const NOTHING: UsageState = {
  hours: [],
  lastUsedAt: 0,
  previousUsedAt: 0,
  savedAt: 0,
  countedAt: 0,
  refusedAt: 0,
  seen: {},
};

export class UsageCounts {
  #state: UsageState;
  /** Whether anything was counted since D1 last took the totals. */
  #pending: boolean;
  /** When D1 was last asked to take the totals. */
  #triedAt = 0;

  constructor(state: UsageState = NOTHING) {
    this.#state = state;
    this.#pending = state.hours.length > 0 && state.countedAt >= state.savedAt;
  }

  get state(): UsageState {
    return this.#state;
  }

  get pending(): boolean {
    return this.#pending;
  }

  /** The earliest time at which D1 may take the totals; infinite when nothing is pending. */
  dueAt(now: number): number {
    if (!this.#pending) return Number.POSITIVE_INFINITY;
    // If the clock was ahead before, `now` limits the wait.
    return Math.min(Math.max(this.#state.savedAt, this.#triedAt), now) + INTERVAL_MS;
  }

  /**
   * Counts a decision. Returns whether the gate has to store its state: yes after counts. Sightings are stored together with
   * counts. For a key that is only refused there are no counts, so one refusal an hour is stored for its own sake.
   */
  count(now: number, { admitted, limited, secret, sightings }: Decided): boolean {
    const isCounted = admitted + limited > 0;
    const { hours, seen, refusedAt } = this.#state;
    const isRefusal = sightings?.refused !== undefined && Math.abs(now - refusedAt) >= HOUR_MS;
    if (!isCounted && sightings === undefined) return false;
    const hour = now - (now % HOUR_MS);
    // The hour may not be the last entry, because the clock may have stepped back.
    const current = hours.find((counts) => counts.hour === hour) ?? { hour, admitted: 0, limited: 0, operations: {} };
    const counted = {
      hour,
      admitted: current.admitted + admitted,
      limited: current.limited + limited,
      operations: countAdmitted(current.operations, sightings?.operations ?? {}),
    };
    const used = lastOf(seen.used, sightings?.used, now);
    const of = (isPrevious: boolean) =>
      secret?.isPrevious === isPrevious ? secret.hash.slice(0, SECRET_LENGTH) : undefined;
    const [newest, previous] = [of(false), of(true)];
    const isDue = isCounted || isRefusal;
    this.#state = {
      ...this.#state,
      hours: [...hours.filter((counts) => counts !== current), counted],
      seen: {
        used,
        newest: newest === undefined || admitted === 0 ? seen.newest : { at: now, secret: newest },
        previous:
          previous === undefined
            ? seen.previous
            : lastWith(previous, { known: seen.previous, told: sightings?.used, now }),
        refused: lastOf(seen.refused, sightings?.refused, now),
      },
      // Not earlier than `savedAt`, even if the clock has stepped back.
      ...(isDue && { countedAt: Math.max(now, this.#state.savedAt) }),
      ...(isRefusal && { refusedAt: now }),
      ...(admitted > 0 && { lastUsedAt: now }),
      ...(admitted > 0 && previous !== undefined && { previousUsedAt: Math.min(now, sightings?.used?.at ?? now) }),
    };
    this.#pending ||= isDue;
    return isDue;
  }

  /** Gives the totals to `store`. Rejects as `store` does: then they are kept, and `dueAt` says when to try again. */
  async save(now: number, store: (totals: UsageState) => Promise<void>): Promise<void> {
    const totals = this.#state;
    this.#triedAt = now;
    await store({ ...totals, hours: totals.hours.filter((hour) => isStored(hour, totals)) });
    // D1 has the older hours for good. The last hour can still grow, and so can the one before, because the clock may step back.
    const last = totals.hours.at(-1)?.hour ?? 0;
    const isKept = ({ hour }: HourlyUsage) => hour >= last - HOUR_MS;
    this.#pending = this.#state !== totals;
    this.#state = { ...this.#state, hours: this.#state.hours.filter(isKept), savedAt: now };
  }
}

/** An hour without counts is stored too, if the last refusal was in it, because refusals are deleted with their hour. */
const isStored = ({ hour, admitted, limited }: HourlyUsage, { seen }: UsageState): boolean =>
  admitted + limited > 0 || (seen.refused !== undefined && seen.refused.at >= hour && seen.refused.at < hour + HOUR_MS);

/** The sightings of a request that the gate admits, or refuses because it is over the limit. */
export function decidedHere(seen: Seen | undefined, admitted: boolean): Sightings | undefined {
  if (seen === undefined) return undefined;
  return admitted
    ? { used: seen, operations: { [seen.operation]: 1 } }
    : { refused: { ...seen, reason: "limited" }, operations: {} };
}

/** The sightings of a request that the gate refuses. An unknown key has no owner who could see them. */
export const refusedHere = (seen: Seen | undefined, reason: RecordRefusal): Sightings | undefined =>
  seen === undefined || reason === "unknown" ? undefined : { refused: { ...seen, reason }, operations: {} };

/** The later of the two. An isolate's clock may be ahead, so `now` is the latest time. */
function lastOf<Each extends { readonly at: number }>(known: Each | undefined, told: Each | undefined, now: number) {
  if (told === undefined) return known;
  const at = Math.min(told.at, now);
  return known === undefined || at >= known.at ? { ...told, at } : known;
}

/** The later of the two, if both had this secret; else the new one, because each secret has its own entry. */
function lastWith(
  secret: string,
  {
    known,
    told,
    now,
  }: { readonly known: SeenWithPrevious | undefined; readonly told: Seen | undefined; readonly now: number },
) {
  return lastOf(known?.secret === secret ? known : undefined, told && { ...told, secret }, now) ?? known;
}
