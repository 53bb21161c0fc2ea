/** The types of the idea bank elements 1.4.2. */

/** One text, or one for each plural category of the language; `{count}` stands for the number. */
export type Label = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** An error's label has the name of the API's `error`, which has a hyphen. */
type Labels<Name extends string> = Partial<Record<Name | `${string}-${string}`, Label>>;

export type ChangelogLabel =
  | "loading"
  | "retry"
  | "not-signed-in"
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
  | "suggest"
  | "suggestTitle"
  | "editTitle"
  | "ideaTitle"
  | "ideaTitleHint"
  | "ideaDescription"
  | "ideaDescriptionHint"
  | "submit"
  | "save"
  | "cancel"
  | "thanks"
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
  | "requiredField"
  | "required"
  | "capability-closed"
  | "forbidden"
  | "conflict"
  | "proposal-not-found"
  | "comment-not-found"
  | "invalid-request"
  | "dismiss";
export type LauncherLabel =
  | "idea-bank-changelog"
  | "idea-bank-board"
  | "newCount"
  | "close";

/** Gives a valid token. Called when there is none yet, and once more when the API has refused the last one. */
export type TokenProvider = () => string | Promise<string>;

/** What both elements can be given. */
export interface IdeaBankSettings<Name extends string> {
  /** Where the API is. The origin that the script came from, unless set. */
  src: string;
  /** The panelist's token. */
  token: string | undefined;
  tokenProvider: TokenProvider | undefined;
  labels: Labels<Name>;
}

export interface IdeaBankChangelog extends HTMLElement, IdeaBankSettings<ChangelogLabel> {
  /** How many entries are new since the visitor looked last. */
  readonly count: number;
}

export interface IdeaBankBoard extends HTMLElement, IdeaBankSettings<BoardLabel> {}

export interface IdeaBankLauncher extends HTMLElement {
  labels: Labels<LauncherLabel>;
  open(): void;
  close(): void;
}

export type ChangelogCountEvent = CustomEvent<{ readonly count: number }>;
export type SignedOutEvent = CustomEvent<{ readonly error: "not-signed-in" | "unauthorized" }>;

/** What is an attribute and no property. */
export interface IdeaBankAttributes {
  "heading-level"?: 1 | 2 | 3 | 4;
  /** Of the board. */
  proposal?: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "idea-bank-changelog": IdeaBankChangelog;
    "idea-bank-board": IdeaBankBoard;
    "idea-bank-launcher": IdeaBankLauncher;
  }
  interface HTMLElementEventMap {
    "changelog-count": ChangelogCountEvent;
    "signed-out": SignedOutEvent;
  }
}
