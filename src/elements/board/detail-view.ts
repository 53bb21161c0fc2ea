/** How an open proposal looks: the way back, the text, the official response. */
import { type Attributes, type Child, h, heading, icon } from "#h";
import type { Words } from "../shared/labels.ts";
import { prose } from "../shared/prose.ts";
import { authorOf } from "./author.ts";
import type { Idea } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import { opener } from "./row-view.ts";
import { status } from "./status.ts";
import { tags } from "./tags.ts";
import { time } from "./time.ts";

type BoardWords = Words<typeof BOARD_LABELS>;

const BACK = "M9.8 3.5 5.3 8l4.5 4.5";

/** `copy` are the attributes of the button that copies its address. */
export function barView(
  words: BoardWords,
  {
    back,
    backTo,
    copy,
  }: { readonly back: Attributes; readonly backTo: "back" | "suggestTitle"; readonly copy: Attributes | false },
): HTMLElement {
  return h(
    "div",
    { class: "bar" },
    opener({ class: "link back with-icon", part: "back", ...back }, icon(BACK), words.say(backTo)),
    copy && h("button", { type: "button", class: "link quiet", ...copy }, words.say("copyLink")),
  );
}

export const detailTitle = (level: number, ...text: readonly string[]): HTMLElement =>
  heading(level + 1, { class: "title", part: "idea-title", dir: "auto", tabindex: -1 }, ...text);

/** The line below the title. */
export const facts = (idea: Idea, words: BoardWords): readonly HTMLElement[] =>
  [
    status(idea.status, words),
    tags(idea, words),
    idea.visibility === "pending" && h("span", {}, words.say("pending")),
    h("span", {}, authorOf(idea, words) ?? words.say("anonymous")),
    time(idea.createdAt, words),
  ].filter((fact) => fact !== false);

export const ideaText = (text: string): HTMLElement => prose(text, { part: "idea-description", hidden: text === "" });

/** What follows the text. `open` leads to the idea that it was merged into. */
export const asidesOf = (
  { duplicateOf, response }: Idea,
  words: BoardWords,
  open: Attributes,
): readonly HTMLElement[] =>
  [
    duplicateOf !== null &&
      h("p", { class: "aside" }, words.say("merged"), " ", opener({ class: "link", ...open }, words.say("openMerged"))),
    response !== null &&
      h(
        "section",
        { class: "response", part: "response" },
        h("p", { class: "meta" }, h("strong", {}, words.say("response")), time(response.respondedAt, words)),
        prose(response.text),
      ),
  ].filter((aside) => aside !== false);

export const detailBody = (vote: HTMLElement, ...content: readonly Child[]): HTMLElement =>
  h("div", { class: "body" }, vote, h("div", { class: "content" }, ...content));

export const detailView = (...parts: readonly Child[]): HTMLElement =>
  h("article", { class: "detail", part: "idea" }, ...parts);
