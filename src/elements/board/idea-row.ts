/** An idea in the list, to vote for and to open. */
import type { BoardContext } from "./board-context.ts";
import type { Idea } from "./idea-bank.ts";
import { rowView } from "./row-view.ts";
import { voteButton } from "./vote-button.ts";

export const ideaRow = (idea: Idea, context: BoardContext, open: () => void): HTMLElement =>
  rowView(idea, context, { vote: voteButton(idea, context), open: context.linkTo(idea.id, open) });
