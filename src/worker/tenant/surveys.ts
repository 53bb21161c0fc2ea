/** `/tenant/surveys`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createSurvey, deleteSurvey, listSurveys, loadSurvey, updateSurvey } from "../database/surveys.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_SURVEY_OPERATIONS } from "./operations/surveys.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

export const TENANT_SURVEY_HANDLERS: TenantHandlers<typeof TENANT_SURVEY_OPERATIONS> = {
  listSurveys: async (c, { session, accountId, page }) => respondPage(c, await listSurveys(session, accountId, page)),

  createSurvey: async (c, { session, accountId, body, now, idempotencyKey }) => {
    const id = createId(accountId, secureRandomBytes);
    return respondCreated(c, await createSurvey(session, accountId, id, body, now, idempotencyKey), (survey) => survey);
  },

  getSurvey: async (c, { session, accountId, ids }) =>
    c.json(owned(await loadSurvey(session, accountId, ids.surveyId))),

  updateSurvey: async (c, { session, accountId, ids, body, now }) =>
    c.json(owned(await updateSurvey(session, accountId, ids.surveyId, body, now))),

  deleteSurvey: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteSurvey(session, accountId, ids.surveyId)),
};
