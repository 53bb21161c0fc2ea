/** `/tenant/surveys`. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { PageQuery } from "../../model/pagination.ts";
import { NewSurvey, Survey, SurveyChanges } from "../../model/survey.ts";

const SURVEYS = "/tenant/surveys";
const SURVEY = `${SURVEYS}/{surveyId}`;
const read = apiKey("surveys:read");
const write = apiKey("surveys:write");

export const TENANT_SURVEY_OPERATIONS = {
  listSurveys: { method: "GET", path: SURVEYS, credential: read, query: PageQuery },
  createSurvey: { method: "POST", path: SURVEYS, credential: write, body: NewSurvey },
  getSurvey: { method: "GET", path: SURVEY, credential: read },
  updateSurvey: { method: "PATCH", path: SURVEY, credential: write, body: SurveyChanges },
  deleteSurvey: { method: "DELETE", path: SURVEY, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Surveys", description: "The surveys of your account." };
  describeOperations(tag, TENANT_SURVEY_OPERATIONS, {
    listSurveys: { summary: "List surveys", description: "Newest first.", answer: Survey },
    createSurvey: { summary: "Create a survey", answer: Survey },
    getSurvey: { summary: "Read a survey", answer: Survey },
    updateSurvey: {
      summary: "Change a survey",
      description: "Fields that are not sent stay as they are.",
      answer: Survey,
    },
    deleteSurvey: { summary: "Delete a survey" },
  });
}
