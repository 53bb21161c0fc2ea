/** How the list is sorted, and which proposals it shows. */
import type { Sort } from "../../worker/model/panelist-proposal.ts";
import { h, icon } from "../shared/h.ts";
import type { Words } from "../shared/labels.ts";
import type { Filter } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import { STATUSES } from "./status.ts";

const SORTS = ["hot", "top", "new", "active"] as const satisfies readonly Sort[];
const CHEVRON = "M4 6.2 8 10l4-3.8";
let toolbars = 0;

export function toolbar(
  words: Words<typeof BOARD_LABELS>,
  first: Filter,
  change: (filter: Filter) => void,
): HTMLElement {
  const name = `sort-${++toolbars}`;
  let sort = first.sort;
  let shown: Filter = {};
  const apply = () => change({ ...(sort && { sort }), ...shown });

  const sorts = SORTS.map((value) => {
    const radio = h("input", { type: "radio", name, value, class: "unseen", checked: value === sort });
    radio.addEventListener("change", () => {
      sort = value;
      apply();
    });
    return h("label", { part: "sort" }, radio, h("span", {}, words.say(value)));
  });

  const option = (value: string, text: string) => h("option", { value }, text);
  const select = h(
    "select",
    { id: `show-${name}`, class: "field", part: "filter" },
    option("", words.say("all")),
    h(
      "optgroup",
      { label: words.say("byStatus") },
      ...STATUSES.map((value) => option(`status=${value}`, words.say(value))),
    ),
    h(
      "optgroup",
      { label: words.say("mine") },
      option("mine=submitted", words.say("mySubmissions")),
      option("mine=voted", words.say("myVotes")),
    ),
  );
  select.addEventListener("change", () => {
    shown = Object.fromEntries(new URLSearchParams(select.value));
    apply();
  });

  return h(
    "div",
    { class: "toolbar", part: "toolbar" },
    h("fieldset", { class: "sorts" }, h("legend", { class: "unseen" }, words.say("sort")), ...sorts),
    h(
      "div",
      { class: "select" },
      h("label", { for: select.id, class: "unseen" }, words.say("filter")),
      select,
      icon(CHEVRON),
    ),
  );
}
