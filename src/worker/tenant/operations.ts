/** Every operation of the tenant API: one table for each noun. */
import { API_KEY_OPERATIONS } from "./operations/api-keys.ts";
import { IDEA_BANK_OPERATIONS } from "./operations/idea-banks.ts";
import { PANELIST_OPERATIONS } from "./operations/panelists.ts";
import { PROPOSAL_OPERATIONS } from "./operations/proposals.ts";
import { SURVEY_OPERATIONS } from "./operations/surveys.ts";

export const TENANT_OPERATIONS = {
  ...API_KEY_OPERATIONS,
  ...SURVEY_OPERATIONS,
  ...IDEA_BANK_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...PANELIST_OPERATIONS,
};
