/** `/account/surveys/{id}/responses.csv`: a line for each response, with the filter of the results. */
import { listResponses } from "../../database/surveys/survey-responses.ts";
import { invalid } from "../../http/invalid-request.ts";
import { Problem } from "../../problem.ts";
import { FIRST_LINES, responsesFile } from "../../surveys/survey-answers-file.ts";
import { openOwn } from "../account-databases.ts";
import { beginExport } from "../frame/begin-export.ts";
import { orNotFound } from "../frame/decide.ts";
import { file } from "../frame/page.tsx";
import { filterOf } from "./asked-filter.tsx";
import { SURVEY, surveyIdOf } from "./survey-nav.tsx";

export const SURVEY_RESPONSES_CSV = file(`${SURVEY}/responses.csv`, async (c) => {
  const surveyId = surveyIdOf(c);
  const { session, accountId } = await openOwn(c);
  const key = c.req.query("only") || undefined;
  const wanted = { accountId, surveyId, key, request: FIRST_LINES };
  const first = orNotFound(await listResponses(session, wanted));
  const { anonymous, questions } = first.survey;
  if (anonymous)
    throw new Problem("conflict", { detail: "This survey is anonymous: there’s no list of who answered what." });
  // A file of everybody must not be taken for one of some.
  if (key !== undefined && filterOf(key, questions) === undefined)
    throw invalid([{ path: "only", message: "is no answer of this survey" }]);
  await beginExport(c, "responses", { filter: key === undefined ? "" : "only=…", rows: first.survey.responses });
  const { body, headers } = responsesFile(session, wanted, first, true);
  return c.body(body, 200, headers);
});
