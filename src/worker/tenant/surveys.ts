/** `/tenant/surveys`. */
import { SURVEYS } from "../database/surveys/surveys.ts";
import { PageQuery } from "../model/pagination.ts";
import { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { resourceOperations } from "./resource.ts";

const survey = resourceOperations({
  tag: { name: "Surveys", description: "The surveys of your account." },
  path: "/tenant/surveys",
  id: "surveyId",
  names: ["a survey", "surveys"],
  scopes: { read: "surveys:read", write: "surveys:write" },
  schemas: { resource: Survey, created: NewSurvey, changes: SurveyChanges },
  query: PageQuery,
  rows: SURVEYS,
});

export const SURVEY_OPERATIONS = {
  listSurveys: survey.list,
  createSurvey: survey.create,
  getSurvey: survey.get,
  updateSurvey: survey.update,
  deleteSurvey: survey.delete,
};
