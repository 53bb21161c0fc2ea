/** A message in the place of all content: why there is none, and what the visitor can do. */
import { type Child, h, icon } from "#h";

const ALERT = "M8 5v4m0 2v.1M8 2 1 14h14z";
const LOCK = "M4 7.5h8v6H4zM5.8 7.5V5a2.2 2.2 0 0 1 4.4 0v2.5";
const BULB = "M6 13h4M6.5 15h3M5.8 10.8a4.6 4.6 0 1 1 4.4 0v.7H5.8z";

/** Each state has one look, in every element. */
const ICONS: Readonly<Record<string, string>> = { empty: BULB, error: ALERT };

export const message = (state: string, ...content: readonly Child[]): HTMLElement =>
  h("div", { class: "message", part: "message" }, icon(ICONS[state] ?? LOCK), ...content);

/** Rows in the shape of the content that is being loaded. */
export const skeleton = (rows: number, row: string, marker: string): HTMLElement =>
  h(
    "div",
    { class: "skeleton", part: "skeleton", "aria-hidden": "true" },
    ...Array.from({ length: rows }, () =>
      h("div", { class: row }, h("div", { class: marker }), h("div", { class: "body bones" })),
    ),
  );
