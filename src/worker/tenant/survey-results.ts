/** What a survey's responses say: results, responses, texts, a CSV file. */
import type { Context } from "hono";
import type * as z from "zod/mini";
import {
  listResponses,
  listResponsesOf,
  listTexts,
  loadMatchingResults,
  loadResults,
} from "../database/surveys/survey-responses.ts";
import { invalid, parseOrThrow } from "../http/invalid-request.ts";
import { respondPage } from "../http/pagination.ts";
import { readParameters } from "../http/query.ts";
import { PageQuery } from "../model/pagination.ts";
import { hasTexts, resultsOf } from "../model/survey-answers.ts";
import {
  CsvQuery,
  PersonResponse,
  ResponseQuery,
  ResultQuery,
  SurveyResponse,
  SurveyResults,
  SurveyText,
  TextQuery,
} from "../model/survey-response.ts";
import { Problem } from "../problem.ts";
import { FIRST_LINES, keyOf, requireAnswer, responsesFile } from "../surveys/survey-answers-file.ts";
import { type TenantEnv, tenantOperations } from "./operation.ts";
import { owned } from "./refuse-foreign.ts";
import { isAnonymous, SURVEY_TAG } from "./surveys.ts";

const SURVEY = "/tenant/surveys/{surveyId}";
const operation = tenantOperations(SURVEY_TAG);

const readOptions = <Schema extends z.ZodMiniType>(c: Context<TenantEnv>, schema: Schema) =>
  parseOrThrow(schema, readParameters(c, schema, false));

export const SURVEY_RESULT_OPERATIONS = {
  getSurveyResults: operation({
    method: "GET",
    effect: "reads",
    path: `${SURVEY}/results`,
    scope: "surveys:read",
    options: ResultQuery,
    answer: SurveyResults,
    problems: ["conflict"],
    summary: "Read a survey's results",
    description:
      "For each question how many answered, skipped and did not see it; for each option and each point how many chose it; means and the Net Promoter Score. " +
      "With `question`, only those who gave this answer. An anonymous survey has such a part only once it is closed, and only if each answer to its question has none or at least five people in it, and outside it.",
    handle: async (c, { session, accountId, ids }) => {
      const filter = readOptions(c, ResultQuery);
      const own = { accountId, surveyId: ids.surveyId };
      const key = keyOf(filter);
      const found = owned(
        await (key === undefined ? loadResults(session, own) : loadMatchingResults(session, { ...own, key })),
      );
      requireAnswer(filter, found.survey.questions);
      if (key !== undefined && found.survey.anonymous && !found.survey.isClosed)
        throw new Problem("conflict", {
          detail: "An anonymous survey shows the answers of some only once it is closed.",
        });
      if (found.tooFew)
        throw new Problem("conflict", {
          detail: found.complete
            ? "Some answer to this question was given by fewer than five people, or not given by fewer than five. So few are not shown."
            : "An anonymous survey with more than 5,000 responses has no parts: among the newest somebody could be told apart.",
        });
      const { responses, shown, complete, totals, survey } = found;
      return c.json({ responses, shown, complete, questions: resultsOf(survey.questions, totals, shown) });
    },
  }),

  listSurveyResponses: operation({
    method: "GET",
    effect: "reads",
    path: `${SURVEY}/responses`,
    scope: "surveys:read",
    query: ResponseQuery,
    answer: SurveyResponse,
    problems: ["conflict"],
    summary: "List a survey's responses",
    description:
      "Newest first. With `question`, a page looks at the next 5,000 responses, so it can be short and be followed by another. 409 for an anonymous survey.",
    handle: async (c, { session, accountId, ids, query, page }) => {
      const own = { accountId, surveyId: ids.surveyId };
      const { survey, page: found } = owned(await listResponses(session, { ...own, key: keyOf(query), request: page }));
      requireAnswer(query, survey.questions);
      if (survey.anonymous) throw isAnonymous();
      return respondPage(c, found);
    },
  }),

  listResponsesOfPanelist: operation({
    method: "GET",
    effect: "reads",
    path: "/tenant/panelists/{panelistId}/responses",
    scope: "surveys:read",
    query: PageQuery,
    answer: PersonResponse,
    summary: "List what a panelist has answered",
    description: "Newest first, without anonymous surveys. For a copy of what you know of one person.",
    handle: async (c, { session, accountId, ids: { panelistId }, page: request }) =>
      respondPage(c, owned(await listResponsesOf(session, { accountId, panelistId, request }))),
  }),

  listSurveyTexts: operation({
    method: "GET",
    effect: "reads",
    path: `${SURVEY}/texts`,
    scope: "surveys:read",
    query: TextQuery,
    answer: SurveyText,
    summary: "List the texts of a question",
    description:
      "Answers to a text question, or what was written instead of an option. Newest first; of an anonymous survey in a random order of their own.",
    handle: async (c, { session, accountId, ids, query: { question: id, q }, page }) => {
      const own = { accountId, surveyId: ids.surveyId };
      const { survey, page: found } = owned(await listTexts(session, { ...own, question: id, q, request: page }));
      const withTexts = survey.questions.filter(hasTexts).map((question) => question.id);
      if (!withTexts.includes(id))
        throw invalid([
          {
            path: "question",
            message: `must be a question with texts${withTexts.length > 0 ? `: ${withTexts.join(", ")}` : ", and there is none"}`,
          },
        ]);
      return respondPage(c, found);
    },
  }),

  downloadSurveyResponses: operation({
    method: "GET",
    effect: "reads",
    path: `${SURVEY}/responses.csv`,
    scope: "surveys:read",
    options: CsvQuery,
    csv: true,
    forAgents: "never",
    problems: ["conflict"],
    summary: "Download a survey's responses as CSV",
    description:
      "Columns in the order of the questions, one for each option of `choices`, all of them even if empty. Times are UTC. A text that a spreadsheet would take for a formula begins with `'`. 409 for an anonymous survey.",
    handle: async (c, { session, accountId, ids }) => {
      const { labels, ...filter } = readOptions(c, CsvQuery);
      const key = keyOf(filter);
      const wanted = { accountId, surveyId: ids.surveyId, key, request: FIRST_LINES };
      const first = owned(await listResponses(session, wanted));
      const { questions, anonymous } = first.survey;
      requireAnswer(filter, questions);
      if (anonymous) throw isAnonymous();
      const { body, headers } = responsesFile(session, wanted, first, labels === "true");
      return c.body(body, 200, headers);
    },
  }),
};
