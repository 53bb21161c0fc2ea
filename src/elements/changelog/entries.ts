/** The list of entries. When newer ones appear, unfolded entries and the focus stay. */
import type { Changelog } from "../../worker/model/changelog.ts";
import { h, heading } from "../shared/h.ts";
import type { Words } from "../shared/labels.ts";
import { prose } from "../shared/prose.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";

type Item = Changelog["items"][number];

/** A longer text is folded. */
const LONG_CHARACTERS = 420;
const LONG_LINES = 6;

export class Entries {
  readonly list = h("ol", { class: "entries", part: "entries" });
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
    const { title, description, lastModified } = item;
    const time = new Date(lastModified * 1000);
    const when = h("time", { datetime: time.toISOString(), part: "date" }, this.#words.date(time));
    const mark = isNew && h("span", { class: "badge", part: "badge" }, this.#words.say("new"));
    const text = description && prose(description, { part: "description" });
    return h(
      "li",
      { class: isNew ? "entry new" : "entry", part: isNew ? "entry new" : "entry" },
      h("div", { class: "when" }, when, mark),
      h(
        "div",
        { class: "body" },
        heading(this.#level + 1, { class: "entry-title", part: "entry-title", dir: "auto" }, title),
        text,
        text && isLong(description) && this.#unfolder(title, text),
      ),
    );
  }

  #unfolder(title: string, text: HTMLElement): HTMLElement {
    const button = h("button", { type: "button", class: "link", part: "more" });
    const show = (open: boolean) => {
      text.classList.toggle("clamped", !open);
      button.textContent = this.#words.say(open ? "less" : "more");
      button.setAttribute("aria-label", `${button.textContent}: ${title}`);
      button.setAttribute("aria-expanded", String(open));
    };
    button.addEventListener("click", () => show(text.classList.contains("clamped")));
    show(false);
    return button;
  }
}

const isLong = (text: string): boolean => text.length > LONG_CHARACTERS || text.split("\n").length > LONG_LINES;
