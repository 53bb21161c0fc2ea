/**
 * The counts that a gate keeps for its key's owner: requests by hour and operation, and the senders of the last ones. They are
 * totals, so storing them twice counts once.
 *
 * They wait in the gate, which stores itself with each admission anyway, because a write to D1 after each request would cost a quiet key
 * four times what its requests cost. D1 takes them once a day, and whoever looks before that asks the gate (`unsaved`). Sooner it takes
 * what others read in it without asking: that a secret is in use, and all counts of a key that has ended.
 */
import type { HourlyUsage, KeyTotals, LastSeen } from "../database/keys/api-key-usage.ts";
import { countAdmitted, type Seen } from "../model/seen.ts";
import type { Decisions } from "./report.ts";

export type UsageState = {
  readonly hours: readonly HourlyUsage[];
  readonly seen: LastSeen;
  /** Whether D1 lacks something that was counted. */
  readonly isPending: boolean;
  /** When D1 was last asked to take the totals, in Unix milliseconds; 0 is never. */
  readonly triedAt: number;
  /** When D1 shall take them; undefined is at once. */
  readonly saveAt?: number | undefined;
  /** The time of the last refusal that was stored for its own sake. */
  readonly refusedAt: number;
};

/** `id` is the beginning of its hash. `isPrevious`: the secret from before the last rotation. */
export type UsedSecret = { readonly id: string; readonly isPrevious: boolean };

const HOUR_MS = 3_600_000;
/** D1 takes a key's totals once in this time. */
const INTERVAL_MS = 24 * HOUR_MS;
/** D1 is asked at most once in this time, however urgent it is. */
const RETRY_MS = 50_000;
const NO_TOTALS: KeyTotals = { hours: [], seen: {} };
const NOTHING: UsageState = { hours: [], seen: {}, isPending: false, triedAt: 0, refusedAt: 0 };

export class UsageCounts {
  #state: UsageState;
  /** The totals that D1 took last, while the object runs. */
  #saved = NO_TOTALS;

  constructor(state: UsageState = NOTHING) {
    this.#state = state;
  }

  get state(): UsageState {
    return this.#state;
  }

  /**
   * What D1 may lack. It includes what D1 has just taken, because whoever asks may have read D1 before. What D1 has for longer is left
   * out, because D1 deletes it by age.
   */
  get unsaved(): KeyTotals {
    const { isPending, hours, seen, triedAt } = this.#state;
    const saved = this.#saved;
    if (isPending) return { hours: [...saved.hours, ...hours], seen };
    // A refusal alone is not pending.
    const isNew = (request: Seen | undefined) => request !== undefined && request.at >= triedAt;
    return { hours: saved.hours, seen: isNew(seen.refused) ? { ...saved.seen, refused: seen.refused } : saved.seen };
  }

  /** When D1 takes the totals: infinite when nothing is pending. All of them are due when the key ends, at `endsAt`. */
  dueAt(now: number, endsAt: number): number {
    const { isPending, triedAt, saveAt = 0 } = this.#state;
    if (!isPending) return Number.POSITIVE_INFINITY;
    // If the clock was ahead before, `now` limits the wait.
    return Math.max(Math.min(triedAt, now) + RETRY_MS, Math.min(saveAt, now + INTERVAL_MS, endsAt));
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
    const isNewest = secret?.isPrevious === false && admitted > 0;
    // A rotation reads in D1 which secret is in use, and a page whether there is a gate to ask.
    const isUrgent = isNewest && secret.id !== seen.newest?.secret;
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
        ...(isNewest && { newest: { at: now, secret: secret.id } }),
        ...(secret?.isPrevious && { previous: laterOf(seen.previous, used && { ...used, secret: secret.id }, now) }),
      },
      isPending: this.#state.isPending || isDue,
      ...(isRefusal && { refusedAt: now }),
      ...(isUrgent && { saveAt: undefined }),
    };
    return isDue;
  }

  /** Gives the totals to `store`. Rejects as `store` does: then they are kept, and `dueAt` says when to try again. */
  async save(now: number, store: (totals: UsageState) => Promise<void>): Promise<void> {
    const totals = { ...this.#state, triedAt: now };
    this.#state = totals;
    await store(totals);
    this.#saved = { hours: totals.hours, seen: totals.seen };
    // D1 has the older hours for good. The last one can still grow.
    const finished = totals.hours.slice(0, -1);
    const hours = this.#state.hours.filter((each) => !finished.includes(each));
    const isPending = this.#state !== totals;
    const isUrgent = this.#state.seen.newest?.secret !== totals.seen.newest?.secret;
    this.#state = { ...this.#state, isPending, hours, saveAt: isUrgent ? undefined : now + INTERVAL_MS };
  }
}

/** The later of the two. An isolate's clock may be ahead, so `now` is the latest time. */
function laterOf<Each extends { readonly at: number }>(known: Each | undefined, next: Each | undefined, now: number) {
  if (next === undefined) return known;
  const at = Math.min(next.at, now);
  return known === undefined || at >= known.at ? { ...next, at } : known;
}
