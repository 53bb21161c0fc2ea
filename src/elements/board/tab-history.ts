/**
 * Keeps the board's open view as entries of the tab's history: Back closes it, and Forward and a reload open it again. An open idea
 * has an address, which opens it in another tab, too. `history.state` belongs to the page: an entry is known by its key, which no page
 * can copy into another entry, and its view is kept in the tab's storage. A browser without the Navigation API (Firefox before 147,
 * Safari before 26.2) has no such key, so there an address is read, and no entry is written.
 */
import { recall, remember } from "../shared/storage.ts";
import { type Addresses, isCarried } from "./address.ts";
import { FORM } from "./idea-form.ts";

const navigation: Navigation | undefined = window.navigation;

type Options = {
  /** Nothing is read and nothing is written without. */
  readonly isOn: boolean;
  readonly addresses: Addresses;
  /** Whether an idea is this board's if no board of this tab has written its address. */
  readonly takes: (idea: string) => boolean;
  /** Called when another view has to be shown; undefined is the list. */
  readonly show: (view: string | undefined) => void;
  readonly signal: AbortSignal;
};

export class TabHistory {
  /** Ends what is kept of an entry, so that each board knows its own. Who has opened a form finds it again, and nobody else. */
  readonly #markOf: (view: string) => string;
  readonly #isOn: boolean;
  readonly #addresses: Addresses;
  readonly #takes: (idea: string) => boolean;
  /** The view in the history's last entry. */
  #last: string | undefined;
  /** Back was called, and has not happened yet. */
  #leaving = false;
  #next: string | undefined;

  /** `name` tells boards apart, and `who` people. */
  constructor(name: string, who: string, { isOn, addresses, takes, show, signal }: Options) {
    this.#markOf = (view) => ` ${name}${view === FORM ? ` ${who}` : ""}`;
    this.#isOn = isOn;
    this.#addresses = addresses;
    this.#takes = takes;
    if (!isOn) return;
    const drop = () => {
      if (isCarried() && this.#kept === null && !addresses.arePages && addresses.named()) this.#write("replaceState");
    };
    drop();
    this.#last = this.view;
    const follow = ({ navigationType }: NavigationCurrentEntryChangeEvent) => {
      // If the page adds an entry, the board stays open. Whose entry it is, is known in a moment.
      if (navigationType !== "traverse") {
        queueMicrotask(drop);
        return;
      }
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

  /** The view that was open when the tab was left or reloaded, or that the address names. */
  get view(): string | undefined {
    return this.#own ?? this.link;
  }

  /** The idea that the address names, if it is this board's and no board of this tab has written it. */
  get link(): string | undefined {
    // An idea's own page has one board, whichever wrote the entry.
    const isRead = this.#isOn && !isCarried() && (this.#kept === null || this.#addresses.arePages);
    const named = isRead ? this.#addresses.named() : undefined;
    return named && this.#takes(named) ? named : undefined;
  }

  /** The address's view, which is shown from now on. */
  read(): string | undefined {
    this.#last = this.view;
    return this.#last;
  }

  /** An opened view takes the place of the one before it: Back leads to the list. `comment` is one on the idea. */
  open(view: string, comment?: string): void {
    if (this.#leaving) {
      this.#next = view;
      return;
    }
    const before = this.#key;
    if (before === undefined) return;
    const isOwn = this.#own !== undefined;
    this.#write(isOwn ? "replaceState" : "pushState", view, comment);
    const key = this.#key;
    // Without a new entry Back leaves the page.
    if (key === undefined || (key === before && !isOwn)) return;
    remember(key, view + this.#markOf(view), "sessionStorage");
    this.#last = view;
  }

  close(): void {
    this.#last = undefined;
    this.#next = undefined;
    if (this.#leaving) return;
    if (this.#own !== undefined) {
      this.#leaving = true;
      history.back();
    } else if (this.view !== undefined) this.#write("replaceState");
  }

  /** The current entry's view, if this board has written it. */
  get #own(): string | undefined {
    const [view] = this.#kept?.split(" ") ?? [];
    return view !== undefined && view + this.#markOf(view) === this.#kept ? view : undefined;
  }

  /** What a board has written about the current entry. */
  get #kept(): string | null {
    const key = this.#key;
    return key === undefined ? null : recall(key, "sessionStorage");
  }

  /** The storage's key for the current entry; undefined when nothing is written. */
  get #key(): string | undefined {
    const entry = this.#isOn ? navigation?.currentEntry : null;
    return entry ? `idea-bank-view:${entry.key}` : undefined;
  }

  #write(method: "pushState" | "replaceState", view?: string, comment?: string): void {
    try {
      // A router finds its own state in each entry.
      history[method](history.state, "", this.#addresses.of(view, comment));
    } catch {
      // Browsers limit how often.
    }
  }
}
