/**
 * What is open in the board, kept in the tab's history: Back closes it, and Forward and a reload open it again. The address stays
 * the page's own, and so does what the page keeps in its history.
 */
export class TabHistory {
  readonly #key: string;
  /** What the history said last. */
  #last: string | undefined;
  /** Back has been asked for and has not happened yet. */
  #leaving = false;
  #next: string | undefined;

  /** `key` tells boards apart. `show` is told what else is open now; undefined is the list. */
  constructor(key: string, show: (view: string | undefined) => void, signal: AbortSignal) {
    this.#key = key;
    this.#last = this.view;
    const follow = () => {
      const next = this.#next;
      this.#leaving = false;
      this.#next = undefined;
      if (next !== undefined) this.open(next);
      // The page goes back and forth in entries of its own, too.
      else if (this.view !== this.#last) {
        this.#last = this.view;
        show(this.view);
      }
    };
    window.addEventListener("popstate", follow, { signal });
  }

  /** What was open here when the tab was left or reloaded. */
  get view(): string | undefined {
    return history.state?.[this.#key];
  }

  /** An opened view takes the place of the one before it: Back leads to the list. */
  open(view: string): void {
    if (this.#leaving) {
      this.#next = view;
      return;
    }
    const kept = history.state ?? {};
    // A state of the page's that has no room for ours stays as it is. Then Back leaves the page.
    if (Object.getPrototypeOf(kept) !== Object.prototype) return;
    const state = { ...kept, [this.#key]: view };
    try {
      if (this.view === undefined) history.pushState(state, "");
      else history.replaceState(state, "");
    } catch {
      // Browsers limit how often. Then Back leaves the page, too.
    }
    this.#last = this.view;
  }

  close(): void {
    this.#last = undefined;
    this.#next = undefined;
    if (this.view === undefined || this.#leaving) return;
    this.#leaving = true;
    history.back();
  }
}
