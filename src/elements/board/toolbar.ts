/** The controls that sort and filter the list. */
import type { Sort } from "../../worker/model/panelist-proposal.ts";
import { h, icon } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Filter } from "./idea-bank.ts";
import { STATUSES } from "./status.ts";
import { whenTyped } from "./when-typed.ts";

const SORTS = ["hot", "top", "new", "active"] as const satisfies readonly Sort[];
const CHEVRON = "M4 6.2 8 10l4-3.8";
let toolbars = 0;

/** `change` gets whether the visitor is typing; then the present rows stay until the next answer. */
export function toolbar(
  { ideaBank, words, signal }: BoardContext,
  first: Filter,
  change: (filter: Filter, typed: boolean) => void,
): HTMLElement {
  const name = `sort-${++toolbars}`;
  let sort = first.sort;
  let shown: Filter = {};
  let q = "";
  const apply = (typed = false) => change({ ...(sort && { sort }), ...shown, ...(q && { q }) }, typed);

  const sorts = SORTS.map((value) => {
    const radio = h("input", { type: "radio", name, value, class: "unseen", checked: value === sort });
    radio.addEventListener("change", () => {
      sort = value;
      apply();
    });
    return h("label", { part: "sort" }, radio, h("span", {}, words.say(value)));
  });

  const option = (name: keyof Filter, value: string, text: string) =>
    h("option", { value: String(new URLSearchParams({ [name]: value })), dir: "auto" }, text);
  const byStatus = STATUSES.map((value) => option("status", value, words.say(value)));
  const byTag = h("optgroup", { label: words.say("byTag"), hidden: true });
  const select = h(
    "select",
    { id: `show-${name}`, class: "field", part: "filter" },
    h("option", { value: "" }, words.say("all")),
    h("optgroup", { label: words.say("byStatus") }, ...byStatus),
    byTag,
    !ideaBank.isVisitor &&
      h(
        "optgroup",
        { label: words.say("mine") },
        option("mine", "submitted", words.say("mySubmissions")),
        option("mine", "voted", words.say("myVotes")),
      ),
  );
  // The list does not wait for them, and goes on without.
  ideaBank.tags().then(
    ({ items }) => {
      byTag.hidden = items.length === 0;
      byTag.append(...items.map(({ tag }) => option("tag", tag, tag)));
    },
    () => {},
  );
  select.addEventListener("change", () => {
    shown = Object.fromEntries(new URLSearchParams(select.value));
    apply();
  });

  const search = h("input", {
    type: "search",
    class: "field search",
    part: "field search",
    "aria-label": words.say("search"),
    placeholder: words.say("search"),
    maxlength: 200,
    autocomplete: "off",
  });
  const order = h("fieldset", { class: "sorts" }, h("legend", { class: "unseen" }, words.say("sort")), ...sorts);
  whenTyped(search, signal, async (text) => {
    if (text === q) return;
    q = text;
    // Search results have an order of their own.
    order.disabled = q !== "";
    apply(true);
  });

  return h(
    "div",
    { class: "toolbar", part: "toolbar" },
    order,
    search,
    h(
      "div",
      { class: "select" },
      h("label", { for: select.id, class: "unseen" }, words.say("filter")),
      select,
      icon(CHEVRON),
    ),
  );
}
