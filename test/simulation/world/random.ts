/**
 * Randomness of a seed. Each request, gate and replica has a stream of its own, named by what it is, so that leaving a command
 * out of a plan changes nothing for the others.
 */
import { createHash } from "node:crypto";
import { Random } from "../../support/random.ts";

export { Random };

export class Source {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** The stream of a part of this. */
  of(part: string | number): Source {
    return new Source(`${this.#name}/${part}`);
  }

  /** Numbers for latencies and chances. */
  numbers(): Random {
    return new Random(createHash("sha256").update(this.#name).digest().readInt32LE(0));
  }

  /** Bytes for secrets and identifiers, which must never meet. */
  bytes(): (length: number) => Uint8Array {
    let count = 0;
    return (length) => {
      const parts: Buffer[] = [];
      for (let made = 0; made < length; made += 32) {
        parts.push(createHash("sha256").update(`${this.#name}:${count++}`).digest());
      }
      return Buffer.concat(parts).subarray(0, length);
    };
  }
}

export const between = (random: Random, least: number, most: number): number => least + random.next() * (most - least);
/** Mostly near `least`, and now and then ten times as far. */
export const skewed = (random: Random, least: number, most: number): number =>
  least + random.next() ** 3 * (most - least);
