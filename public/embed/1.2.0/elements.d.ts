/** The types of the idea bank elements 1.2.0. */

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
  | "service-unavailable"
  | "failed"
  | "title"
  | "new"
  | "newCount"
  | "loaded"
  | "empty"
  | "idea-bank-not-found"
  | "more"
  | "less"
  | "older"
  | "notFound";
export type BoardLabel =
  | "loading"
  | "retry"
  | "not-signed-in"
  | "signIn"
  | "unauthorized"
  | "offline"
  | "too-many-requests"
  | "service-unavailable"
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
  | "someIdeas"
  | "bestIdeas"
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
  | "earlierComments"
  | "newestFirst"
  | "newestComment"
  | "follow"
  | "following"
  | "followed"
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
  | "draft"
  | "unsent"
  | "copyText"
  | "textCopied"
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
  | "noPictures"
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
  | "voteQuestion"
  | "textQuestion"
  | "yes"
  | "capability-closed"
  | "forbidden"
  | "conflict"
  | "changed"
  | "unanswered"
  | "proposal-not-found"
  | "comment-not-found"
  | "repeated-comment"
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
export type SurveyLabel =
  | "loading"
  | "retry"
  | "not-signed-in"
  | "signIn"
  | "unauthorized"
  | "offline"
  | "too-many-requests"
  | "service-unavailable"
  | "failed"
  | "title"
  | "idea-bank-not-found"
  | "survey-not-found"
  | "empty"
  | "answered"
  | "sign-in-required"
  | "signInHere"
  | "questions"
  | "closes"
  | "anonymousSurvey"
  | "progress"
  | "answeredOf"
  | "required"
  | "next"
  | "back"
  | "send"
  | "notNow"
  | "answer"
  | "clear"
  | "other"
  | "otherText"
  | "atLeast"
  | "atMost"
  | "keysChoose"
  | "keysType"
  | "keysLong"
  | "missing"
  | "missingOther"
  | "tooLong"
  | "tooMuch"
  | "check"
  | "thanks"
  | "answeredOn"
  | "change"
  | "cancel"
  | "delete"
  | "deleteQuestion"
  | "keep"
  | "deleted"
  | "nextSurvey"
  | "answeredMeanwhile"
  | "sentBefore"
  | "here"
  | "keepSent"
  | "sendHere"
  | "noAnswer"
  | "conflict"
  | "yourAnswers"
  | "copy"
  | "copied";
export type LauncherLabel =
  | "idea-bank-changelog"
  | "idea-bank-board"
  | "idea-bank-roadmap"
  | "idea-bank-survey"
  | "newCount"
  | "surveyCount"
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
  /** Brings an entry into view. `lastModified` is in Unix seconds. */
  open(entry: { readonly title: string; readonly lastModified: number }): void;
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

export interface IdeaBankSurvey extends HTMLElement, IdeaBankSettings<SurveyLabel> {
  /** The number of surveys that are left to answer. */
  readonly count: number;
  /** A survey to try, as `POST /tenant/surveys` takes it. Nothing is sent or kept. */
  preview: object | undefined;
}

export interface IdeaBankLauncher extends HTMLElement {
  labels: Labels<LauncherLabel>;
  open(options?: OpenOptions): void;
  close(): void;
}

export type ChangelogCountEvent = CustomEvent<{ readonly count: number }>;
export type SurveyCountEvent = CustomEvent<{ readonly count: number }>;
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
  /** Back closes what is open on the board and the roadmap. Ideas, comments and entries of the changelog have addresses. */
  history?: boolean;
  /** Of the board and the roadmap: the address of an idea's own page, with `{idea}` in the place of its identifier. */
  "idea-url"?: string;
  /** Of the board and the roadmap: where the list is. */
  "home-url"?: string;
  /** Of the survey: which one. Without it the first open one that is not answered. */
  survey?: string;
  /** Of the survey. */
  layout?: "steps" | "all";
}

export type IdeaSubmittedEvent = CustomEvent<{ readonly id: string; readonly title: string }>;
export type VotedEvent = CustomEvent<{
  readonly id: string;
  readonly title: string;
  readonly voted: boolean;
  readonly votes: number;
}>;
export type CommentedEvent = CustomEvent<{ readonly id: string; readonly title: string; readonly comment: string }>;
/** `survey` is there if a survey asks. */
export type SignInEvent = CustomEvent<{ readonly proposal: string | null; readonly survey?: string }>;
export type SurveyAnsweredEvent = CustomEvent<{ readonly surveyId: string }>;

/** All of them bubble, also out of shadow roots. */
export interface IdeaBankEvents {
  "changelog-count": ChangelogCountEvent;
  "survey-count": SurveyCountEvent;
  "survey-answered": SurveyAnsweredEvent;
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
    "idea-bank-survey": IdeaBankSurvey;
  }
  interface HTMLElementEventMap extends IdeaBankEvents {}
  interface DocumentEventMap extends IdeaBankEvents {}
  interface WindowEventMap extends IdeaBankEvents {}
}
