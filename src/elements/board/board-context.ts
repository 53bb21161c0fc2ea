/** What the parts of the board are given: the idea bank, what it allows, the words, and how to say something to the visitor. */
import type { Capabilities } from "../../worker/model/idea-bank.ts";
import type { Words } from "../shared/labels.ts";
import type { IdeaBank } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

export type BoardContext = {
  readonly ideaBank: IdeaBank;
  readonly capabilities: Capabilities;
  readonly words: Words<typeof BOARD_LABELS>;
  /** Of the board's own heading. */
  readonly level: number;
  readonly signal: AbortSignal;
  /** Said to screen readers only: what eyes can see for themselves. */
  readonly announce: (text: string) => void;
  /** Shown and said, until the visitor does the next thing. */
  readonly notify: (text: string) => void;
  /** What went wrong, in words. */
  readonly explain: (error: unknown) => string;
  /** The same, shown and said. */
  readonly report: (error: unknown) => void;
};
