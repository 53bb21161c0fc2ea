/** Randomness that is the same in every run. */

/** Of the standard normal distribution. */
const Z99 = 2.326;

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Milliseconds, of a lognormal distribution. */
  latency({ p50, p99 }: { readonly p50: number; readonly p99: number }): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return p50 * Math.exp((normal * Math.log(p99 / p50)) / Z99);
  }
}

/** Draws indexes below `count` by Zipf's law: the nth is drawn 1/n as often as the first. */
export function zipf(count: number, random: Random): () => number {
  const cumulative: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= count; rank++) {
    total += 1 / rank;
    cumulative.push(total);
  }
  return () => {
    const sought = random.next() * total;
    return cumulative.findIndex((sum) => sum > sought);
  };
}

/** Of sorted values, by the nearest rank; 0 of none. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
