/**
 * `<idea-bank-roadmap>`: what is planned, in progress and done, to vote on and to open as on the board. It is a board with another
 * list, so its script loads the board's.
 */
import { IdeaBankBoard } from "../board/board.ts";
import type { BoardContext } from "../board/board-context.ts";
import type { Idea } from "../board/idea-bank.ts";
import { COLUMNS } from "./column-view.ts";
import { Columns, columnsSkeleton } from "./columns.ts";
import { ROADMAP_LABELS } from "./labels.ts";
import styles from "./roadmap.css";

class IdeaBankRoadmap extends IdeaBankBoard {
  protected override readonly suggests = false;
  protected override readonly first = COLUMNS;

  constructor() {
    super(ROADMAP_LABELS, styles);
  }

  protected override createList(context: BoardContext, open: (idea: Idea) => void): Columns {
    return new Columns(context, open);
  }

  protected override skeleton(): readonly HTMLElement[] {
    return [columnsSkeleton()];
  }
}

if (!customElements.get("idea-bank-roadmap")) customElements.define("idea-bank-roadmap", IdeaBankRoadmap);
