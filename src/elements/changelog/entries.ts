/** The list of entries. When newer ones appear, unfolded entries and the focus stay. */

import type { Words } from "../shared/labels.ts";
import { entryList, entryView, type Item, unfolder } from "./entry-view.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";

export class Entries {
  readonly list = entryList();
  readonly #words: Words<typeof CHANGELOG_LABELS>;
  readonly #level: number;
  /** By their content. */
  #rows = new Map<string, HTMLElement>();

  constructor(words: Words<typeof CHANGELOG_LABELS>, level: number) {
    this.#words = words;
    this.#level = level;
  }

  show(items: readonly Item[], isNew: (item: Item) => boolean): void {
    const focused = this.list.querySelector<HTMLElement>(":focus");
    const rows = new Map<string, HTMLElement>();
    for (const item of items) {
      let key = JSON.stringify(item);
      // Two entries may say the same.
      while (rows.has(key)) key += " ";
      rows.set(key, this.#rows.get(key) ?? this.#entry(item, isNew(item)));
    }
    this.#rows = rows;
    this.list.replaceChildren(...rows.values());
    focused?.focus();
  }

  #entry(item: Item, isNew: boolean): HTMLElement {
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
    return entryView(item, words, { level: this.#level, isNew, unfold });
  }
}
