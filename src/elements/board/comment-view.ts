/** How the comments of a proposal look. */
import { type Attributes, type Child, h, heading, icon } from "#h";
import type { Words } from "../shared/labels.ts";
import { authorOf, face } from "./author.ts";
import type { Comment } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import { time } from "./time.ts";

type BoardWords = Words<typeof BOARD_LABELS>;

const CHECK = "M3.5 8.4 6.6 11.5 12.5 5";

/** `link` leads to it, where comments have addresses. `content` is the text, and what the visitor can do with it. */
export function commentView(
  comment: Comment,
  words: BoardWords,
  link: Attributes | undefined,
  ...content: readonly Child[]
): HTMLElement {
  const official = comment.by === "tenant";
  const when = time(comment.createdAt, words);
  const who = authorOf(comment, words) ?? words.say("anonymous");
  return h(
    "li",
    { class: official ? "comment official" : "comment", part: official ? "comment comment-official" : "comment" },
    official ? h("span", { class: "face", "aria-hidden": "true" }, icon(CHECK)) : face(who),
    h(
      "div",
      {},
      h(
        "p",
        { class: "meta" },
        h("strong", {}, who),
        link ? h("a", link, when) : when,
        comment.visibility && h("span", {}, words.say("pending")),
      ),
      ...content,
    ),
  );
}

export const commentCount = (count: number, words: BoardWords): string =>
  count > 0 ? words.say("comments", { count }) : words.say("noComments");

export const commentsTitle = (level: number, ...text: readonly string[]): HTMLElement =>
  heading(level + 2, { class: "subtitle", tabindex: -1 }, ...text);

export const commentList = (...rows: readonly HTMLElement[]): HTMLElement =>
  h("ol", { class: "comments", part: "comments" }, ...rows);

export const discussionView = (...parts: readonly Child[]): HTMLElement =>
  h("section", { class: "discussion" }, ...parts);
