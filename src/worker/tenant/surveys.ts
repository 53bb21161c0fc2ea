/** `/tenant/surveys`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { newRevision } from "../credentials/revision.ts";
import type { Change, Creation } from "../database/resource.ts";
import { putResponse } from "../database/surveys/panelist-surveys.ts";
import { deleteRecorded, loadRecordable, tenantAuthor } from "../database/surveys/recorded-responses.ts";
import { SURVEYS } from "../database/surveys/surveys.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { invalid, parseOrThrow } from "../http/invalid-request.ts";
import { PersonPath } from "../model/panelist.ts";
import { NewSurvey, Survey, SurveyChanges, SurveyQuery } from "../model/survey.ts";
import { countedOf, textsOf } from "../model/survey-answers.ts";
import { judgeAnswers, ResponseBody, SurveyResponse } from "../model/survey-response.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";
import { changeByRules, createByRules, draftOf } from "../surveys/survey-writes.ts";
import { tenantOperations } from "./operation.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";
import { resourceOperations } from "./resource.ts";

export const SURVEY_TAG = { name: "Surveys", description: "The surveys of your account, and their responses." };

/** A response is judged by the survey as it is, and so again if that was changed meanwhile. */
const ATTEMPTS = 3;

const SURVEY_ROWS = {
  ...SURVEYS,
  create: (session: Session, creation: Creation<NewSurvey>) => createByRules(session, creation),
  update: (session: Session, change: Change<NewSurvey>) => changeByRules(session, change),
};

const survey = resourceOperations({
  tag: SURVEY_TAG,
  path: "/tenant/surveys",
  id: "surveyId",
  names: ["a survey", "surveys"],
  scopes: { read: "surveys:read", write: "surveys:write" },
  schemas: { resource: Survey, created: NewSurvey, changes: SurveyChanges },
  query: SurveyQuery,
  rows: SURVEY_ROWS,
  problems: ["conflict"],
  words: {
    create: "With `ideaBankId` its panelists answer it here; without it, it is answered at `url`.",
    update:
      "Once it has been open, what an answer means is fixed: 409 names what cannot change. From the answer to a close on, no response is accepted.",
    delete: "Deletes its responses, too. If there are many, they are deleted within minutes.",
  },
});

const operation = tenantOperations(SURVEY_TAG);
const SURVEY = "/tenant/surveys/{surveyId}";
const RECORDED = `${SURVEY}/responses/by-external-id/{externalId}` as const;

/** Nobody sees which answers belong together in an anonymous survey. */
export const isAnonymous = () =>
  new Problem("conflict", { detail: "This survey is anonymous: it has results and texts, but no single responses." });

const notEditable = () => new Problem("conflict", { detail: "Answers to this survey cannot be changed." });

const nobodyAsked = () =>
  new Problem("conflict", {
    detail:
      "The survey is not open to this person: it is closed or a draft, or it asks the voters of another proposal.",
  });

export const SURVEY_OPERATIONS = {
  listSurveys: survey.list,
  createSurvey: survey.create,
  getSurvey: survey.get,
  updateSurvey: survey.update,
  deleteSurvey: survey.delete,

  copySurvey: operation({
    method: "POST",
    effect: "adds",
    path: `${SURVEY}/copy`,
    scope: "surveys:write",
    answer: Survey,
    problems: ["conflict"],
    summary: "Copy a survey",
    description:
      "Makes a draft with its texts, questions, audience and settings, without responses, `externalId` and `closesAt`.",
    handle: async (c, { session, afterwards, accountId, ids, now, idempotencyKey }) => {
      const of = owned(await SURVEYS.load(afterwards, accountId, ids.surveyId));
      const id = createId(accountId, secureRandomBytes);
      const creation = { accountId, id, input: draftOf(of), now, idempotencyKey };
      const result = await createByRules(session, creation, of);
      return respondCreated(c, { result, toBody: (made) => made });
    },
  }),

  recordSurveyResponse: operation({
    method: "PUT",
    effect: "overwrites",
    path: RECORDED,
    scope: "surveys:write",
    body: ResponseBody,
    answer: SurveyResponse,
    creates: true,
    problems: ["conflict"],
    summary: "Record a person's response by your own id",
    description:
      "For an answer that came by phone or on paper. 201 if it is the person's first, 200 if it replaces one. An unknown `externalId` creates the panelist. Not for an anonymous survey.",
    handle: async (c, { session, afterwards, accountId, ids, body, now, panelistIdOf }) => {
      const { externalId } = parseOrThrow(PersonPath, ids);
      const person = { accountId, externalId, newPanelistId: await panelistIdOf(externalId) };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const found = owned(await loadRecordable(afterwards, { ...person, surveyId: ids.surveyId }));
        const { known, ideaBankId, panelistId, isActive } = found;
        if (known.anonymous) throw isAnonymous();
        if (ideaBankId === null) throw nobodyAsked();
        if (!isActive) throw new Problem("conflict", { detail: "The panelist is not active." });
        const { answers, faults } = judgeAnswers(known.questions, body);
        if (faults.length > 0) throw invalid(faults);
        const { survey: seen, written } = await putResponse(
          session,
          tenantAuthor(person, { ideaBankId, panelistId, now }),
          {
            ...{
              known,
              answers,
              counted: countedOf(known.questions, answers),
              texts: textsOf(known.questions, answers),
            },
            ...{ who: { respondent: panelistId, places: undefined }, match: undefined, now },
            revision: newRevision(),
          },
        );
        const isSame = JSON.stringify(seen?.response?.answers) === JSON.stringify(answers);
        if (seen !== null && !written && !isSame && seen.revision !== known.revision) continue;
        if (seen?.answerable && seen.response !== null && !written && !isSame) throw notEditable();
        if (!seen?.answerable || seen.response === null || (!written && !isSame)) throw nobodyAsked();
        const { createdAt, updatedAt } = seen.response;
        const isNew = written && createdAt === updatedAt;
        return c.json({ panelistId, answers, createdAt, updatedAt }, isNew ? 201 : 200);
      }
      throw new Problem("conflict", {
        detail: "The survey is being changed by somebody else. Send the response again.",
      });
    },
  }),

  deleteRecordedResponse: operation({
    method: "DELETE",
    effect: "ends",
    path: RECORDED,
    scope: "surveys:write",
    problems: ["conflict"],
    summary: "Delete a person's response by your own id",
    description: "Also after the close. Not for an anonymous survey.",
    handle: async (c, { session, accountId, ids, idempotencyKey }) => {
      const { externalId } = parseOrThrow(PersonPath, ids);
      const { anonymous, result } = await deleteRecorded(session, {
        accountId,
        surveyId: ids.surveyId,
        externalId,
        idempotencyKey,
      });
      if (anonymous) throw isAnonymous();
      return respondDeleted(c, result);
    },
  }),
};
