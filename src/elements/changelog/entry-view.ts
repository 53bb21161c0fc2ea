/** How an entry of the changelog looks. */
import { type Attributes, type Child, h, heading } from "#h";
import type { Changelog } from "../../worker/model/changelog.ts";
import type { Words } from "../shared/labels.ts";
import { prose } from "../shared/prose.ts";
import type { CHANGELOG_LABELS } from "./labels.ts";

export type Item = Changelog["items"][number];
type ChangelogWords = Words<typeof CHANGELOG_LABELS>;

/** A longer text is folded. */
const LONG_CHARACTERS = 420;
const LONG_LINES = 6;

const isLong = (text: string): boolean => text.length > LONG_CHARACTERS || text.split("\n").length > LONG_LINES;

export const entryList = (...rows: readonly HTMLElement[]): HTMLElement =>
  h("ol", { class: "entries", part: "entries" }, ...rows);

export const badge = (text: string): HTMLElement => h("span", { class: "badge", part: "badge" }, text);

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

/** `unfold` makes the button below a long text. */
export function entryView(
  { title, description, lastModified }: Item,
  words: ChangelogWords,
  {
    level,
    isNew,
    unfold,
  }: { readonly level: number; readonly isNew: boolean; readonly unfold: (text: HTMLElement) => Child },
): HTMLElement {
  const time = new Date(lastModified * 1000);
  const isFolded = isLong(description);
  const text = description && prose(description, { class: isFolded ? "prose clamped" : "prose", part: "description" });
  return h(
    "li",
    { class: isNew ? "entry new" : "entry", part: isNew ? "entry new" : "entry" },
    h(
      "div",
      { class: "when" },
      h("time", { datetime: time.toISOString(), part: "date" }, words.date(time)),
      isNew && badge(words.say("new")),
    ),
    h(
      "div",
      { class: "body" },
      heading(level + 1, { class: "entry-title", part: "entry-title", dir: "auto" }, title),
      text,
      text && isFolded && unfold(text),
    ),
  );
}
