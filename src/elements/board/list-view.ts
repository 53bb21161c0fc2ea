/** How the board's list looks around its rows. */
import { type Attributes, type Child, h, icon } from "#h";
import type { Words } from "../shared/labels.ts";
import { message } from "../shared/message.ts";
import type { BOARD_LABELS } from "./labels.ts";

const PLUS = "M8 3.2v9.6M3.2 8h9.6";

export const suggestButton = (words: Words<typeof BOARD_LABELS>, attributes: Attributes): HTMLElement =>
  h(
    "button",
    { type: "button", class: "button primary", part: "button button-primary", ...attributes },
    icon(PLUS),
    words.say("suggest"),
  );

export const listView = (...parts: readonly Child[]): HTMLElement => h("div", { class: "list" }, ...parts);

export const ideas = (...rows: readonly HTMLElement[]): HTMLElement =>
  h("ol", { class: "ideas", part: "ideas" }, ...rows);

export const nothing = (text: string, hint: Child): HTMLElement =>
  message("empty", h("p", {}, text), hint && h("p", { class: "muted" }, hint));
