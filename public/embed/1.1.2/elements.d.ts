/** The types of the idea bank elements 1.1.2. */

/** One text, or one for each plural category of the language; `{count}` stands for the number. */
export type Label = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** An error's label has the name of the API's `error`, which has a hyphen. */
type Labels<Name extends string> = Partial<Record<Name | `${string}-${string}`, Label>>;

export type ChangelogLabel =
  | "loading"
  | "retry"
  | "not-signed-in"
  | "signIn"
  | "unauthorized"
  | "offline"
  | "too-many-requests"
  | "failed"
  | "title"
  | "new"
  | "newCount"
  | "loaded"
  | "empty"
  | "idea-bank-not-found"
  | "more"
  | "less";
export type BoardLabel =
  | "loading"
  | "retry"
  | "not-signed-in"
  | "signIn"
  | "unauthorized"
  | "offline"
  | "too-many-requests"
  | "failed"
  | "title"
  | "idea-bank-not-found"
  | "sort"
  | "hot"
  | "top"
  | "new"
  | "active"
  | "filter"
  | "all"
  | "byStatus"
  | "byTag"
  | "mine"
  | "submitted"
  | "under-review"
  | "planned"
  | "in-progress"
  | "implemented"
  | "declined"
  | "tags"
  | "pending"
  | "mySubmissions"
  | "myVotes"
  | "ideas"
  | "empty"
  | "emptyHint"
  | "emptyFilter"
  | "emptySearch"
  | "emptyFilteredSearch"
  | "search"
  | "similar"
  | "similarIdeas"
  | "moreIdeas"
  | "voteFor"
  | "votes"
  | "voted"
  | "unvoted"
  | "comments"
  | "noComments"
  | "moreComments"
  | "anonymous"
  | "you"
  | "team"
  | "response"
  | "back"
  | "merged"
  | "openMerged"
  | "copyLink"
  | "linkCopied"
  | "suggest"
  | "suggestTitle"
  | "editTitle"
  | "ideaTitle"
  | "ideaTitleHint"
  | "ideaDescription"
  | "ideaDescriptionHint"
  | "formats"
  | "submit"
  | "save"
  | "cancel"
  | "discard"
  | "thanks"
  | "thanksPending"
  | "saved"
  | "edit"
  | "withdraw"
  | "withdrawQuestion"
  | "withdrawn"
  | "keep"
  | "comment"
  | "send"
  | "commented"
  | "ownComment"
  | "commentEdited"
  | "deleteComment"
  | "deleteQuestion"
  | "commentDeleted"
  | "optionalField"
  | "required"
  | "charactersLeft"
  | "tooLong"
  | "sign-in-required"
  | "signInHere"
  | "capability-closed"
  | "forbidden"
  | "conflict"
  | "changed"
  | "unanswered"
  | "proposal-not-found"
  | "comment-not-found"
  | "invalid-request"
  | "dismiss";
/** And every label of the board. */
export type RoadmapLabel =
  | BoardLabel
  | "title"
  | "idea-bank-not-found"
  | "empty"
  | "emptyColumn"
  | "back";
export type LauncherLabel =
  | "idea-bank-changelog"
  | "idea-bank-board"
  | "idea-bank-roadmap"
  | "newCount"
  | "shipped"
  | "close";

/** Gives a valid token. Called when there is none yet, and once more when the API has refused the last one. */
export type TokenProvider = () => string | Promise<string>;

/** The settings of every element. */
export interface IdeaBankSettings<Name extends string> {
  /** The API's address. By default the origin of the script. */
  src: string;
  /** The panelist's token. */
  token: string | undefined;
  tokenProvider: TokenProvider | undefined;
  labels: Labels<Name>;
  /** Begins anew with another token, after a sign-in or a sign-out that did not leave the page. */
  restart(): void;
}

export interface IdeaBankChangelog extends HTMLElement, IdeaBankSettings<ChangelogLabel> {
  /** The number of entries since the visitor's last look. */
  readonly count: number;
}

/** `title` is for the form. */
export interface OpenOptions {
  readonly view?: "list" | "form";
  readonly title?: string;
  readonly proposal?: string;
}

export interface IdeaBankBoard extends HTMLElement, IdeaBankSettings<BoardLabel> {
  open(options: OpenOptions): void;
}

export interface IdeaBankRoadmap extends HTMLElement, IdeaBankSettings<RoadmapLabel> {
  open(options: Pick<OpenOptions, "view" | "proposal">): void;
}

export interface IdeaBankLauncher extends HTMLElement {
  labels: Labels<LauncherLabel>;
  open(options?: OpenOptions): void;
  close(): void;
}

export type ChangelogCountEvent = CustomEvent<{ readonly count: number }>;
export type SignedOutEvent = CustomEvent<{ readonly error: "not-signed-in" | "unauthorized" }>;

/** The attributes without a property. */
export interface IdeaBankAttributes {
  /** An address of the page's own server that answers with a token, as a text. */
  "token-url"?: string;
  /** The address where the page signs visitors in; `{page}` stands for its address. */
  "sign-in-url"?: string;
  "heading-level"?: 1 | 2 | 3 | 4;
  theme?: "auto" | "light" | "dark";
  /** Of the board and the roadmap. */
  proposal?: string;
  /** Of the board and the roadmap: Back closes what is open, and an open idea has an address. */
  history?: boolean;
}

export type IdeaSubmittedEvent = CustomEvent<{ readonly id: string; readonly title: string }>;
export type VotedEvent = CustomEvent<{
  readonly id: string;
  readonly title: string;
  readonly voted: boolean;
  readonly votes: number;
}>;
export type CommentedEvent = CustomEvent<{ readonly id: string; readonly title: string; readonly comment: string }>;
export type SignInEvent = CustomEvent<{ readonly proposal: string | null }>;

/** All of them bubble, also out of shadow roots. */
export interface IdeaBankEvents {
  "changelog-count": ChangelogCountEvent;
  "signed-out": SignedOutEvent;
  "sign-in": SignInEvent;
  "idea-submitted": IdeaSubmittedEvent;
  voted: VotedEvent;
  commented: CommentedEvent;
}

declare global {
  interface HTMLElementTagNameMap {
    "idea-bank-changelog": IdeaBankChangelog;
    "idea-bank-board": IdeaBankBoard;
    "idea-bank-roadmap": IdeaBankRoadmap;
    "idea-bank-launcher": IdeaBankLauncher;
  }
  interface HTMLElementEventMap extends IdeaBankEvents {}
  interface DocumentEventMap extends IdeaBankEvents {}
  interface WindowEventMap extends IdeaBankEvents {}
}
