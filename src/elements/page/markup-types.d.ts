/** What `#markup` exports, for the Worker, which has no types of a document. markup.ts takes its own types from here. */
import type { Changelog } from "../../worker/model/changelog.ts";
import type { Capabilities } from "../../worker/model/idea-bank.ts";
import type { PanelistComment, PanelistProposal } from "../../worker/model/panelist-proposal.ts";
import type { Questions } from "../../worker/model/survey-answers.ts";

type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string | undefined };

type Common = {
  /** A language of the elements: `en`, or one of `LANGUAGES`. */
  readonly lang: string;
  /** Of the element's own heading. */
  readonly headingLevel: number;
};
type OfIdeas = Common & {
  /** `capabilities` are what a signed-in person may do: that is what is shown. */
  readonly access: { readonly name: string; readonly capabilities: Capabilities };
  readonly ideaHref: (id: string) => string;
};

/** The children of `<idea-bank-board>`. */
export declare const boardMarkup: (
  page: OfIdeas & { readonly page: Page<PanelistProposal>; readonly moreHref: string | undefined },
) => string;

/** The children of `<idea-bank-board proposal="…">`. `moreHref` leads to more comments. */
export declare const ideaMarkup: (
  page: OfIdeas & {
    readonly idea: PanelistProposal;
    readonly comments: Page<PanelistComment>;
    readonly backHref: string;
    readonly moreHref: string | undefined;
  },
) => string;

/** The children of `<idea-bank-roadmap>`: planned, in progress, implemented. */
export declare const roadmapMarkup: (
  page: OfIdeas & {
    readonly columns: readonly Page<PanelistProposal>[];
    readonly moreHrefOf: (status: string, cursor: string) => string;
  },
) => string;

/** The children of `<idea-bank-changelog>`. */
export declare const changelogMarkup: (
  page: Common & {
    readonly changelog: Changelog;
    /** Not the recent entries, but older ones. */
    readonly isOlder: boolean;
    readonly moreHref: string | undefined;
  },
) => string;

/** The children of `<idea-bank-survey survey="…">`: the questions, to read. */
export declare const surveyMarkup: (
  page: Common & {
    readonly survey: { readonly title: string; readonly description: string; readonly questions: Questions };
  },
) => string;

/** The style sheet of each. */
export declare const pageStyles: Readonly<Record<PageElement, string>>;

/** The words of an element, so that it need not ask for them; undefined in English, which is in its script. */
export declare function translationFor(lang: string, element: PageElement): object | undefined;

type PageElement = "board" | "roadmap" | "changelog" | "survey";
