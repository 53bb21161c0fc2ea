/** The controls that sort and filter the list. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";
import type { Filter } from "./idea-bank.ts";
import { FIRST, option, toolbarView } from "./toolbar-view.ts";
import { whenTyped } from "./when-typed.ts";

let toolbars = 0;

/** `change` gets whether the visitor is typing; then the present rows stay until the next answer. */
export function toolbar(
  { ideaBank, words, signal }: BoardContext,
  change: (filter: Filter, typed: boolean) => void,
): HTMLElement {
  let { sort } = FIRST;
  let shown: Filter = {};
  let q = "";
  const apply = (typed = false) => change({ ...(sort && { sort }), ...shown, ...(q && { q }) }, typed);

  const byTag = h("optgroup", { label: words.say("byTag"), hidden: true });
  const element = toolbarView(words, { name: `sort-${++toolbars}`, byTag, mine: !ideaBank.isVisitor });
  const [order, search, select] = [
    element.querySelector("fieldset"),
    element.querySelector<HTMLInputElement>(".search"),
    element.querySelector("select"),
  ];
  // The list does not wait for them, and goes on without.
  ideaBank.tags().then(
    ({ items }) => {
      byTag.hidden = items.length === 0;
      byTag.append(...items.map(({ tag }) => option("tag", tag, tag)));
    },
    () => {},
  );
  order?.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement) sort = target.value;
    apply();
  });
  select?.addEventListener("change", () => {
    shown = Object.fromEntries(new URLSearchParams(select.value));
    apply();
  });
  if (search)
    whenTyped(search, signal, async (text) => {
      if (text === q) return;
      q = text;
      // Search results have an order of their own.
      if (order) order.disabled = q !== "";
      apply(true);
    });
  return element;
}
