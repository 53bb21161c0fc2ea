/** An idea in the list: the vote, the title that opens it, and its main facts. */
import { firstLine } from "../../worker/model/light-formatting.ts";
import { h, heading, icon } from "../shared/h.ts";
import { authorOf, face } from "./author.ts";
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";
import { status } from "./status.ts";
import { tags } from "./tags.ts";
import { time } from "./time.ts";
import { voteButton } from "./vote-button.ts";

const BUBBLE = "M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2z";
const CHECK = "M3.5 8.4 6.6 11.5 12.5 5";

export function ideaRow(idea: Idea, context: BoardContext, open: () => void): HTMLElement {
  const { words, level } = context;
  const who = authorOf(idea, words);
  const isOver = idea.status === "implemented" || idea.status === "declined";
  const talk = words.say("comments", { count: idea.comments });
  return h(
    "li",
    { class: isOver ? "idea over" : "idea", part: "idea-item" },
    voteButton(idea, context),
    h(
      "div",
      { class: "content" },
      heading(
        level + 1,
        { class: "idea-title", dir: "auto" },
        h("button", { type: "button", class: "open", part: "idea-item-title", onclick: open }, idea.title),
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
            number(words.number(idea.comments)),
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
