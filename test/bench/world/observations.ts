/** What clients of the world observe: how long answers take, how old they are, and who is still admitted. */

import { percentile } from "../../support/random.ts";
import { PLACES } from "./latencies.ts";
import type { Distribution, PlaceOutcome, Revocation } from "./outcome.ts";

type Written = { readonly target: number; readonly at: number };

export class Observations {
  /** Unix milliseconds: latencies before it are not taken. */
  readonly #countFrom: number;
  readonly #latencies = PLACES.map((): number[] => []);
  readonly #busiest = PLACES.map((): number[] => []);
  readonly #writes: Written[] = [];
  /** By write, then by place: the age at which it was last not shown; undefined where nobody has asked since. */
  readonly #hidden: (number | undefined)[][] = [];
  #revokedAt: number | undefined;
  #revocation: Revocation = { answeredMs: 0, admittedAfter: 0, lastAdmittedMs: 0 };
  #refused = 0;

  constructor(countFrom: number) {
    this.#countFrom = countFrom;
  }

  answered(place: number, target: number, begun: number, ended: number): void {
    if (begun < this.#countFrom) return;
    this.#latencies[place]?.push(ended - begun);
    if (target === 0) this.#busiest[place]?.push(ended - begun);
  }

  /** The number of the write. */
  wrote(target: number, at: number): number {
    this.#hidden.push([]);
    return this.#writes.push({ target, at }) - 1;
  }

  /** An answer that shows the idea bank as of the write `shown` (-1: before any), asked for at `begun`. */
  showed(place: number, target: number, begun: number, shown: number): void {
    for (const [write, { target: written, at }] of this.#writes.entries()) {
      if (written !== target || at > begun) continue;
      const last = this.#hidden[write]?.[place] ?? 0;
      const ages = this.#hidden[write];
      if (ages !== undefined) ages[place] = write > shown ? Math.max(last, begun - at) : last;
    }
  }

  /** The owner was answered at `at`. */
  revoked(asked: number, at: number): void {
    this.#revokedAt = at;
    this.#revocation = { ...this.#revocation, answeredMs: at - asked };
  }

  /** A request with what was revoked, asked for at `begun`. */
  triedRevoked(begun: number, admitted: boolean): void {
    if (this.#revokedAt === undefined || begun <= this.#revokedAt) return;
    if (!admitted) this.#refused += 1;
    else {
      this.#revocation = {
        ...this.#revocation,
        admittedAfter: this.#revocation.admittedAfter + 1,
        lastAdmittedMs: begun - this.#revokedAt,
      };
    }
  }

  get revocation(): Revocation {
    const never = this.#revocation.admittedAfter > 0 && this.#refused === 0;
    return never ? { ...this.#revocation, lastAdmittedMs: null } : this.#revocation;
  }

  get places(): PlaceOutcome[] {
    return PLACES.map(({ name }, place) => ({
      place: name,
      ...distribution(this.#latencies[place] ?? []),
      busiest: distribution(this.#busiest[place] ?? []),
      visible: distribution(this.#hidden.flatMap((ages) => ages[place] ?? [])),
    }));
  }
}

export function distribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((one, other) => one - other);
  return {
    requests: sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}
