/** How the controls look that sort and filter the list. */
import { type Attributes, h, icon } from "#h";
import type { Sort } from "../../worker/model/panelist-proposal.ts";
import type { Words } from "../shared/labels.ts";
import type { Filter } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import { STATUSES } from "./status.ts";

const SORTS = ["hot", "top", "new", "active"] as const satisfies readonly Sort[];
const CHEVRON = "M4 6.2 8 10l4-3.8";

/** The sorting that a board begins with. */
export const FIRST: Filter = { sort: "hot" };

/** A filter as the value of its option. */
export const option = (name: keyof Filter, value: string, text: string): HTMLElement =>
  h("option", { value: String(new URLSearchParams({ [name]: value })), dir: "auto" }, text);

/** `name` is unique on the page. `byTag` is the place of the tags, which come later. */
export function toolbarView(
  words: Words<typeof BOARD_LABELS>,
  { name, byTag, mine }: { readonly name: string; readonly byTag: HTMLElement | false; readonly mine: boolean },
  attributes: Attributes = {},
): HTMLElement {
  const sorts = SORTS.map((value) =>
    h(
      "label",
      { part: "sort" },
      h("input", { type: "radio", name, value, class: "unseen", checked: value === FIRST.sort }),
      h("span", {}, words.say(value)),
    ),
  );
  const byStatus = STATUSES.map((value) => option("status", value, words.say(value)));
  return h(
    "div",
    { class: "toolbar", part: "toolbar", ...attributes },
    h("fieldset", { class: "sorts" }, h("legend", { class: "unseen" }, words.say("sort")), ...sorts),
    h("input", {
      type: "search",
      class: "field search",
      part: "field search",
      "aria-label": words.say("search"),
      placeholder: words.say("search"),
      maxlength: 200,
      autocomplete: "off",
    }),
    h(
      "div",
      { class: "select" },
      h("label", { for: `show-${name}`, class: "unseen" }, words.say("filter")),
      h(
        "select",
        { id: `show-${name}`, class: "field", part: "filter" },
        h("option", { value: "" }, words.say("all")),
        h("optgroup", { label: words.say("byStatus") }, ...byStatus),
        byTag,
        mine &&
          h(
            "optgroup",
            { label: words.say("mine") },
            option("mine", "submitted", words.say("mySubmissions")),
            option("mine", "voted", words.say("myVotes")),
          ),
      ),
      icon(CHEVRON),
    ),
  );
}
