/**
 * How long a read waits for the nearest replica before it asks the primary, too: longer than replicas have needed of late. It is taken
 * from the median of the last few answers, which a few late ones do not move. A replica that mostly loses to the primary is
 * not asked first for a while.
 */
import { isWithin } from "../memory/deadline.ts";

const RECENT = 15;
/** Milliseconds, until a replica has answered. */
const FIRST_MS = 200;
const MOST_MS = 1_000;
/** For so long after its last loss, in milliseconds, a losing replica is not asked first. */
const REST_MS = 10_000;

export class Patience {
  /** How the last reads that asked a replica first went: what it took in milliseconds, or that the primary answered before it. */
  #recent: readonly (number | "lost")[] = [];
  #lostAt = Number.NEGATIVE_INFINITY;

  /** Half as long again as the median, and at least 50 ms more. */
  get milliseconds(): number {
    const won = this.#recent.filter((each) => each !== "lost").toSorted((left, right) => left - right);
    const median = won[won.length >> 1];
    return median === undefined ? FIRST_MS : Math.min(median + Math.max(50, median / 2), MOST_MS);
  }

  /** Whether the primary is to be asked first. */
  isLosing(now: number): boolean {
    const losses = this.#recent.filter((each) => each === "lost").length;
    return losses > RECENT / 2 && isWithin(this.#lostAt, now, REST_MS);
  }

  /** A replica was asked first. `now` is in Unix milliseconds. */
  note(outcome: number | "lost", now: number): void {
    if (outcome === "lost") this.#lostAt = now;
    this.#recent = [...this.#recent, outcome === "lost" ? outcome : Math.max(0, outcome)].slice(-RECENT);
  }
}
