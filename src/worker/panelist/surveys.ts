/** `/surveys`: what a panelist may answer, and the own responses. */
import type { Context } from "hono";
import type { VerifiedToken } from "../credentials/compound-token.ts";
import { newRevision } from "../credentials/revision.ts";
import {
  deleteResponse,
  type KnownSurvey,
  listOpenSurveys,
  loadSurveyFor,
  panelistAuthor,
  putResponse,
  type SeenSurvey,
  type Who,
} from "../database/surveys/panelist-surveys.ts";
import type { AppEnv } from "../http/app-env.ts";
import { notAsSeen } from "../http/etag.ts";
import { invalid } from "../http/invalid-request.ts";
import { countedOf, type Fault, textsOf } from "../model/survey-answers.ts";
import {
  judgeAnswers,
  type OpenSurvey,
  OpenSurveys,
  OwnResponse,
  PanelistSurvey,
  ResponseBody,
} from "../model/survey-response.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";
import { type KnownSurveys, respondentsOf, whoAnswers } from "../view/known-surveys.ts";
import { participation, type Surface } from "./operation.ts";

const SURVEYS = "/surveys";
const SURVEY = `${SURVEYS}/{surveyId}` as const;
const RESPONSE = `${SURVEY}/response` as const;

const SURVEYS_SURFACE: Surface = { capability: "canAnswerSurveys", closed: "idea-bank-not-found" };
/** Closed, a draft, another idea bank's, not for this person and missing are one answer. */
const SURVEY_SURFACE: Surface = { capability: "canAnswerSurveys", closed: "survey-not-found" };
const SURVEY_PROBLEMS = ["too-many-requests", "survey-not-found"] as const;

const DAY = 86_400_000;
/** How often an answer is judged anew because the survey has changed in between. */
const ATTEMPTS = 3;

const toOpen = ({ id, title, description, questions, anonymous, closesAt, response }: SeenSurvey): OpenSurvey => ({
  ...{ id, title, description, questions: questions.length, anonymous, closesAt },
  answered: response !== null,
});

const toShown = ({ answerable, revision, salt, ...survey }: SeenSurvey) => survey;

/** The survey if it can be answered now. Throws `survey-not-found`. */
function open(survey: SeenSurvey | null): SeenSurvey {
  if (survey === null || !survey.answerable) throw new Problem("survey-not-found");
  return survey;
}

/** Whether the survey has changed since it was known, so that its answers are to be judged, and found, anew. */
const isNewer = (survey: SeenSurvey | null, known: KnownSurvey | null): survey is SeenSurvey =>
  survey !== null && survey.revision !== known?.revision;

/** Whose response cannot be told. */
const NOBODY: Who = { respondent: "", places: undefined };

