/**
 * Finds the entries that are newer than the visitor's last look. On a first visit no entry is marked as new, because all of them
 * would be. `lastModified` is in seconds, so an entry of the same second as the newest seen one does not count as new.
 */
import { recall, remember } from "../shared/storage.ts";

type Dated = { readonly lastModified: number };

export class LastVisit {
  readonly #key: string;
  /** Unix seconds. */
  #seen: number;
  readonly #before: number;

  constructor(key: string) {
    this.#key = key;
    this.#seen = Number(recall(key));
    this.#before = this.#seen || Number.POSITIVE_INFINITY;
  }

  /** New entries stay marked until the visitor leaves the page. */
  isNew = ({ lastModified }: Dated): boolean => lastModified > this.#before;

  /** The number of entries that the visitor has not seen; 0 on the first visit. */
  unseen(items: readonly Dated[]): number {
    return items.filter((item) => this.isNew(item) && item.lastModified > this.#seen).length;
  }

  /** The visitor looks at them now. */
  markSeen(items: readonly Dated[]): void {
    const newest = Math.max(...items.map(({ lastModified }) => lastModified));
    if (newest <= this.#seen) return;
    this.#seen = newest;
    remember(this.#key, String(newest));
  }
}
