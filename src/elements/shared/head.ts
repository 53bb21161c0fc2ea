/** The line with an element's title. */
import { type Child, h, heading } from "#h";

export const head = (...content: readonly Child[]): HTMLElement =>
  h("header", { class: "head", part: "header" }, ...content);

/** `text` may be a name that people gave, in a direction of its own. */
export const title = (level: number, text: string): HTMLElement =>
  heading(level, { class: "title", part: "title", dir: "auto" }, text);
