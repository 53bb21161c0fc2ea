/** The list of entries. When others appear, unfolded entries, the focus and the place stay. */

import { h } from "../shared/h.ts";
import type { Words } from "../shared/labels.ts";
import { linkHere, withParameters } from "../shared/link.ts";
import { entryList, entryView, type Item, monthsView, unfolder } from "./entry-view.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";
import { ENTRY } from "./pages.ts";

export class Entries {
  readonly element = h("div");
  readonly #words: Words<typeof CHANGELOG_LABELS>;
  readonly #level: number;
  readonly #hasAddresses: boolean;
  #shown: readonly (readonly [Item, HTMLElement])[] = [];
  /** By their content. */
  #rows = new Map<string, HTMLElement>();

  constructor(words: Words<typeof CHANGELOG_LABELS>, level: number, hasAddresses: boolean) {
    this.#words = words;
    this.#level = level;
    this.#hasAddresses = hasAddresses;
  }

  /** Those after the first `recent` are shown by month. Returns the first one that was not shown before. */
  show(items: readonly Item[], recent: number, isNew: (item: Item) => boolean): HTMLElement | undefined {
    const focused = this.element.querySelector<HTMLElement>(":focus");
    const rows = new Map<string, HTMLElement>();
    let first: HTMLElement | undefined;
    this.#shown = items.map((item, at) => {
      const { id, ...content } = item;
      const level = this.#level + Number(at >= recent);
      let key = level + JSON.stringify(content);
      // Two entries may say the same.
      while (rows.has(key)) key += " ";
      const row = this.#rows.get(key) ?? this.#entry(item, level, isNew(item));
      if (!this.#rows.has(key)) first ??= row;
      rows.set(key, row);
      const link = id && row.querySelector<HTMLAnchorElement>(".when a");
      if (link) link.href = withParameters(location.href, { update: id.slice(ENTRY.length) });
      return [item, row];
    });
    this.#rows = rows;
    this.element.replaceChildren(
      entryList(...this.#shown.slice(0, recent).map(([, row]) => row)),
      ...monthsView(this.#shown.slice(recent), this.#words, this.#level),
    );
    focused?.focus({ preventScroll: true });
    return first;
  }

  find(isWanted: (item: Item) => boolean): HTMLElement | undefined {
    return this.#shown.find(([item]) => isWanted(item))?.[1];
  }

  #entry(item: Item, level: number, isNew: boolean): HTMLElement {
    const words = this.#words;
    const unfold = (text: HTMLElement) => {
      const button = unfolder(words, item.title, {
        onclick: () => {
          const isOpen = !text.classList.toggle("clamped");
          button.textContent = words.say(isOpen ? "less" : "more");
          button.setAttribute("aria-label", `${button.textContent}: ${item.title}`);
          button.setAttribute("aria-expanded", String(isOpen));
        },
      });
      return button;
    };
    const link = this.#hasAddresses ? linkHere(undefined, () => row) : undefined;
    const row = entryView(item, words, { level, isNew, link, unfold });
    return row;
  }
}
