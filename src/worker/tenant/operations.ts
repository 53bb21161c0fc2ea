/** Every operation of the tenant API: one table for each noun. */
import { TENANT_API_KEY_OPERATIONS } from "./operations/api-keys.ts";
import { TENANT_CHANGE_OPERATIONS } from "./operations/changes.ts";
import { TENANT_IDEA_BANK_OPERATIONS } from "./operations/idea-banks.ts";
import { TENANT_PANELIST_OPERATIONS } from "./operations/panelists.ts";
import { TENANT_PROPOSAL_OPERATIONS } from "./operations/proposals.ts";
import { TENANT_SURVEY_OPERATIONS } from "./operations/surveys.ts";
import { TENANT_VOTE_OPERATIONS } from "./operations/votes.ts";

export const TENANT_OPERATIONS = {
  ...TENANT_API_KEY_OPERATIONS,
  ...TENANT_SURVEY_OPERATIONS,
  ...TENANT_IDEA_BANK_OPERATIONS,
  ...TENANT_PROPOSAL_OPERATIONS,
  ...TENANT_VOTE_OPERATIONS,
  ...TENANT_PANELIST_OPERATIONS,
  ...TENANT_CHANGE_OPERATIONS,
};
