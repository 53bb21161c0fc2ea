/** How an idea looks in a list: the vote, the title that opens it, and its main facts. */
import { type Attributes, type Child, h, heading, icon } from "#h";
import { firstLine } from "../../worker/model/light-formatting.ts";
import type { Words } from "../shared/labels.ts";
import { authorOf, face } from "./author.ts";
import type { Idea } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import { status } from "./status.ts";
import { tags } from "./tags.ts";
import { time } from "./time.ts";

const BUBBLE = "M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z";
const CHECK = "M3.5 8.4 6.6 11.5 12.5 5";

/** Ideas that are over come last in a list of all. */
export const isOver = ({ status }: Idea): boolean => status === "implemented" || status === "declined";

/** A link where it has an address, otherwise a button. */
export const opener = (attributes: Attributes, ...text: readonly Child[]): HTMLElement =>
  attributes.href ? h("a", attributes, ...text) : h("button", { type: "button", ...attributes }, ...text);

export function rowView(
  idea: Idea,
  { words, level }: { readonly words: Words<typeof BOARD_LABELS>; readonly level: number },
  { vote, open }: { readonly vote: HTMLElement; readonly open: Attributes },
): HTMLElement {
  const who = authorOf(idea, words);
  const talk = words.say("comments", { count: idea.comments });
  return h(
    "li",
    { class: isOver(idea) ? "idea over" : "idea", part: "idea-item" },
    vote,
    h(
      "div",
      { class: "content" },
      heading(
        level + 1,
        { class: "idea-title", dir: "auto" },
        opener({ class: "open", part: "idea-item-title", ...open }, idea.title),
      ),
      idea.description && h("p", { class: "excerpt", dir: "auto" }, firstLine(idea.description)),
      h(
        "div",
        { class: "meta" },
        idea.status !== "submitted" && status(idea.status, words),
        tags(idea, words),
        idea.visibility === "pending" && h("span", {}, words.say("pending")),
        idea.response && h("span", { class: "with-icon" }, icon(CHECK), words.say("response")),
        idea.comments > 0 &&
          h(
            "span",
            { class: "with-icon", title: talk },
            icon(BUBBLE),
            number(words.short(idea.comments)),
            unseen(talk),
          ),
        who && h("span", { class: "with-icon" }, face(who), h("span", {}, who)),
        time(idea.createdAt, words),
      ),
    ),
  );
}

const number = (text: string) => h("span", { "aria-hidden": "true" }, text);
const unseen = (text: string) => h("span", { class: "unseen" }, text);
