/** `/tenant/surveys`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createSurvey, deleteSurvey, listSurveys, loadSurvey, updateSurvey } from "../database/surveys.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { PageQuery } from "../model/pagination.ts";
import { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { tenantOperations } from "./operation.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

const SURVEYS = "/tenant/surveys";
const SURVEY = `${SURVEYS}/{surveyId}`;

const operation = tenantOperations({ name: "Surveys", description: "The surveys of your account." });

export const SURVEY_OPERATIONS = {
  listSurveys: operation({
    method: "GET",
    effect: "reads",
    path: SURVEYS,
    scope: "surveys:read",
    query: PageQuery,
    answer: Survey,
    summary: "List surveys",
    description: "Newest first.",
    handle: async (c, { session, accountId, page }) => respondPage(c, await listSurveys(session, accountId, page)),
  }),

  createSurvey: operation({
    method: "POST",
    effect: "adds",
    path: SURVEYS,
    scope: "surveys:write",
    body: NewSurvey,
    answer: Survey,
    summary: "Create a survey",
    handle: async (c, { session, accountId, body, now, idempotencyKey }) => {
      const id = createId(accountId, secureRandomBytes);
      return respondCreated(c, {
        result: await createSurvey(session, { accountId, id, input: body, now, idempotencyKey }),
        toBody: (survey) => survey,
      });
    },
  }),

  getSurvey: operation({
    method: "GET",
    effect: "reads",
    path: SURVEY,
    scope: "surveys:read",
    answer: Survey,
    summary: "Read a survey",
    handle: async (c, { session, accountId, ids }) => c.json(owned(await loadSurvey(session, accountId, ids.surveyId))),
  }),

  updateSurvey: operation({
    method: "PATCH",
    effect: "overwrites",
    path: SURVEY,
    scope: "surveys:write",
    body: SurveyChanges,
    answer: Survey,
    summary: "Change a survey",
    description: "Fields that are not sent stay as they are.",
    handle: async (c, { session, accountId, ids, body, now }) =>
      c.json(owned(await updateSurvey(session, { accountId, id: ids.surveyId, changes: body, now }))),
  }),

  deleteSurvey: operation({
    method: "DELETE",
    effect: "ends",
    path: SURVEY,
    scope: "surveys:write",
    summary: "Delete a survey",
    handle: async (c, { session, accountId, ids, idempotencyKey }) =>
      respondDeleted(c, await deleteSurvey(session, { accountId, id: ids.surveyId, idempotencyKey })),
  }),
};
