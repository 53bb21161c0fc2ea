/** How an entry of the changelog looks. */
import { type Attributes, type Child, h, heading } from "#h";
import type { Changelog, ListedEntry } from "../../worker/model/changelog.ts";
import { linesOf } from "../../worker/model/light-formatting.ts";
import type { Words } from "../shared/labels.ts";
import { prose } from "../shared/prose.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";

/** Its identifier is known when it was read with those that are older. */
export type Item = Changelog["items"][number] & Partial<Pick<ListedEntry, "id">>;
type ChangelogWords = Words<typeof CHANGELOG_LABELS>;

/** A longer text is folded. */
const LONG_CHARACTERS = 420;
const LONG_LINES = 6;

const isLong = (text: string): boolean => text.length > LONG_CHARACTERS || linesOf(text).length > LONG_LINES;

export const entryList = (...rows: readonly HTMLElement[]): HTMLElement =>
  h("ol", { class: "entries", part: "entries" }, ...rows);

export const badge = (text: string): HTMLElement => h("span", { class: "badge", part: "badge" }, text);

const timeOf = ({ lastModified }: Item): Date => new Date(lastModified * 1000);

/** By the names of their months. */
export const byMonth = <Row extends readonly [Item, HTMLElement]>(
  rows: readonly Row[],
  words: ChangelogWords,
): Map<string, Row[]> => Map.groupBy(rows, ([item]) => words.date(timeOf(item), { month: "long", year: "numeric" }));

export const monthView = (name: string, level: number): HTMLElement =>
  heading(level + 1, { class: "month", part: "month" }, name);

/** The button that unfolds a long text. */
export const unfolder = (words: ChangelogWords, title: string, attributes: Attributes): HTMLElement =>
  h(
    "button",
    {
      type: "button",
      class: "link",
      part: "more",
      "aria-label": `${words.say("more")}: ${title}`,
      "aria-expanded": "false",
      ...attributes,
    },
    words.say("more"),
  );

/** `link` are the attributes of the link to it, where entries have addresses. `unfold` makes the button below a long text. */
export function entryView(
  item: Item,
  words: ChangelogWords,
  {
    level,
    isNew,
    link,
    unfold,
  }: {
    readonly level: number;
    readonly isNew: boolean;
    readonly link?: Attributes | undefined;
    readonly unfold: (text: HTMLElement) => Child;
  },
): HTMLElement {
  const { title, description } = item;
  const time = timeOf(item);
  const isFolded = isLong(description);
  const text = description && prose(description, { class: isFolded ? "prose clamped" : "prose", part: "description" });
  const date = h("time", { datetime: time.toISOString(), part: "date" }, words.date(time));
  return h(
    "li",
    { class: isNew ? "entry new" : "entry", part: isNew ? "entry new" : "entry" },
    h("div", { class: "when" }, link ? h("a", link, date) : date, isNew && badge(words.say("new"))),
    h(
      "div",
      { class: "body" },
      heading(level + 1, { class: "entry-title", part: "entry-title", dir: "auto" }, title),
      text,
      text && isFolded && unfold(text),
    ),
  );
}
