/** The tenant API, used with an API key. */
import type { KeyMemory } from "../access/admit-key.ts";
import type { Send } from "../deliveries/send.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { IdeaBankViews } from "../view/views.ts";
import { createApiKeyAuthentication, createTenantAnswer } from "./answer-tenant.ts";
import { CHANGE_OPERATIONS } from "./changes.ts";
import { COMMENT_OPERATIONS } from "./comments.ts";
import { IDEA_BANK_OPERATIONS } from "./idea-banks.ts";
import type { TenantEnv, TenantOperation } from "./operation.ts";
import { PANELIST_OPERATIONS } from "./panelists.ts";
import { PROPOSAL_OPERATIONS } from "./proposals.ts";
import { SIGNING_OPERATIONS } from "./signing.ts";
import { SURVEY_RESULT_OPERATIONS } from "./survey-results.ts";
import { SURVEY_OPERATIONS } from "./surveys.ts";
import { TOKEN_OPERATIONS } from "./tokens.ts";
import { VOTE_OPERATIONS } from "./votes.ts";
import { API_KEY_OPERATIONS } from "./whoami.ts";

export const TENANT_OPERATIONS = {
  ...API_KEY_OPERATIONS,
  ...SURVEY_OPERATIONS,
  ...SURVEY_RESULT_OPERATIONS,
  ...IDEA_BANK_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...VOTE_OPERATIONS,
  ...PANELIST_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...SIGNING_OPERATIONS,
  ...CHANGE_OPERATIONS,
};

/** The memory that this surface shares with others in the isolate. */
export type TenantMemory = KeyMemory & { readonly views: IdeaBankViews; readonly send: Send };

export const createTenantRoutes = (
  memory: TenantMemory,
  everyRequest?: EveryRequest,
  authenticate = createApiKeyAuthentication(memory),
) =>
  routeOperations<TenantEnv, TenantOperation>(
    TENANT_OPERATIONS,
    createTenantAnswer(authenticate, memory.views, memory.send),
    everyRequest,
  );
