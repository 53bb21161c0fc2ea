/**
 * A map from strings to values, of bounded weight. When it is full, it drops the entry that was used longest ago. If entries have
 * owners, each owner has a share: an owner that exceeds it loses its own oldest entries, never those of others.
 *
 * A library would take six kilobytes of the bundle, and bring a time to live and asynchronous loading, which are not needed.
 */

type BoundedMapOptions<Value> = {
  /** The maximum weight of all entries together. */
  readonly max: number;
  /** `ownerOf` names an entry's owner when it is set; `max` is the maximum weight of one owner's entries. */
  readonly share?: { readonly max: number; readonly ownerOf: (value: Value) => string };
  /** The weight of an entry when it is set, such as its bytes. Without it each weighs 1, and `max` counts entries. */
  readonly weigh?: (value: Value, key: string) => number;
  /** Called with each entry that is dropped or deleted, but not with one that is replaced. */
  readonly onDrop?: (value: Value, key: string) => void;
};

type Entry<Value> = { readonly value: Value; readonly weight: number; readonly owner: string };

export class BoundedMap<Value> {
  readonly #options: BoundedMapOptions<Value>;
  /** A `Map` iterates in the order of insertion, so the entry that was used longest ago is its first. */
  readonly #entries = new Map<string, Entry<Value>>();
  /** The weight of each owner's entries. */
  readonly #weights = new Map<string, number>();
  #weight = 0;
  #newest: string | undefined;

  constructor(options: BoundedMapOptions<Value>) {
    this.#options = options;
  }

  /** The value. Counts as a use. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry?.value;
  }

  /** The value; if there is none, the one that `make` makes. */
  getOrSet(key: string, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** The value, without counting as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** An entry that is heavier than the map, or than its owner's share, is not kept. */
  set(key: string, value: Value): void {
    const { max, weigh, share } = this.#options;
    const weight = weigh?.(value, key) ?? 1;
    const owner = share?.ownerOf(value) ?? "";
    const ownMax = share?.max ?? max;
    if (weight > Math.min(max, ownMax)) {
      this.delete(key);
      return;
    }
    const replaced = this.#entries.get(key);
    if (replaced !== undefined) this.#remove(key, replaced);
    this.#entries.set(key, { value, weight, owner });
    this.#weigh(owner, weight);
    this.#newest = key;
    if (this.#weightOf(owner) > ownMax)
      this.#dropOldest(
        (entry) => entry.owner === owner,
        () => this.#weightOf(owner) > ownMax,
      );
    this.#dropOldest(
      () => true,
      () => this.#weight > max,
    );
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#remove(key, entry);
    this.#options.onDrop?.(entry.value, key);
  }

  #dropOldest(isMeant: (entry: Entry<Value>) => boolean, isOver: () => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!isOver()) return;
      if (isMeant(entry)) this.delete(key);
    }
  }

  #remove(key: string, { owner, weight }: Entry<Value>): void {
    this.#entries.delete(key);
    this.#weigh(owner, -weight);
  }

  #weightOf(owner: string): number {
    return this.#weights.get(owner) ?? 0;
  }

  #weigh(owner: string, weight: number): void {
    this.#weight += weight;
    const total = this.#weightOf(owner) + weight;
    if (total === 0) this.#weights.delete(owner);
    else this.#weights.set(owner, total);
  }

  /** In the order of their last use, the oldest first. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
