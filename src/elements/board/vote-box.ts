/** The box with the votes of a proposal: a button, or only the count. */
import { type Attributes, type Child, h, icon } from "#h";

const ARROW = "M3.5 10.2 8 5.6l4.5 4.6";

/** `name` says to screen readers what `count` shows. With `attributes` it is a button. */
export const voteBox = (count: Child, name: Child, attributes?: Attributes): HTMLElement =>
  h(
    attributes ? "button" : "span",
    { class: "vote", part: "vote", ...attributes },
    icon(ARROW),
    h("span", { class: "count", "aria-hidden": "true" }, count),
    h("span", { class: "unseen" }, name),
  );
