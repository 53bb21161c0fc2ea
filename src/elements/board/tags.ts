/** A proposal's tags, as a list of small labels. */
import { h } from "#h";
import type { Words } from "../shared/labels.ts";
import type { Idea } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** `false` for a proposal without any. */
export const tags = ({ tags }: Idea, words: Words<typeof BOARD_LABELS>): HTMLElement | false =>
  tags.length > 0 &&
  h(
    "ul",
    { class: "tags", part: "tags", role: "list", "aria-label": words.say("tags") },
    ...tags.map((tag) => h("li", { class: "tag", part: "tag", dir: "auto" }, tag)),
  );
