/**
 * A map of bounded weight, by string. When it is full, what was used longest ago is dropped.
 *
 * A library for this takes six kilobytes of the bundle, most of it for times to live and asynchronous loading, which are not
 * needed here.
 */

export type BoundedMapOptions<Value> = {
  /** The most that all entries weigh together. */
  readonly max: number;
  /** What an entry weighs when it is set, such as its bytes; without it, 1: `max` counts entries. */
  readonly weigh?: (value: Value) => number;
  /** Called with each entry that is dropped or deleted, but not with one that is replaced. */
  readonly onDrop?: (value: Value, key: string) => void;
};

type Entry<Value> = { readonly value: Value; readonly weight: number };

export class BoundedMap<Value> {
  readonly #options: BoundedMapOptions<Value>;
  /** A `Map` iterates in the order of insertion, so the entry that was used longest ago is its first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  #newest: string | undefined;

  constructor(options: BoundedMapOptions<Value>) {
    this.#options = options;
  }

  /** The value, which counts as used. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry?.value;
  }

  /** The value, without using it. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** An entry that weighs more than the whole map may is not kept. */
  set(key: string, value: Value): void {
    const weight = this.#options.weigh?.(value) ?? 1;
    if (weight > this.#options.max) {
      this.delete(key);
      return;
    }
    this.#weight += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, weight });
    this.#newest = key;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#options.max) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#options.onDrop?.(entry.value, key);
  }

  /** What was used longest ago comes first. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
