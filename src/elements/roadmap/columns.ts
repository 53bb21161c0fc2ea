/**
 * The proposals of a roadmap: a column for each status, the most wanted first, and of what is done the newest. Where there is room for
 * one column, the visitor chooses which.
 */

import { ideaRow } from "../board/board.ts";
import type { BoardContext } from "../board/board-context.ts";
import type { Idea, Page } from "../board/idea-bank.ts";
import type { Listing } from "../board/list.ts";
import { ideas } from "../board/list-view.ts";
import { h } from "../shared/h.ts";
import { message, skeleton } from "../shared/message.ts";
import { recall, remember } from "../shared/storage.ts";
import { COLUMNS, type Column, columnsView, columnView, emptyColumn, tabsView, tabView, total } from "./column-view.ts";

const SKELETON_ROWS = 2;
/** The chosen column, for the tab. */
const CHOSEN = "idea-bank-roadmap:column";

export const columnsSkeleton = (): HTMLElement =>
  h(
    "div",
    { class: "columns" },
    h("div", { class: "tabs" }, h("div", { class: "bones line" })),
    ...COLUMNS.map((_, at) =>
      h("section", { class: at ? "column" : "column chosen" }, skeleton(SKELETON_ROWS, "idea", "vote")),
    ),
  );

export class Columns implements Listing {
  readonly element = columnsView();
  readonly #context: BoardContext;
  readonly #open: (idea: Idea) => void;
  readonly #rows = new Map<string, HTMLElement>();
  #isLoading = false;
  /** The idea to which the visitor came back before its column was read. */
  #cameFrom = "";

  constructor(context: BoardContext, open: (idea: Idea) => void) {
    // Below the heading of its column.
    this.#context = { ...context, level: context.level + 1 };
    this.#open = open;
  }

  async load(): Promise<void> {
    const { words, signal, enter, announce, failure } = this.#context;
    enter("loading");
    this.#isLoading = true;
    this.element.replaceChildren(...columnsSkeleton().children);
    try {
      const count = await this.#read();
      const isAll = this.element.querySelector(".more:not([hidden])") === null;
      if (count > 0) announce(words.say(isAll ? "ideas" : "someIdeas", { count }));
    } catch (error) {
      if (!signal.aborted) this.element.replaceChildren(failure(error, () => void this.load()));
    } finally {
      this.#isLoading = false;
    }
  }

  /** After the visitor comes back. What has the focus stays, and what was loaded after the first page. */
  async reread(): Promise<void> {
    const stays = () =>
      this.#isLoading || this.element.matches(":focus-within") || this.element.querySelector(".longer") !== null;
    // While it cannot be read again, what is shown stays.
    if (!stays()) await this.#read(stays).catch(() => {});
  }

  refresh(idea: Idea): void {
    const before = this.#rows.get(idea.id);
    before?.replaceWith(this.#row(idea));
  }

  /** A new proposal is in no column. */
  add(): void {}

  remove({ id }: Idea): void {
    this.#rows.get(id)?.remove();
  }

  focus(id: string): void {
    const row = this.#rows.get(id);
    const column = row?.closest<HTMLElement>(".column");
    if (column) this.#choose(column.id);
    else this.#cameFrom = id;
    (row?.querySelector<HTMLElement>(".open") ?? this.element).focus();
  }

  /** Resolves to how many proposals there are. Shows them, unless what is there `stays`. */
  async #read(stays = () => false): Promise<number> {
    const { words, signal, ideaBank, enter, announce } = this.#context;
    const pages = await Promise.all(COLUMNS.map((filter) => ideaBank.ideas(filter, undefined, signal)));
    const count = pages.reduce((sum, { items }) => sum + items.length, 0);
    if (stays()) return count;
    this.#rows.clear();
    if (count === 0) {
      const text = words.say("empty");
      enter("empty");
      this.element.replaceChildren(message("empty", h("p", {}, text)));
      announce(text);
      return 0;
    }
    enter("ready");
    const tabs = tabsView(words, {});
    const columns = COLUMNS.map((filter, at) => this.#column(filter, pages[at] ?? { items: [] }, tabs));
    this.element.replaceChildren(tabs, ...columns);
    const chosen = recall(CHOSEN, "sessionStorage");
    const shown =
      this.#rows.get(this.#cameFrom)?.closest<HTMLElement>(".column") ??
      columns.find(({ id }) => id === chosen) ??
      columns.find((column) => column.querySelector(".idea"));
    this.#cameFrom = "";
    if (shown) this.#choose(shown.id);
    return count;
  }

  #choose(status: string): void {
    remember(CHOSEN, status, "sessionStorage");
    for (const radio of this.element.querySelectorAll<HTMLInputElement>(".tabs input"))
      radio.checked = radio.value === status;
    for (const column of this.element.querySelectorAll(".column"))
      column.classList.toggle("chosen", column.id === status);
  }

  /** Its tab is added to the others. */
  #column(filter: Column, { items, nextCursor }: Page<Idea>, tabs: HTMLElement): HTMLElement {
    const { words, level, signal, ideaBank, report } = this.#context;
    const list = ideas(...items.map((idea) => this.#row(idea)));
    let cursor = nextCursor;
    const counts = [new Text(), new Text()] as const;
    const count = () => {
      for (const each of counts) each.data = total(list.childElementCount, cursor, words);
    };
    count();
    tabs.append(tabView(filter, words, counts[0], { onchange: () => this.#choose(filter.status) }));
    const showMore = async () => {
      more.setAttribute("aria-disabled", "true");
      try {
        const page = await ideaBank.ideas(filter, cursor, signal);
        const added = page.items.filter(({ id }) => !this.#rows.has(id));
        list.append(...added.map((idea) => this.#row(idea)));
        list.classList.add("longer");
        cursor = page.nextCursor;
        count();
        if (more.matches(":focus") && added[0]) this.focus(added[0].id);
        more.hidden = cursor === undefined;
      } catch (error) {
        if (!signal.aborted) report(error);
      } finally {
        more.removeAttribute("aria-disabled");
      }
    };
    const more: HTMLButtonElement = h(
      "button",
      {
        type: "button",
        class: "button more",
        part: "button",
        hidden: cursor === undefined,
        onclick: () => void showMore(),
      },
      words.say("moreIdeas"),
    );
    return columnView(
      filter,
      { words, level },
      { total: counts[1], list: items.length > 0 ? list : emptyColumn(words), more },
    );
  }

  #row(idea: Idea): HTMLElement {
    const row = ideaRow(idea, this.#context, () => this.#open(idea));
    this.#rows.set(idea.id, row);
    return row;
  }
}
