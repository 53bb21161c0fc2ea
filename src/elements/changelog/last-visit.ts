/**
 * Finds the entries that are newer than the visitor's last look. On a first visit no entry is marked as new, because all of them
 * would be. `lastModified` is in seconds, so an entry of the same second as the newest seen one does not count as new.
 */
import { recall, remember } from "../shared/storage.ts";

type Dated = { readonly lastModified: number };

export class LastVisit {
  readonly #key: string;
  /** Unix seconds; null on the first visit. */
  readonly #before: number | null;
  #newest = 0;
  #seen: number;

  constructor(key: string) {
    this.#key = key;
    this.#seen = Number(recall(key));
    this.#before = this.#seen || null;
  }

  /** Tells, for these entries, which are new. What was new stays marked until the page is left. */
  compare(items: readonly Dated[]): (item: Dated) => boolean {
    this.#newest = Math.max(this.#newest, ...items.map(({ lastModified }) => lastModified));
    const before = this.#before ?? this.#newest;
    return ({ lastModified }) => lastModified > before;
  }

  /** The number of entries that the visitor has not seen; 0 on the first visit. */
  unseen(items: readonly Dated[]): number {
    return this.#before === null ? 0 : items.filter(({ lastModified }) => lastModified > this.#seen).length;
  }

  /** The visitor looks at them now. False when there was nothing that had not been seen. */
  markSeen(): boolean {
    if (this.#newest <= this.#seen) return false;
    this.#seen = this.#newest;
    remember(this.#key, String(this.#newest));
    return true;
  }
}
