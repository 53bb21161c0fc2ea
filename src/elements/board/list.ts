/** The list of proposals: sorted, filtered, and longer as the visitor reaches its end. */
import { h } from "../shared/h.ts";
import { skeleton } from "../shared/message.ts";
import { recall, remember } from "../shared/storage.ts";
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";
import { ideaRow } from "./idea-row.ts";
import { ideas, listView, nothing } from "./list-view.ts";
import { keepPlace, NOWHERE, recallPlace } from "./place.ts";
import { isOver } from "./row-view.ts";
import { toolbar } from "./toolbar.ts";
import { FIRST } from "./toolbar-view.ts";

/** So many pages in a row come by themselves: below the board the page may have an end that the visitor wants to reach. */
const PAGES_BY_THEMSELVES = 3;
/** The API's largest page: so many more are read at once to find the place again. */
const LARGE_PAGE = 100;
/** A search finds at most so many. */
const BEST = 20;
/** The last number of ideas, which is the best guess for the number of rows to come. */
const ROWS = "idea-bank-board:rows";

export const listSkeleton = (): HTMLElement => skeleton(Number(recall(ROWS)) || 5, "idea", "vote");

/** The content of the board while nothing is open. */
export type Listing = Pick<List, "element" | "load" | "reread" | "refresh" | "add" | "remove" | "focus"> & {
  /** The words of a search that found nothing. */
  readonly unfound?: string | undefined;
};

export class List {
  readonly element: HTMLElement;
  readonly #context: BoardContext;
  readonly #open: (idea: Idea) => void;
  readonly #rows = ideas();
  readonly #place = h("div", { tabindex: -1 });
  readonly #more: HTMLButtonElement;
  readonly #byId = new Map<string, HTMLElement>();
  #filter = FIRST;
  #cursor: string | undefined;
  /** Stays when the first page could not be read. */
  #loading: AbortController | undefined;
  #pagesByThemselves = PAGES_BY_THEMSELVES;
  #isPlaced = false;
  #kept = NOWHERE;

