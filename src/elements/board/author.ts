import { h } from "#h";
import type { Words } from "../shared/labels.ts";
import type { Comment } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** The author of a proposal or a comment. Null for a panelist without a name, and for a deleted one. */
export const authorOf = (
  { by, mine, author }: Pick<Comment, "by" | "mine" | "author">,
  words: Words<typeof BOARD_LABELS>,
): string | null => (by === "tenant" ? words.say("team") : mine ? words.say("you") : author);

/** As many as the style sheet has. */
const HUES = 12;

/** The initials of a name, on a color that follows from it: by a class, because a page may forbid inline styles. */
export function face(name: string): HTMLElement {
  const words = name.trim().split(/\s+/);
  const initials = [words[0], words.length > 1 && words.at(-1)].map((word) => [...(word || "")][0] ?? "");
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);
  return h("span", { class: `face hue-${hue % HUES}`, "aria-hidden": "true" }, initials.join(""));
}
