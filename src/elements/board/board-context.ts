/** What the parts of the board are given: the idea bank, what it allows, the words, and how to say something to the visitor. */
import type { Capabilities } from "../../worker/model/idea-bank.ts";
import type { State } from "../shared/idea-bank-element.ts";
import type { Words } from "../shared/labels.ts";
import type { IdeaBank } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";
import type { Ballot } from "./vote-button.ts";

export type BoardContext = {
  readonly ideaBank: IdeaBank;
  readonly capabilities: Capabilities;
  /** By the identifiers of the ideas. */
  readonly ballots: Map<string, Ballot>;
  readonly words: Words<typeof BOARD_LABELS>;
  /** Of the board's own heading. */
  readonly level: number;
  readonly signal: AbortSignal;
  /** What a visitor wants to do needs a sign-in. Afterwards this proposal is opened, or what is open now. */
  readonly signIn: (proposal?: string) => void;
  /** For the page. */
  readonly dispatch: (event: CustomEvent) => void;
  readonly enter: (state: State) => void;
  /** Said to screen readers only: what eyes can see for themselves. */
  readonly announce: (text: string) => void;
  /** Shown and said, until the visitor does the next thing. */
  readonly notify: (text: string) => void;
  /** What went wrong, shown and said. After `too-many-requests` the seconds are counted down, then `again` is called. */
  readonly report: (error: unknown, again?: () => void) => void;
  /** What went wrong, in place of what could not be loaded. */
  readonly failure: (error: unknown, retry: () => void) => HTMLElement;
};
