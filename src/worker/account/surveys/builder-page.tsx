/** What the two pages with the form of a survey share: the boards and ideas that it offers, and the answer to its own buttons. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { BANKS_AT_MOST, listQueue, loadQueued, OPEN } from "../../database/proposals/queue.ts";
import { hashOf } from "../../http/hash-of.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { NewSurvey, type Survey } from "../../model/survey.ts";
import type { Questions } from "../../model/survey-answers.ts";
import { newQuestions } from "../../model/survey-question.ts";
import { openOwn } from "../account-databases.ts";
import type { SentForm } from "../frame/page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import type { AskableIdea, BuilderProps } from "./builder.tsx";
import { toQuestions, toSettings } from "./survey-fields.ts";

/** More are reached from the page of the idea. */
const IDEAS_AT_MOST = 20;

type Found = Pick<BuilderProps, "boards" | "ideas">;

/** The newest boards, and the most voted open ideas of the chosen one. Without a choice it is the newest. */
export async function loadChoices(
  c: Context<OwnerEnv>,
  chosen: { readonly board: string | null; readonly idea: string | null },
): Promise<Found & { readonly board: IdeaBank | undefined }> {
  const { session, accountId } = await openOwn(c);
  const listing = listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } });
  const ideaBankIds = chosen.board ? [chosen.board] : (await listing).items.slice(0, 1).map(({ id }) => id);
  const [{ items }, own, top, audience] = await Promise.all([
    listing,
    chosen.board ? loadIdeaBank(session, accountId, chosen.board) : null,
    listQueue(
      session,
      { accountId, ideaBankIds },
      { status: OPEN, visibility: undefined, tag: undefined, sort: "top" },
      { limit: IDEAS_AT_MOST, after: undefined },
    ),
    chosen.idea ? loadQueued(session, { accountId, ids: [chosen.idea] }) : [],
  ]);
  const boards = own && !items.some(({ id }) => id === own.id) ? [own, ...items] : items;
  const others = audience.filter(({ id }) => !top.items.some((idea) => idea.id === id));
  return { boards, board: own ?? boards[0], ideas: [...others, ...top.items].map(toAskable) };
}

const toAskable = ({ id, title, votes }: AskableIdea): AskableIdea => ({ id, title, votes });

export const hashOfQuestions = (questions: Questions): Promise<string> => hashOf(JSON.stringify(questions));

/** The settings with which the form was opened. The questions are compared as one. */
const wasOf = (fields: URLSearchParams): string =>
  new URLSearchParams([...fields].filter(([name]) => !name.includes(":") && name !== "question")).toString();

/** The form as it is shown, with what it offers. */
export async function loadBuilder(
  c: Context<OwnerEnv>,
  { fields, errors }: SentForm,
  { survey, focus }: { readonly survey: Survey | undefined; readonly focus: string | undefined },
): Promise<BuilderProps> {
  const { boards, ideas } = await loadChoices(c, { board: fields.get("ideaBankId"), idea: fields.get("audience") });
  return {
    ...{ fields, errors, focus, boards, ideas, survey },
    was: fields.get("was") ?? wasOf(fields),
    ...(fields.has("previewed") && previewOf(fields)),
    opened: fields.get("opened") ?? (await hashOfQuestions(survey?.questions ?? [])),
  };
}

/** The survey as it is typed. A question that could not be saved is no question that can be read. */
function previewOf(fields: URLSearchParams): Pick<BuilderProps, "preview" | "readable"> {
  const questions = toQuestions(fields);
  const read = newQuestions().safeParse(questions);
  return { preview: { ...toSettings(fields), questions }, readable: read.success ? read.data : [] };
}

/** The survey of the form. Throws `invalid-request`. */
export const parseSurvey = (fields: URLSearchParams): NewSurvey =>
  parseOrThrow(NewSurvey, { ...toSettings(fields), questions: toQuestions(fields) });