/** The revision in `If-Match`, or `*`; null for `If-None-Match: *`; undefined without either. */
function readMatch(c: Context<AppEnv>): string | null | undefined {
  if (c.req.header("If-None-Match")?.trim() === "*") return null;
  const match = c.req.header("If-Match")?.trim();
  return match === undefined ? undefined : match.replace(/^W\//, "").replaceAll('"', "");
}

/** Reads the survey, and once more where the person's hash needs a salt that was not known. */
async function load(session: Session, token: VerifiedToken, surveyId: string, surveys: KnownSurveys) {
  const { ideaBankId, panelistId } = token;
  const hashes = await surveys.respondents(ideaBankId, panelistId);
  const respondent = hashes.find((each) => each.surveyId === surveyId)?.respondent;
  const found = await loadSurveyFor(session, token, { surveyId, respondent });
  if (found.survey === null) return found;
  surveys.note(ideaBankId, [found.survey]);
  if (respondent !== undefined) return found;
  const [own] = await respondentsOf([found.survey], panelistId);
  return own === undefined ? found : loadSurveyFor(session, token, own);
}

export const SURVEY_OPERATIONS = {
  listOpenSurveys: participation({
    method: "GET",
    effect: "reads",
    path: SURVEYS,
    capability: "canAnswerSurveys",
    surface: SURVEYS_SURFACE,
    answer: OpenSurveys,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "List the surveys that can be answered",
    description:
      "What this person may answer now, or has answered and may change, newest first. At most 20 surveys of an idea bank are open.",
    handle: async (c, { session, token, surveys }) => {
      const { ideaBankId, panelistId } = token;
      const hashes = await surveys.respondents(ideaBankId, panelistId);
      const found = await listOpenSurveys(session, token, hashes);
      surveys.note(ideaBankId, found.surveys);
      const own = await respondentsOf(found.surveys, panelistId);
      const isKnown = own.every(({ surveyId }) => hashes.some((hash) => hash.surveyId === surveyId));
      const { access, surveys: listed } = isKnown ? found : await listOpenSurveys(session, token, own);
      return { access, respond: () => c.json({ items: listed.map(toOpen) }) };
    },
  }),

  getOpenSurvey: participation({
    method: "GET",
    effect: "reads",
    path: SURVEY,
    capability: "canAnswerSurveys",
    surface: SURVEY_SURFACE,
    answer: PanelistSurvey,
    problems: SURVEY_PROBLEMS,
    summary: "Read a survey and one's own response",
    description: "With its questions. A visitor's token reads it, too; answering needs a panelist's.",
    handle: async (c, { session, token, ids, surveys }) => {
      const { access, survey } = await load(session, token, ids.surveyId, surveys);
      return { access, respond: () => c.json(toShown(open(survey))) };
    },
  }),

  answerSurvey: participation({
    method: "PUT",
    effect: "overwrites",
    path: RESPONSE,
    capability: "canAnswerSurveys",
    surface: SURVEY_SURFACE,
    body: ResponseBody,
    answer: OwnResponse,
    problems: [...SURVEY_PROBLEMS, "conflict", "precondition-failed", "quota-exceeded"],
    summary: "Answer a survey",
    description:
      "One response for each person: sending it again replaces it, and the same answers again change nothing. Only whole responses are stored: " +
      "an answer is needed for each required question that is shown. `If-None-Match: *` only answers for the first time, and `If-Match` with the " +
      "response's `ETag` only changes the response that you have seen. 409 if answers cannot be changed.",
    handle: async (c, { session, token, ids, body, now, surveys }) => {
      const { ideaBankId, panelistId } = token;
      const { surveyId } = ids;
      const match = readMatch(c);
      let known = surveys.get(ideaBankId, surveyId);
      for (let attempt = 1; ; attempt++) {
        if (known === undefined) {
          const { access, survey } = await load(session, token, surveyId, surveys);
          if (!survey?.answerable) return { access, respond: () => c.json(open(survey)) };
          known = survey;
        }
        const who = await whoAnswers(known, panelistId ?? "");
        const { answers, faults } = judgeAnswers(known.questions, body);
        if (who === undefined || faults.length > 0) {
          const { access, survey } = await load(session, token, surveyId, surveys);
          if (isNewer(survey, known) && attempt < ATTEMPTS) {
            known = survey;
            continue;
          }
          return { access, respond: () => refuse(survey, faults) };
        }
        const texts = textsOf(known.questions, answers);
        const { access, survey, written } = await putResponse(
          session,
          panelistAuthor(token, { anonymous: known.anonymous, now }),
          {
            ...{ known, who, answers, texts, match, counted: countedOf(known.questions, answers) },
            revision: newRevision(),
            now: known.anonymous ? now - (now % DAY) : now,
          },
        );
        if (survey !== null) surveys.note(ideaBankId, [survey]);
        if (!written && isNewer(survey, known) && attempt < ATTEMPTS) {
          known = survey;
          continue;
        }
        const respond = () => {
          // The last response of an anonymous survey has closed it.
          const { response, editable } = written && survey !== null ? survey : open(survey);
          const isSame = response !== null && JSON.stringify(response.answers) === JSON.stringify(answers);
          if (!isSame && !written) throw notWritten({ response, editable, match });
          c.header("ETag", `"${response?.revision}"`);
          return c.json(response);
        };
        return { access, respond };
      }
    },
  }),

  deleteResponse: participation({
    method: "DELETE",
    effect: "ends",
    path: RESPONSE,
    capability: "canAnswerSurveys",
    surface: SURVEY_SURFACE,
    problems: SURVEY_PROBLEMS,
    summary: "Take one's own response back",
    description:
      "Also after the close. Of an anonymous survey only until then: afterwards nobody can tell which response is whose. What the team has seen of " +
      "it goes with the next step of five.",
    handle: async (c, { session, token, ids, now, surveys }) => {
      const { ideaBankId, panelistId } = token;
      const { surveyId } = ids;
      let known: KnownSurvey | null | undefined = surveys.get(ideaBankId, surveyId);
      for (let attempt = 1; ; attempt++) {
        known ??= (await load(session, token, surveyId, surveys)).survey;
        const who = (known && (await whoAnswers(known, panelistId ?? ""))) ?? NOBODY;
        const { access, survey, deleted } = await deleteResponse(
          session,
          panelistAuthor(token, { anonymous: known?.anonymous ?? false, now }),
          { surveyId, revision: known?.revision ?? 0, who },
        );
        if (!deleted && isNewer(survey, known) && attempt < ATTEMPTS) {
          known = survey;
          continue;
        }
        const respond = () => {
          if (!deleted) open(survey);
          return c.body(null, 204);
        };
        return { access, respond };
      }
    },
  }),
};

function refuse(survey: SeenSurvey | null, faults: readonly Fault[]): never {
  open(survey);
  throw invalid(faults);
}

/** Why an answer was not stored although the survey is open. */
function notWritten({
  response,
  editable,
  match,
}: Pick<SeenSurvey, "response" | "editable"> & { readonly match: string | null | undefined }): Problem {
  if (match === null && response !== null) return notAsSeen(true);
  if (typeof match === "string" && (response === null || (match !== "*" && match !== response.revision)))
    return notAsSeen(false);
  if (response !== null && !editable)
    return new Problem("conflict", { detail: "Answers to this survey cannot be changed." });
  // Its last response has come, or it has changed again and again.
  return response === null
    ? new Problem("survey-not-found")
    : new Problem("service-unavailable", { headers: { "Retry-After": "1" } });
}
