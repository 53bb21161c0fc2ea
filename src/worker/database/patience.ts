/**
 * How long a read waits for the nearest replica before the primary is asked, too: longer than replicas have taken of late, wherever
 * the nearest is. The median of the last few says it: few of them waited for their bookmark, and those do not move it.
 */
const RECENT = 15;
/** Milliseconds, until a replica has answered. */
const FIRST_MS = 200;
const MOST_MS = 1_000;

export class Patience {
  /** What the last answers took, in milliseconds. */
  #recent: readonly number[] = [];

  /** Half as long again as the median, and at least 50 ms more. */
  get milliseconds(): number {
    const median = this.#recent.toSorted((left, right) => left - right)[this.#recent.length >> 1];
    return median === undefined ? FIRST_MS : Math.min(median + Math.max(50, median / 2), MOST_MS);
  }

  /** A replica has answered, before the primary did. */
  note(milliseconds: number): void {
    this.#recent = [...this.#recent, Math.max(0, milliseconds)].slice(-RECENT);
  }
}
