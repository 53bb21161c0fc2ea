/**
 * What a gate counts for its key's owner: requests by hour and operation, and who sent the last ones. Totals, so that storing them twice
 * counts once.
 */
import type { HourlyUsage, LastUse } from "../database/api-key-usage.ts";
import type { RecordRefusal } from "../model/api-key.ts";
import {
  type Answered,
  countAnswered,
  type Seen,
  type SeenWithPrevious,
  statusOfAdmitted,
  tellAnswered,
  untoldOf,
} from "../model/seen.ts";
import type { Sightings } from "./reports.ts";

/** `savedAt` is when D1 last took the totals, `countedAt` when something was last counted, in Unix milliseconds; 0 is never. */
export type UsageState = LastUse & {
  readonly hours: readonly HourlyUsage[];
  readonly savedAt: number;
  /** Undefined in what a release before this one has stored: when it was last used. */
  readonly countedAt?: number | undefined;
  /** When a refusal was last reason enough to store something. */
  readonly refusedAt?: number | undefined;
};

/** What an isolate or the gate has decided. `previous` is the hash of the secret, if it is the one before the last rotation. */
export type Decided = {
  readonly admitted: number;
  readonly limited: number;
  readonly previous: string | null;
  readonly sightings?: Sightings | undefined;
};

const HOUR_MS = 3_600_000;
/** D1 takes a key's totals at most this often: with the rest of their way, the owner sees them within a minute. */
const INTERVAL_MS = 50_000;
const MAX_EARLY = 100;
const NOTHING: UsageState = { hours: [], lastUsedAt: 0, previousUsedAt: 0, savedAt: 0 };

export class UsageCounts {
  #state: UsageState;
  /** Whether anything was counted since D1 last took the totals. */
  #pending: boolean;
  /** When D1 was last asked to take the totals. */
  #triedAt = 0;
  /** How requests were answered that are not counted yet: of an isolate's two calls one may overtake the other. */
  #early: readonly Answered[] = [];

  constructor(state: UsageState = NOTHING) {
    this.#state = state;
    this.#pending = state.hours.length > 0 && (state.countedAt ?? state.lastUsedAt) >= state.savedAt;
  }

  get state(): UsageState {
    return this.#state;
  }

  get pending(): boolean {
    return this.#pending;
  }

