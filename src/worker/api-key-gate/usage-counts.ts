/**
 * The counts that a gate keeps for its key's owner: requests by hour and operation, and the senders of the last ones. They are
 * totals, so storing them twice counts once.
 */
import type { HourlyUsage, LastSeen } from "../database/keys/api-key-usage.ts";
import { countAdmitted } from "../model/seen.ts";
import type { Decisions } from "./report.ts";

export type UsageState = {
  readonly hours: readonly HourlyUsage[];
  readonly seen: LastSeen;
  /** Whether D1 lacks something that was counted. */
  readonly isPending: boolean;
  /** When D1 was last asked to take the totals, in Unix milliseconds; 0 is never. */
  readonly triedAt: number;
  /** The time of the last refusal that was stored for its own sake. */
  readonly refusedAt: number;
};

/** `id` is the beginning of its hash. `isPrevious`: the secret from before the last rotation. */
export type UsedSecret = { readonly id: string; readonly isPrevious: boolean };

const HOUR_MS = 3_600_000;
/** D1 takes a key's totals at most once in this time. The owner sees them within a minute, with the other delays. */
const INTERVAL_MS = 50_000;
const NOTHING: UsageState = { hours: [], seen: {}, isPending: false, triedAt: 0, refusedAt: 0 };

export class UsageCounts {
  #state: UsageState;

  constructor(state: UsageState = NOTHING) {
    this.#state = state;
  }

  get state(): UsageState {
    return this.#state;
  }

  /** The earliest time at which D1 may take the totals; infinite when nothing is pending. */
  dueAt(now: number): number {
    const { isPending, triedAt } = this.#state;
    // If the clock was ahead before, `now` limits the wait.
    return isPending ? Math.min(triedAt, now) + INTERVAL_MS : Number.POSITIVE_INFINITY;
  }

  /**
   * Counts decisions about requests with `secret`, if that is one of the key's two. Returns whether the gate has to store its
   * state: yes after counts, and the last requests are stored with them. A key that is only refused has no counts, so one refusal
   * an hour is stored for its own sake.
   */
  count(now: number, { admitted, limited, operations, used, refused }: Decisions, secret?: UsedSecret): boolean {
    const { hours, seen, refusedAt } = this.#state;
    const isRefusal = refused !== undefined && now - refusedAt >= HOUR_MS;
    const isDue = admitted + limited > 0 || isRefusal || Object.keys(operations).length > 0;
    const hour = now - (now % HOUR_MS);
    const current = hours.find((each) => each.hour === hour) ?? { hour, admitted: 0, limited: 0, operations: {} };
    const counted = {
      hour,
      admitted: current.admitted + admitted,
      limited: current.limited + limited,
      operations: countAdmitted(current.operations, operations),
    };
    this.#state = {
      ...this.#state,
      hours: [...hours.filter((each) => each !== current), counted],
      seen: {
        ...seen,
        used: laterOf(seen.used, used, now),
        refused: laterOf(seen.refused, refused, now),
        ...(secret?.isPrevious === false && admitted > 0 && { newest: { at: now, secret: secret.id } }),
        ...(secret?.isPrevious && { previous: laterOf(seen.previous, used && { ...used, secret: secret.id }, now) }),
      },
      isPending: this.#state.isPending || isDue,
      ...(isRefusal && { refusedAt: now }),
    };
    return isDue;
  }

  /** Gives the totals to `store`. Rejects as `store` does: then they are kept, and `dueAt` says when to try again. */
  async save(now: number, store: (totals: UsageState) => Promise<void>): Promise<void> {
    const totals = { ...this.#state, triedAt: now };
    this.#state = totals;
    await store(totals);
    // D1 has the older hours for good. The last one can still grow.
    const finished = totals.hours.slice(0, -1);
    const hours = this.#state.hours.filter((each) => !finished.includes(each));
    this.#state = { ...this.#state, isPending: this.#state !== totals, hours };
  }
}

/** The later of the two. An isolate's clock may be ahead, so `now` is the latest time. */
function laterOf<Each extends { readonly at: number }>(known: Each | undefined, next: Each | undefined, now: number) {
  if (next === undefined) return known;
  const at = Math.min(next.at, now);
  return known === undefined || at >= known.at ? { ...next, at } : known;
}