  constructor(context: BoardContext, open: (idea: Idea) => void) {
    this.#context = context;
    this.#open = open;
    const { words, signal } = context;
    this.#more = h(
      "button",
      { type: "button", class: "button more", part: "button", hidden: true, onclick: () => void this.#loadMore(true) },
      words.say("moreIdeas"),
    );
    const bar = toolbar(context, (filter, typed) => {
      this.#filter = filter;
      void this.load(typed);
    });
    this.element = listView(bar, this.#place, this.#more);
    const watcher = new IntersectionObserver(
      (changes) => {
        if (changes.some(({ isIntersecting }) => isIntersecting) && this.#pagesByThemselves > 0) void this.#loadMore();
      },
      { rootMargin: "200px" },
    );
    watcher.observe(this.#more);
    window.addEventListener("pagehide", () => this.#keepPlace(), { signal });
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  /** Loads the first page of the present filter. `quiet` keeps the present rows until then. */
  async load(quiet = false): Promise<void> {
    const { signal, enter, failure } = this.#context;
    this.#loading?.abort();
    this.#cursor = undefined;
    this.#more.hidden = true;
    this.#pagesByThemselves = PAGES_BY_THEMSELVES;
    enter("loading");
    if (this.#place.matches(":focus-within")) this.#place.focus();
    if (!quiet) this.#place.replaceChildren(listSkeleton());
    const loading = new AbortController();
    this.#loading = loading;
    try {
      const page = await this.#context.ideaBank.ideas(this.#filter, undefined, loading.signal);
      this.#showFirst(page.items, page.nextCursor);
      if (page.items.length > 0) this.#tellCount();
      if (!this.#isPlaced) await this.#findPlace();
    } catch (error) {
      if (signal.aborted || loading.signal.aborted) return;
      this.#place.replaceChildren(failure(error, () => void this.load()));
    }
  }

  /**
   * Reads the first page again, after the visitor comes back. The focused row, and the rows that were loaded after it, stay in
   * place.
   */
  async reread(): Promise<void> {
    const { signal, ideaBank } = this.#context;
    const filter = this.#filter;
    if (this.#loading) return;
    try {
      const { items, nextCursor } = await ideaBank.ideas(filter, undefined, signal);
      // The visitor has changed the filter meanwhile.
      if (this.#loading || this.#filter !== filter) return;
      if (this.#byId.size <= items.length && !this.#rows.matches(":focus-within")) {
        this.#showFirst(items, nextCursor);
        return;
      }
      for (const idea of items) if (!this.#byId.get(idea.id)?.matches(":focus-within")) this.refresh(idea);
    } catch {
      // If it cannot be read again, the present rows stay.
    }
  }

  get unfound(): string | undefined {
    return this.#byId.size === 0 && !this.#loading ? this.#filter.q : undefined;
  }

  /** A proposal of the list as it is now. */
  refresh(idea: Idea): void {
    const before = this.#byId.get(idea.id);
    if (before === undefined) return;
    const row = this.#row(idea);
    before.replaceWith(row);
    this.#byId.set(idea.id, row);
  }

  /** A new one; it may be here already, when it was sent again after a lost answer. */
  add(idea: Idea): void {
    if (this.#loading) {
      void this.load();
      return;
    }
    const { mine, q } = this.#filter;
    // It may not be among what is chosen.
    if (this.#isFiltered && (mine !== "submitted" || q)) {
      void this.reread();
      return;
    }
    const row = this.#row(idea);
    this.#byId.get(idea.id)?.remove();
    this.#rows.prepend(row);
    this.#byId.set(idea.id, row);
    this.#context.enter("ready");
    this.#place.replaceChildren(this.#rows);
  }

  remove({ id }: Idea): void {
    if (this.#loading) {
      void this.load();
      return;
    }
    this.#byId.get(id)?.remove();
    this.#byId.delete(id);
    if (this.#byId.size === 0) this.#showEmpty();
  }

  /** Focuses the row from which the visitor came. */
  focus(id: string): void {
    (this.#byId.get(id)?.querySelector<HTMLElement>(".open") ?? this.#place).focus();
  }

  /**
   * The row in the middle of the window, unless the visitor leaves by one. Behind an open idea it is what it was. Of another list nothing is
   * kept.
   */
  #keepPlace(leftBy?: string): void {
    const isInMiddle = (row: HTMLElement) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top < innerHeight && bottom > innerHeight / 2;
    };
    if (this.element.isConnected) {
      const [idea = ""] = Array.from(this.#byId).find(([, row]) => isInMiddle(row)) ?? [];
      this.#kept = this.#filter === FIRST ? { count: this.#byId.size, idea: leftBy ?? idea } : NOWHERE;
    }
    keepPlace(this.#context.ideaBank.who, this.#kept);
  }

  async #findPlace(): Promise<void> {
    this.#isPlaced = true;
    this.#kept = recallPlace(this.#context.ideaBank.who);
    const { count, idea } = this.#kept;
    const missing = Math.min(count - this.#byId.size, LARGE_PAGE);
    if (missing > 0) await this.#loadMore(true, missing);
    if (this.#place.matches(":focus")) this.focus(idea);
    this.#byId.get(idea)?.scrollIntoView({ block: "center" });
  }

  async #loadMore(asked = false, limit = 0): Promise<void> {
    const { signal, report } = this.#context;
    if (this.#cursor === undefined || this.#loading) return;
    this.#pagesByThemselves = asked ? PAGES_BY_THEMSELVES : this.#pagesByThemselves - 1;
    const loading = new AbortController();
    this.#loading = loading;
    this.#more.setAttribute("aria-disabled", "true");
    try {
      const page = await this.#context.ideaBank.ideas(
        { ...this.#filter, ...(limit && { limit: String(limit) }) },
        this.#cursor,
        loading.signal,
      );
      const hadFocus = this.#more.matches(":focus");
      this.#append(page.items);
      this.#next(page.nextCursor);
      this.#tellCount();
      // The button may go: the focus goes on with the first new row.
      if (hadFocus && page.items[0]) this.focus(page.items[0].id);
    } catch (error) {
      if (signal.aborted || loading.signal.aborted) return;
      this.#loading = undefined;
      this.#pagesByThemselves = 0;
      report(error, () => void this.#loadMore(true));
    } finally {
      this.#more.removeAttribute("aria-disabled");
    }
  }

  #tellCount(): void {
    const { words, announce } = this.#context;
    const count = this.#byId.size;
    const isBest = this.#filter.q !== undefined && count >= BEST;
    const some = this.#cursor === undefined ? "ideas" : "someIdeas";
    const text = words.say(isBest ? "bestIdeas" : some, { count });
    announce(text);
    // A search has no next page.
    if (isBest) this.#place.append(h("p", { class: "meta best" }, text));
  }

  #showFirst(ideas: readonly Idea[], cursor: string | undefined): void {
    this.#rows.replaceChildren();
    this.#byId.clear();
    this.#append(ideas);
    this.#next(cursor);
    if (this.#filter.q === undefined) remember(ROWS, String(ideas.length));
    if (ideas.length === 0) {
      this.#showEmpty();
      return;
    }
    this.#context.enter("ready");
    this.#place.replaceChildren(this.#rows);
  }

  #next(cursor: string | undefined): void {
    this.#loading = undefined;
    this.#cursor = cursor;
    this.#more.hidden = true;
    // Hidden and shown again, it is seen again by the observer while it stays in view.
    if (cursor !== undefined) requestAnimationFrame(() => (this.#more.hidden = this.#cursor === undefined));
  }

  /** When all statuses are shown, open ideas come first. A page that shifted while it was read may name an idea twice. */
  #append(ideas: readonly Idea[]): void {
    for (const idea of ideas) {
      if (this.#byId.has(idea.id)) continue;
      const row = this.#row(idea);
      this.#byId.set(idea.id, row);
      const isLast = isOver(idea) || this.#isFiltered;
      this.#rows.insertBefore(row, isLast ? null : this.#rows.querySelector(".over"));
    }
  }

  get #isFiltered(): boolean {
    return this.#filter.q !== undefined || this.#isSelected;
  }

  /** By something else than words. */
  get #isSelected(): boolean {
    const { status, mine, tag } = this.#filter;
    return (status ?? mine ?? tag) !== undefined;
  }

  #row(idea: Idea): HTMLElement {
    return ideaRow(idea, this.#context, () => {
      this.#keepPlace(idea.id);
      this.#open(idea);
    });
  }

  #showEmpty(): void {
    const { words, enter, announce } = this.#context;
    const bySearch = this.#isSelected ? "emptyFilteredSearch" : "emptySearch";
    const text = words.say(this.#filter.q ? bySearch : this.#isFiltered ? "emptyFilter" : "empty");
    const hint = !this.#isFiltered && this.#context.capabilities.canSubmitProposals && words.say("emptyHint");
    enter("empty");
    this.#place.replaceChildren(nothing(text, hint));
    announce(text);
  }
}
