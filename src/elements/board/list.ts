/** The list of proposals: sorted, filtered, and longer as the visitor reaches its end. */
import { h, icon } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Filter, Idea } from "./idea-bank.ts";
import { ideaRow } from "./idea-row.ts";
import { toolbar } from "./toolbar.ts";

const BULB = "M6 13h4M6.5 15h3M5.8 10.8a4.6 4.6 0 1 1 4.4 0v.7H5.8z";
const ALERT = "M8 4.8v3.7m0 2.4v.1M8 1.8 1.4 13.5h13.2z";
/** So many pages in a row come by themselves: below the board the page may have an end that the visitor wants to reach. */
const PAGES_BY_THEMSELVES = 3;

export type ListObserver = (state: "loading" | "ready" | "empty" | "error") => void;

export class List {
  readonly element: HTMLElement;
  readonly #context: BoardContext;
  readonly #open: (idea: Idea) => void;
  readonly #onState: ListObserver;
  readonly #rows = h("ol", { class: "ideas", part: "ideas" });
  readonly #place = h("div", { tabindex: -1 });
  readonly #more: HTMLButtonElement;
  readonly #byId = new Map<string, HTMLElement>();
  #filter: Filter = { sort: "hot" };
  #cursor: string | undefined;
  #loading: AbortController | undefined;
  #pagesByThemselves = PAGES_BY_THEMSELVES;

  constructor(context: BoardContext, open: (idea: Idea) => void, onState: ListObserver) {
    this.#context = context;
    this.#open = open;
    this.#onState = onState;
    const { words, signal } = context;
    this.#more = h(
      "button",
      { type: "button", class: "button more", part: "button", hidden: true, onclick: () => void this.#loadMore(true) },
      words.say("moreIdeas"),
    );
    const bar = toolbar(words, this.#filter, (filter) => {
      this.#filter = filter;
      void this.load();
    });
    this.element = h("div", { class: "list" }, bar, this.#place, this.#more);
    const watcher = new IntersectionObserver(
      (changes) => {
        if (changes.some(({ isIntersecting }) => isIntersecting) && this.#pagesByThemselves > 0) void this.#loadMore();
      },
      { rootMargin: "200px" },
    );
    watcher.observe(this.#more);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  /** The first page, of what is asked for now. */
  async load(): Promise<void> {
    const { words, signal, announce } = this.#context;
    this.#loading?.abort();
    this.#cursor = undefined;
    this.#more.hidden = true;
    this.#pagesByThemselves = PAGES_BY_THEMSELVES;
    this.#onState("loading");
    this.#place.replaceChildren(h("div", { class: "bones", part: "skeleton" }));
    const loading = new AbortController();
    this.#loading = loading;
    try {
      const page = await this.#context.ideaBank.ideas(this.#filter, undefined, loading.signal);
      this.#rows.replaceChildren();
      this.#byId.clear();
      this.#append(page.items);
      this.#next(page.nextCursor);
      if (page.items.length === 0) {
        this.#showEmpty();
        return;
      }
      this.#onState("ready");
      this.#place.replaceChildren(this.#rows);
      announce(words.say("ideas", { count: page.items.length }));
    } catch (error) {
      if (signal.aborted || loading.signal.aborted) return;
      this.#onState("error");
      const retry = () => {
        this.#place.focus();
        void this.load();
      };
      this.#place.replaceChildren(
        h(
          "div",
          { class: "message", part: "message" },
          icon(ALERT),
          h("p", {}, this.#context.explain(error)),
          h("button", { type: "button", class: "button", onclick: retry }, words.say("retry")),
        ),
      );
      announce(this.#context.explain(error));
    }
  }

  /** A proposal of the list as it is now. */
  refresh(idea: Idea): void {
    const before = this.#byId.get(idea.id);
    if (before === undefined) return;
    const row = this.#row(idea);
    before.replaceWith(row);
    this.#byId.set(idea.id, row);
  }

  /** A new one. */
  add(idea: Idea): void {
    const row = this.#row(idea);
    this.#rows.prepend(row);
    this.#byId.set(idea.id, row);
    this.#place.replaceChildren(this.#rows);
  }

  remove({ id }: Idea): void {
    this.#byId.get(id)?.remove();
    this.#byId.delete(id);
    if (this.#byId.size === 0) this.#showEmpty();
  }

  /** Where the visitor came from. */
  focus(id: string): void {
    (this.#byId.get(id)?.querySelector<HTMLElement>(".open") ?? this.#place).focus();
  }

  async #loadMore(asked = false): Promise<void> {
    const { words, signal, announce, report } = this.#context;
    if (this.#cursor === undefined || this.#loading) return;
    this.#pagesByThemselves = asked ? PAGES_BY_THEMSELVES : this.#pagesByThemselves - 1;
    const loading = new AbortController();
    this.#loading = loading;
    this.#more.setAttribute("aria-disabled", "true");
    try {
      const page = await this.#context.ideaBank.ideas(this.#filter, this.#cursor, loading.signal);
      const hadFocus = this.#more.matches(":focus");
      this.#append(page.items);
      this.#next(page.nextCursor);
      announce(words.say("ideas", { count: this.#byId.size }));
      // The button may go: the focus goes on with the first new row.
      if (hadFocus && page.items[0]) this.focus(page.items[0].id);
    } catch (error) {
      if (signal.aborted || loading.signal.aborted) return;
      this.#loading = undefined;
      this.#pagesByThemselves = 0;
      report(error);
    } finally {
      this.#more.removeAttribute("aria-disabled");
    }
  }

  #next(cursor: string | undefined): void {
    this.#loading = undefined;
    this.#cursor = cursor;
    this.#more.hidden = true;
    // Hidden and shown again, it is seen again by the observer while it stays in view.
    if (cursor !== undefined) requestAnimationFrame(() => (this.#more.hidden = this.#cursor === undefined));
  }

  /** A page that moved while it was read may name a proposal twice. */
  #append(ideas: readonly Idea[]): void {
    for (const idea of ideas) {
      if (this.#byId.has(idea.id)) continue;
      const row = this.#row(idea);
      this.#byId.set(idea.id, row);
      this.#rows.append(row);
    }
  }

  #row(idea: Idea): HTMLElement {
    return ideaRow(idea, this.#context, () => this.#open(idea));
  }

  #showEmpty(): void {
    const { words, announce } = this.#context;
    const isFiltered = this.#filter.status !== undefined || this.#filter.mine !== undefined;
    const text = words.say(isFiltered ? "emptyFilter" : "empty");
    const hint = !isFiltered && this.#context.capabilities.canSubmitProposals && words.say("emptyHint");
    this.#onState("empty");
    this.#place.replaceChildren(
      h(
        "div",
        { class: "message", part: "message" },
        icon(BULB),
        h("p", {}, text),
        hint && h("p", { class: "muted" }, hint),
      ),
    );
    announce(text);
  }
}
