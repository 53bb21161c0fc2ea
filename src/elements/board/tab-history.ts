/**
 * Keeps the board's open view as entries of the tab's history: Back closes it, and Forward and a reload open it again. The
 * address and `history.state` belong to the page. An entry is known by its key, which no page can copy into another entry, and
 * its view is kept in the tab's storage. A browser without the Navigation API (Firefox before 147, Safari before 26.2) has no
 * such key, so there nothing is written.
 */
import { recall, remember } from "../shared/storage.ts";

const navigation: Navigation | undefined = window.navigation;

export class TabHistory {
  readonly #name: string;
  readonly #isOn: boolean;
  /** The view in the history's last entry. */
  #last: string | undefined;
  /** Back was called, and has not happened yet. */
  #leaving = false;
  #next: string | undefined;

  /**
   * `name` tells boards apart. `show` is called when another view has to be shown; undefined is the list. Nothing is written
   * unless `isOn`.
   */
  constructor(
    name: string,
    {
      isOn,
      show,
      signal,
    }: { readonly isOn: boolean; readonly show: (view: string | undefined) => void; readonly signal: AbortSignal },
  ) {
    this.#name = name;
    this.#isOn = isOn;
    this.#last = this.view;
    if (!isOn) return;
    const follow = ({ navigationType }: NavigationCurrentEntryChangeEvent) => {
      // If the page adds an entry, the board stays open.
      if (navigationType !== "traverse") return;
      const next = this.#next;
      this.#leaving = false;
      this.#next = undefined;
      if (next !== undefined) this.open(next);
      else if (this.view !== this.#last) {
        this.#last = this.view;
        show(this.view);
      }
    };
    navigation?.addEventListener("currententrychange", follow, { signal });
  }

  /** The view that was open when the tab was left or reloaded. */
  get view(): string | undefined {
    const key = this.#key;
    return key === undefined ? undefined : (recall(key, "sessionStorage") ?? undefined);
  }

  /** An opened view takes the place of the one before it: Back leads to the list. */
  open(view: string): void {
    if (this.#leaving) {
      this.#next = view;
      return;
    }
    const before = this.#key;
    if (this.view === undefined) this.#push();
    const key = this.#key;
    // Without a new entry Back leaves the page.
    if (key === undefined || (key === before && this.view === undefined)) return;
    remember(key, view, "sessionStorage");
    this.#last = view;
  }

  close(): void {
    this.#last = undefined;
    this.#next = undefined;
    if (this.view === undefined || this.#leaving) return;
    this.#leaving = true;
    history.back();
  }

  #push(): void {
    if (this.#key === undefined) return;
    try {
      // A router finds its own state in each entry.
      history.pushState(history.state, "");
    } catch {
      // Browsers limit how often.
    }
  }

  /** The storage's key for the current entry's view; undefined when nothing is written. */
  get #key(): string | undefined {
    const entry = this.#isOn ? navigation?.currentEntry : null;
    return entry ? `${this.#name}:${entry.key}` : undefined;
  }
}
