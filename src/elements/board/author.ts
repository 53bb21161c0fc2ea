import { h } from "#h";
import { faceOf } from "../../worker/model/face.ts";
import type { Words } from "../shared/labels.ts";
import type { Comment } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** The author of a proposal or a comment. Null for a panelist without a name, and for a deleted one. */
export const authorOf = (
  { by, mine, author }: Pick<Comment, "by" | "mine" | "author">,
  words: Words<typeof BOARD_LABELS>,
): string | null => (by === "tenant" ? words.say("team") : mine ? words.say("you") : author);

/** The initials of a name, on a color that follows from it: by a class, because a page may forbid inline styles. */
export function face(name: string): HTMLElement {
  const { initials, hue } = faceOf(name);
  return h("span", { class: `face hue-${hue}`, "aria-hidden": "true" }, initials);
}
