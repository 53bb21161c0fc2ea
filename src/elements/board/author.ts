import type { Words } from "../shared/labels.ts";
import type { Comment } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** The author of a proposal or a comment. Null for a panelist without a name, and for a deleted one. */
export const authorOf = (
  { by, mine, author }: Pick<Comment, "by" | "mine" | "author">,
  words: Words<typeof BOARD_LABELS>,
): string | null => (by === "tenant" ? words.say("team") : mine ? words.say("you") : author);
