/** What is the same on all pages of one request. */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import type { Brand } from "../model/brand.ts";
import type { IdeaBankState } from "../model/idea-bank.ts";
import { type Language, languageOf, preferredLanguage } from "../model/language.ts";
import { ideaPathOf, pagePathOf, partPathOf } from "../model/page-path.ts";
import { pagesOriginOf } from "../model/pages-origin.ts";
import type { OpenPage } from "./open-page.ts";
import { type Say, wordsOf } from "./words.ts";

/** What a board has: each part is a tab. */
export type Part = "ideas" | "roadmap" | "changelog" | "surveys";

export type ElementName = "board" | "roadmap" | "changelog" | "survey";

/** `named`: the language stands in the address, so the answer is the same for everybody, and links keep it. */
export type Spoken = { readonly language: Language; readonly named: boolean; readonly say: Say };

export type Frame = Spoken & {
  readonly id: string;
  readonly board: Pick<IdeaBankState, "name" | "description" | "hiddenFromSearch">;
  readonly brand: Brand;
  /** `https://…`, without a path. */
  readonly origin: string;
  readonly tabs: readonly Part[];
  /** Somebody can sign in here. */
  readonly hasSignIn: boolean;
  /** What stands on the page; nothing on a list of surveys. */
  readonly element?: ElementName;
  /** Nothing in it acts or leads anywhere. */
  readonly isPreview?: boolean;
};

export function spokenIn(c: Context<AppEnv>): Spoken {
  const asked = languageOf(c.req.query("lang"));
  const language = asked ?? preferredLanguage(c.req.header("Accept-Language"));
  return { language, named: asked !== undefined, say: wordsOf(language) };
}

/** `hasSurveys`: one is open. */
export function frameOf(c: Context<AppEnv>, page: OpenPage, hasSurveys: boolean): Frame {
  const { id, ideaBank } = page;
  return {
    ...spokenIn(c),
    id,
    board: ideaBank,
    brand: c.get("settings").brand,
    origin: pagesOriginOf(c.env, c.req.url),
    tabs: tabsOf(page, hasSurveys),
    hasSignIn: waysToSignIn(c, ideaBank).length > 0,
  };
}

const tabsOf = ({ visitor, capabilities }: OpenPage, hasSurveys: boolean): readonly Part[] => [
  ...(visitor.canViewProposals ? (["ideas", "roadmap"] as const) : []),
  ...(visitor.canViewChangelog ? (["changelog"] as const) : []),
  ...(capabilities.canAnswerSurveys && hasSurveys ? (["surveys"] as const) : []),
];

/** How people sign in on the page. Mail needs what notices need; a way that is not set up is none. */
export const waysToSignIn = (
  { env }: Pick<Context<AppEnv>, "env">,
  { emailSignIn, signInUrl }: Pick<IdeaBankState, "emailSignIn" | "signInUrl">,
): readonly ("email" | "elsewhere")[] => [
  ...(emailSignIn && env.NOTICES !== undefined && env.NOTICES_FROM ? (["email"] as const) : []),
  ...(signInUrl === null ? [] : (["elsewhere"] as const)),
];

type Placed = Pick<Frame, "id" | "board" | "tabs">;

/** The first tab is the page itself. */
export const partPath = ({ id, board, tabs }: Placed, part: Part): string =>
  part === tabs[0] ? pagePathOf({ id, name: board.name }) : partPathOf({ id, name: board.name }, part);

/** A link within the page, which keeps the language that the address names. */
export const linkTo = ({ named, language }: Spoken, path: string, query: Readonly<Record<string, string>> = {}) => {
  const parameters = new URLSearchParams({ ...query, ...(named && { lang: language }) }).toString();
  return parameters === "" ? path : `${path}?${parameters}`;
};

export const ideaLink = (frame: Frame, proposalId: string): string =>
  linkTo(frame, ideaPathOf({ id: frame.id, name: frame.board.name }, proposalId));
