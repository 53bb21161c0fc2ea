/** The context of the board's parts: the idea bank, its capabilities, the labels, and the ways to tell the visitor something. */
import type { Capabilities } from "../../worker/model/idea-bank.ts";
import type { Vote } from "../../worker/model/panelist-proposal.ts";
import type { Attributes } from "../shared/h.ts";
import type { State } from "../shared/idea-bank-element.ts";
import type { Words } from "../shared/labels.ts";
import type { Begun } from "./begun.ts";
import type { IdeaBank } from "./idea-bank.ts";
import type { BOARD_LABELS } from "./labels.ts";

/** The vote for one idea, however often its button is drawn. */
export type Ballot = {
  /** The API's last answer. */
  confirmed: Vote;
  wanted: boolean;
  sending: boolean;
  /** Each button, with the function that draws it anew. */
  readonly buttons: Map<HTMLElement, () => void>;
};

export type BoardContext = {
  readonly ideaBank: IdeaBank;
  readonly capabilities: Capabilities;
  /** By the ideas' identifiers. */
  readonly ballots: Map<string, Ballot>;
  readonly words: Words<typeof BOARD_LABELS>;
  /** The level of the board's own heading. */
  readonly level: number;
  readonly signal: AbortSignal;
  /** An idea's address opens it. */
  readonly hasAddresses: boolean;
  readonly addressOf: (idea: string, comment?: string) => string;
  /** The comment on this idea that the tab's address names. */
  readonly commentOf: (idea: string) => string | undefined;
  /** The attributes of what opens an idea: where it has an address, those of a link to it. */
  readonly linkTo: (idea: string, open: () => void) => Attributes;
  /** The same, for the way back to the list. */
  readonly linkBack: (back: () => void) => Attributes;
  /** The page says where visitors sign in, so what they write can be sent afterwards. */
  readonly canSignIn: boolean;
  /** Leads to the sign-in, after which this goes on. */
  readonly signIn: (begun: Begun) => void;
  /** Asks whether to sign in first. */
  readonly askToSignIn: (begun: Begun) => void;
  /** An event for the page. */
  readonly dispatch: (name: string, detail: object) => void;
  readonly enter: (state: State) => void;
  /** Announces to screen readers something that is visible anyway. */
  readonly announce: (text: string) => void;
  /** Shown and said, until the visitor does the next thing. */
  readonly notify: (text: string) => void;
  /** The same, of something that went well: it leaves by itself, too. */
  readonly confirm: (text: string) => void;
  /** Shows and announces an error. After `too-many-requests` the seconds are counted down, then `again` is called;
   * after `offline`, when the browser says that there is a network, and any answer takes the error away. */
  readonly report: (error: unknown, again?: () => void) => void;
  /** An error in the place of the content that could not be loaded. */
  readonly failure: (error: unknown, retry: () => void) => HTMLElement;
};
