/** `/tenant/surveys`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  createSurvey,
  deleteSurvey,
  listSurveys,
  loadStoredSurvey,
  loadSurvey,
  updateSurvey,
} from "../database/surveys.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { defineVersion, respondVersion } from "../http/versions.ts";
import { PageQuery } from "../model/pagination.ts";
import { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { tenantOperations } from "./operation.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

const SURVEYS = "/tenant/surveys";
const SURVEY = `${SURVEYS}/{surveyId}`;

const version = defineVersion(Survey, SurveyChanges, (session, accountId, { surveyId = "" }) =>
  loadStoredSurvey(session, accountId, surveyId),
);

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
    version,
    summary: "Create a survey",
    handle: async (c, { session, accountId, body, now, idempotencyKey }) => {
      const id = createId(accountId, secureRandomBytes);
      return respondCreated(c, {
        result: await createSurvey(session, { accountId, id, input: body, now, idempotencyKey }),
        toBody: (survey) => survey,
        version,
      });
    },
  }),

  getSurvey: operation({
    method: "GET",
    effect: "reads",
    path: SURVEY,
    scope: "surveys:read",
    answer: Survey,
    version,
    summary: "Read a survey",
    handle: async (c, { session, accountId, ids }) =>
      respondVersion(c, version, owned(await loadSurvey(session, accountId, ids.surveyId))),
  }),

  updateSurvey: operation({
    method: "PATCH",
    effect: "overwrites",
    path: SURVEY,
    scope: "surveys:write",
    body: SurveyChanges,
    answer: Survey,
    version,
    summary: "Change a survey",
    description: "Fields that are not sent stay as they are.",
    handle: async (c, { session, accountId, ids, body, now, precondition }) => {
      const { seen } = precondition;
      const survey = await updateSurvey(session, { accountId, id: ids.surveyId, changes: body, now, seen });
      return respondVersion(c, version, owned(survey, precondition));
    },
  }),

  deleteSurvey: operation({
    method: "DELETE",
    effect: "ends",
    path: SURVEY,
    scope: "surveys:write",
    version,
    summary: "Delete a survey",
    handle: async (c, { session, accountId, ids, idempotencyKey, precondition }) => {
      const { seen } = precondition;
      const deleted = await deleteSurvey(session, { accountId, id: ids.surveyId, seen, idempotencyKey });
      return respondDeleted(c, deleted, precondition);
    },
  }),
};
