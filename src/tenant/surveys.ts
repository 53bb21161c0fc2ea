/** `/tenant/surveys`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createSurvey, deleteSurvey, listSurveys, loadSurvey, updateSurvey } from "../database/surveys.ts";
import { owned, respondGone, respondPage } from "./answers.ts";
import { respondOnce } from "./idempotency-key.ts";
import type { OperationRouter } from "./operation-router.ts";
import { OPERATIONS } from "./operations.ts";

export function addSurveyRoutes(router: OperationRouter): void {
  router.on(OPERATIONS.listSurveys, async (c, { session, accountId, page }) =>
    respondPage(c, router.memory, await listSurveys(session, accountId, page)),
  );

  router.on(OPERATIONS.createSurvey, async (c, { session, accountId, body, now, retry }) => {
    const id = createId(secureRandomBytes);
    return respondOnce(c, await createSurvey(session, accountId, id, body, now, retry), (survey) => survey);
  });

  router.on(OPERATIONS.getSurvey, async (c, { session, accountId, ids }) =>
    c.json(owned(await loadSurvey(session, accountId, ids.surveyId))),
  );

  router.on(OPERATIONS.updateSurvey, async (c, { session, accountId, ids, body, now }) =>
    c.json(owned(await updateSurvey(session, accountId, ids.surveyId, body, now))),
  );

  router.on(OPERATIONS.deleteSurvey, async (c, { session, accountId, ids }) =>
    respondGone(c, await deleteSurvey(session, accountId, ids.surveyId)),
  );
}