  /** When D1 is to take the totals, at the earliest; infinite when there is nothing to take. */
  dueAt(now: number): number {
    if (!this.#pending) return Number.POSITIVE_INFINITY;
    // A clock that was ahead keeps nobody waiting.
    return Math.min(Math.max(this.#state.savedAt, this.#triedAt), now) + INTERVAL_MS;
  }

  /**
   * Whether this is to be stored. Counts are, and how requests were answered that were counted before. What was seen goes along with
   * them, but a key that is only refused has no counts: its refusals alone are stored, one in an hour.
   */
  count(now: number, { admitted, limited, previous, sightings }: Decided): boolean {
    const isCounted = admitted + limited > 0;
    const { hours, seen = {}, refusedAt = 0 } = this.#state;
    const isRefusal = sightings?.refused !== undefined && Math.abs(now - refusedAt) >= HOUR_MS;
    if (!isCounted && sightings === undefined) return false;
    const hour = now - (now % HOUR_MS);
    // Found by its hour, not by its place: the clock may have stepped back.
    const current = hours.find((counts) => counts.hour === hour) ?? { hour, admitted: 0, limited: 0 };
    const counted = {
      ...current,
      admitted: current.admitted + admitted,
      limited: current.limited + limited,
      ...(sightings && { operations: sightings.answered.reduce(countAnswered, current.operations ?? {}) }),
    };
    const used = lastOf(seen.used, sightings?.used, now);
    const known: Told = { hours: [...hours.filter((counts) => counts !== current), counted], early: [] };
    const told = [...this.#early, ...(sightings?.told ?? [])].reduce(tell, known);
    this.#early = told.early.slice(-MAX_EARLY);
    const isDue = isCounted || isRefusal || told.hours.some((counts, place) => counts !== known.hours[place]);
    this.#state = {
      ...this.#state,
      hours: told.hours,
      seen: {
        used,
        previous: previous === null ? seen.previous : lastWith(previous, seen.previous, sightings?.used, now),
        refused: lastOf(seen.refused, sightings?.refused, now),
      },
      // Not before what D1 has, also by a clock that has stepped back.
      ...(isDue && { countedAt: Math.max(now, this.#state.savedAt) }),
      ...(isRefusal && { refusedAt: now }),
      ...(admitted > 0 && { lastUsedAt: now }),
      ...(admitted > 0 && previous !== null && { previousUsedAt: Math.min(now, sightings?.used?.at ?? now) }),
    };
    this.#pending ||= isDue;
    return isDue;
  }

  /** Has them stored. Rejects as `store` does: they stay here, and `dueAt` says when to try again. */
  async save(now: number, store: (totals: UsageState) => Promise<void>): Promise<void> {
    const totals = this.#state;
    this.#triedAt = now;
    await store({ ...totals, hours: totals.hours.filter((hour) => isStored(hour, totals)) });
    // Of the hours that D1 has, the last can still grow; the one before, too: answers may be told, and the clock may step back.
    const last = totals.hours.at(-1)?.hour ?? 0;
    const isKept = ({ hour }: HourlyUsage) => hour >= last - HOUR_MS;
    this.#pending = this.#state !== totals;
    this.#state = { ...this.#state, hours: this.#state.hours.filter(isKept), savedAt: now };
  }
}

type Told = { readonly hours: readonly HourlyUsage[]; readonly early: readonly Answered[] };

/** In the latest hour that has such requests: they may have come before this hour began. What none has is early. */
function tell({ hours, early }: Told, [operation, status, requests]: Answered): Told {
  let left = requests;
  const told = hours
    .toReversed()
    .map((counts) => {
      const { operations = {} } = counts;
      const told = Math.min(left, untoldOf(operations, operation));
      left -= told;
      return told === 0 ? counts : { ...counts, operations: tellAnswered(operations, [operation, status, told]) };
    })
    .toReversed();
  return { hours: told, early: left === 0 ? early : [...early, [operation, status, left]] };
}

/** An hour without counts is stored for the time of a refusal in it, which is kept as long. */
const isStored = ({ hour, admitted, limited }: HourlyUsage, { seen }: UsageState): boolean =>
  admitted + limited > 0 ||
  (seen?.refused !== undefined && seen.refused.at >= hour && seen.refused.at < hour + HOUR_MS);

/** Of a request that the gate admits, or refuses for being over the limit. A release before this one does not tell what was seen. */
export function decidedHere(
  seen: Seen | undefined,
  admitted: boolean,
  accountSuspended: boolean,
): Sightings | undefined {
  if (seen === undefined) return undefined;
  const status = admitted ? statusOfAdmitted(seen.operation, accountSuspended) : "4xx";
  const last = admitted ? { used: seen } : { refused: { ...seen, reason: "limited" as const } };
  return { ...last, answered: [[seen.operation, status, 1]], told: [] };
}

/** Of a request that the gate refuses. Nobody owns an unknown key. */
export const refusedHere = (seen: Seen | undefined, reason: RecordRefusal): Sightings | undefined =>
  seen === undefined || reason === "unknown" ? undefined : { refused: { ...seen, reason }, answered: [], told: [] };

/** The later one. An isolate's clock may be ahead. */
function lastOf<Each extends { readonly at: number }>(known: Each | undefined, told: Each | undefined, now: number) {
  if (told === undefined) return known;
  const at = Math.min(told.at, now);
  return known === undefined || at >= known.at ? { ...told, at } : known;
}

/** The later one with this secret: of two rotations, each has its own. */
function lastWith(hash: string, known: SeenWithPrevious | undefined, told: Seen | undefined, now: number) {
  const secret = hash.slice(0, 12);
  return lastOf(known?.secret === secret ? known : undefined, told && { ...told, secret }, now) ?? known;
}
