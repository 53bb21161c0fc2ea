/** The types of the elements, served beside their scripts: for any page in TypeScript, and for JSX in React. */

import { ROADMAP_LABELS } from "../../elements/roadmap/labels.ts";
import { ELEMENTS_VERSION } from "../../elements/version.ts";
import { LABELS } from "./elements-reference.ts";

const union = (labels: object = {}) =>
  Object.keys(labels)
    .map((name) => `\n  | ${JSON.stringify(name)}`)
    .join("");

const types = () => `/** The types of the idea bank elements ${ELEMENTS_VERSION}. */

/** One text, or one for each plural category of the language; \`{count}\` stands for the number. */
export type Label = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** An error's label has the name of the API's \`error\`, which has a hyphen. */
type Labels<Name extends string> = Partial<Record<Name | \`\${string}-\${string}\`, Label>>;

export type ChangelogLabel =${union(LABELS["idea-bank-changelog"])};
export type BoardLabel =${union(LABELS["idea-bank-board"])};
/** And every label of the board. */
export type RoadmapLabel =
  | BoardLabel${union(ROADMAP_LABELS)};
export type SurveyLabel =${union(LABELS["idea-bank-survey"])};
export type LauncherLabel =${union(LABELS["idea-bank-launcher"])};

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
  /** Brings an entry into view. \`lastModified\` is in Unix seconds. */
  open(entry: { readonly title: string; readonly lastModified: number }): void;
}

/** \`title\` is for the form. */
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
  /** A survey to try, as \`POST /tenant/surveys\` takes it. Nothing is sent or kept. */
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
  /** The address where the page signs visitors in; \`{page}\` stands for its address. */
  "sign-in-url"?: string;
  "heading-level"?: 1 | 2 | 3 | 4;
  theme?: "auto" | "light" | "dark";
  /** Of the board and the roadmap. */
  proposal?: string;
  /** Back closes what is open on the board and the roadmap. Ideas, comments and entries of the changelog have addresses. */
  history?: boolean;
  /** Of the board and the roadmap: the address of an idea's own page, with \`{idea}\` in the place of its identifier. */
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
/** \`survey\` is there if a survey asks. */
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
`;

const reactTypes =
  () => `/** The idea bank elements ${ELEMENTS_VERSION} in JSX, for React 19 and later. Needs elements.d.ts beside it. */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type {
  BoardLabel,
  ChangelogCountEvent,
  ChangelogLabel,
  IdeaBankAttributes,
  IdeaBankBoard,
  IdeaBankChangelog,
  IdeaBankLauncher,
  IdeaBankRoadmap,
  IdeaBankSettings,
  IdeaBankSurvey,
  RoadmapLabel,
  SignedOutEvent,
  SurveyAnsweredEvent,
  SurveyCountEvent,
  SurveyLabel,
} from "./elements.d.ts";

type Html<Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element>;
type Loading<Element, Label extends string> = Html<Element> &
  Partial<Omit<IdeaBankSettings<Label>, "restart">> &
  IdeaBankAttributes & { "onsigned-out"?: (event: SignedOutEvent) => void };

type BoardAttributes = "proposal" | "history" | "idea-url" | "home-url";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "idea-bank-changelog": Omit<
        Loading<IdeaBankChangelog, ChangelogLabel>,
        Exclude<BoardAttributes, "history"> | "survey" | "layout"
      > & {
        "onchangelog-count"?: (event: ChangelogCountEvent) => void;
      };
      "idea-bank-board": Omit<Loading<IdeaBankBoard, BoardLabel>, "survey" | "layout">;
      "idea-bank-roadmap": Omit<Loading<IdeaBankRoadmap, RoadmapLabel>, "survey" | "layout">;
      "idea-bank-survey": Omit<Loading<IdeaBankSurvey, SurveyLabel>, BoardAttributes> & {
        preview?: object;
        "onsurvey-count"?: (event: SurveyCountEvent) => void;
        "onsurvey-answered"?: (event: SurveyAnsweredEvent) => void;
      };
      "idea-bank-launcher": Html<IdeaBankLauncher> &
        Partial<Pick<IdeaBankLauncher, "labels">> & { label?: string; inline?: boolean };
    }
  }
}
`;

/** The text of each file, by its name. */
export const elementTypes = (): ReadonlyMap<string, string> =>
  new Map([
    ["elements.d.ts", types()],
    ["elements-react.d.ts", reactTypes()],
  ]);
