/** What a seed decides. */
import type { Random, Source } from "./world/random.ts";

export class Dice {
  readonly #random: Random;

  constructor(source: Source) {
    this.#random = source.numbers();
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  number(least: number, most: number): number {
    return least + this.#random.below(most - least + 1);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)] as Item;
  }

  /** By weight. */
  weighed<Item extends string>(weights: Readonly<Partial<Record<Item, number>>>): Item {
    const entries = Object.entries(weights) as [Item, number][];
    let left = this.#random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of entries) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new RangeError("nothing to choose from");
  }

  draw(): number {
    return this.#random.below(1 << 20);
  }
}
