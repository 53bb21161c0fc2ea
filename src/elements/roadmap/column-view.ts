/** How a roadmap looks: a column for each status, and the tabs of a place with room for one. */
import { type Attributes, type Child, h, heading } from "#h";
import type { BOARD_LABELS } from "../board/labels.ts";
import { status } from "../board/status.ts";
import type { Words } from "../shared/labels.ts";

type BoardWords = Words<typeof BOARD_LABELS>;

export const COLUMNS = [
  { status: "planned", sort: "top", limit: "10" },
  { status: "in-progress", sort: "top", limit: "10" },
  { status: "implemented", sort: "active", limit: "10" },
] as const;
export type Column = (typeof COLUMNS)[number];

/** Of a longer column only so many are known. */
export const total = (count: number, cursor: string | undefined, words: BoardWords): string =>
  words.number(count) + (cursor ? "+" : "");

export const tabsView = (words: BoardWords, attributes: Attributes, ...tabs: readonly HTMLElement[]): HTMLElement =>
  h("fieldset", { class: "sorts tabs", ...attributes }, h("legend", { class: "unseen" }, words.say("filter")), ...tabs);

export const tabView = ({ status }: Column, words: BoardWords, total: Child, attributes: Attributes): HTMLElement =>
  h(
    "label",
    { part: "column-tab" },
    h("input", { type: "radio", name: "column", value: status, class: "unseen", ...attributes }),
    h("span", {}, words.say(status), " ", h("small", {}, total)),
  );

/** `level` is that of its heading. */
export const columnView = (
  { status: name }: Column,
  { words, level }: { readonly words: BoardWords; readonly level: number },
  {
    total,
    list,
    more,
    chosen = false,
  }: { readonly total: Child; readonly list: HTMLElement; readonly more?: HTMLElement; readonly chosen?: boolean },
): HTMLElement =>
  h(
    "section",
    { class: chosen ? "column chosen" : "column", id: name, part: "column" },
    h(
      "div",
      { class: "column-head" },
      heading(level, { class: "column-title", part: "column-title" }, status(name, words)),
      h("span", { class: "muted" }, total),
    ),
    list,
    more,
  );

export const emptyColumn = (words: BoardWords): HTMLElement => h("p", { class: "muted" }, words.say("emptyColumn"));

export const columnsView = (...parts: readonly Child[]): HTMLElement =>
  h("div", { class: "columns", part: "columns", tabindex: -1 }, ...parts);
