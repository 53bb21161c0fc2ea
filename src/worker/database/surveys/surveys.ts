/** Rows of `surveys`. */
import { NewSurvey } from "../../model/survey.ts";
import { ITEM_BYTES } from "../pagination.ts";
import { storedResource } from "../resource.ts";

export const SURVEY_BYTES = `octet_length(title) + octet_length(description) + coalesce(octet_length(url), 0) + ${ITEM_BYTES}`;

export const SURVEYS = storedResource({
  table: "surveys",
  fields: NewSurvey,
  times: ["createdAt", "updatedAt"],
  bytes: SURVEY_BYTES,
});
