import type { Words } from "../shared/labels.ts";
import type { Comment } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** Who wrote a proposal or a comment. Null for a panelist without a name, and for one that was deleted. */
export const authorOf = (
  { by, mine, author }: Pick<Comment, "by" | "mine" | "author">,
  words: Words<typeof BOARD_LABELS>,
): string | null => (by === "tenant" ? words.say("team") : mine ? words.say("you") : author);
