/**
 * The list of entries: the recent ones as the changelog has them, and older ones by month, as they are read in pages, with identifiers.
 * When others appear, unfolded entries, the focus and the place stay.
 */

import type { ListedEntry } from "../../worker/model/changelog.ts";
import { h } from "../shared/h.ts";
import type { Words } from "../shared/labels.ts";
import { linkHere, withParameters } from "../shared/link.ts";
import type { Connection } from "../shared/request.ts";
import { byMonth, entryList, entryView, type Item, monthView, unfolder } from "./entry-view.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";

/** The parameter of the page's address that names an entry, by what follows this in its identifier. */
export const UPDATE = "update";
export const ENTRY = "urn:uuid:";
const PATH = "/ideabank/changelog/entries?limit=";

export type Page = { readonly items: readonly ListedEntry[]; readonly nextCursor?: string };

/** By their content; two entries may say the same. */
function keyed(items: Iterable<Item>): Map<string, Item> {
  const all = new Map<string, Item>();
  for (const item of items) {
    const { id, ...content } = item;
    let key = JSON.stringify(content);
    while (all.has(key)) key += " ";
    all.set(key, item);
  }
  return all;
}

/** What is in its place is not moved: so the page does not scroll, and nothing loses the focus. */
function arrange(parent: HTMLElement, children: readonly HTMLElement[]): void {
  for (const [at, child] of children.entries())
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  while (parent.children.length > children.length) parent.lastChild?.remove();
}

export class Entries {
  readonly element = h("div");
  readonly #words: Words<typeof CHANGELOG_LABELS>;
  readonly #level: number;
  readonly #hasAddresses: boolean;
  readonly #connection: Connection;
  #first: Page | undefined;
  #recent: readonly Item[] = [];
  #isNew = (_item: Item): boolean => false;
  /** By identifier: one that has moved up is read again, and stands once. */
  readonly #paged = new Map<string, ListedEntry>();
  /** The first page has been read since the recent ones have changed. */
  hasBegun = false;
  /** Where the pages go on; empty at their end. */
  cursor: string | undefined;
  #shown: readonly (readonly [Item, HTMLElement])[] = [];
  /** By their content. */
  #rows = new Map<string, HTMLElement>();
  readonly #list = entryList();
  readonly #months = new Map<string, readonly [HTMLElement, HTMLElement]>();

  constructor(
    words: Words<typeof CHANGELOG_LABELS>,
    {
      level,
      hasAddresses,
      connection,
      first,
    }: {
      readonly level: number;
      readonly hasAddresses: boolean;
      readonly connection: Connection;
      /** The first page, where it is known. */
      readonly first: Page | undefined;
    },
  ) {
    this.#words = words;
    this.#level = level;
    this.#hasAddresses = hasAddresses;
    this.#connection = connection;
    this.#first = first;
  }

  get count(): number {
    return this.#shown.length;
  }

  show(recent: readonly Item[], isNew: (item: Item) => boolean): void {
    this.#recent = recent;
    this.#isNew = isNew;
    this.hasBegun = false;
    const { lastModified: end = 0 } = recent.at(-1) ?? {};
    // What is not among them any more may be gone.
    for (const [id, { lastModified }] of this.#paged) if (lastModified >= end) this.#paged.delete(id);
    this.#draw();
  }

  /** Reads the first page, which names the recent entries; then the next. Resolves to the first entry that was not shown before. */
  async read(limit: number): Promise<HTMLElement | undefined> {
    const cursor = this.hasBegun && `&cursor=${this.cursor}`;
    const page = this.#first ?? (await this.#connection.send<Page>(PATH + limit + (cursor || ""))).body;
    this.#first = undefined;
    for (const entry of page?.items ?? []) this.#paged.set(entry.id, entry);
    // Where later pages go on stays.
    if (cursor || this.cursor === undefined) this.cursor = page?.nextCursor ?? "";
    // The recent ones may have changed while a later page was read.
    if (!cursor) this.hasBegun = true;
    return this.#draw();
  }

  find(isWanted: (item: Item) => boolean): HTMLElement | undefined {
    return this.#shown.find(([item]) => isWanted(item))?.[1];
  }

  #draw(): HTMLElement | undefined {
    const before = this.#rows;
    this.#rows = new Map();
    const all = [...new Map([...keyed(this.#recent), ...keyed(this.#paged.values())])];
    all.sort(([, one], [, other]) => other.lastModified - one.lastModified);
    let first: HTMLElement | undefined;
    const rows = all.map(([key, item], at) => {
      const level = this.#level + Number(at >= this.#recent.length);
      const known = before.get(key);
      const row = known ?? this.#entry(item, level);
      this.#rows.set(key, row);
      if (!known) first ??= row;
      const link = row.querySelector<HTMLAnchorElement>(".when a");
      if (link && item.id) link.href = withParameters(location.href, { [UPDATE]: item.id.slice(ENTRY.length) });
      return [item, row] as const;
    });
    this.#shown = rows;
    const { length } = this.#recent;
    arrange(
      this.#list,
      rows.slice(0, length).map(([, row]) => row),
    );
    const parts = [this.#list];
    for (const [name, each] of byMonth(rows.slice(length), this.#words)) {
      const month = this.#months.get(name) ?? [monthView(name, this.#level), entryList()];
      this.#months.set(name, month);
      arrange(
        month[1],
        each.map(([, row]) => row),
      );
      parts.push(...month);
    }
    arrange(this.element, parts);
    return first;
  }

  #entry(item: Item, level: number): HTMLElement {
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
    const row = entryView(item, words, { level, isNew: this.#isNew(item), link, unfold });
    return row;
  }
}
