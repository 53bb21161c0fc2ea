/** The tenant API, used with an API key. */
import type { Send } from "../changes/send.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { IdeaBankViews } from "../idea-bank/views.ts";
import { createTenantAnswer, type TenantHandlers } from "./answer-tenant.ts";
import { type AuthenticationMemory, createApiKeyAuthentication } from "./authenticate-api-key.ts";
import { TENANT_CHANGE_HANDLERS } from "./changes.ts";
import { TENANT_IDEA_BANK_HANDLERS } from "./idea-banks.ts";
import { TENANT_OPERATIONS } from "./operations.ts";
import { TENANT_PANELIST_HANDLERS } from "./panelists.ts";
import { TENANT_PROPOSAL_HANDLERS } from "./proposals.ts";
import { TENANT_SURVEY_HANDLERS } from "./surveys.ts";
import type { TenantEnv } from "./tenant-env.ts";
import { TENANT_VOTE_HANDLERS } from "./votes.ts";

/** The memory that this surface shares with others of the isolate. */
export type TenantMemory = AuthenticationMemory & { readonly views: IdeaBankViews; readonly send: Send };

export function createTenantRoutes(memory: TenantMemory) {
  const handlers: TenantHandlers<typeof TENANT_OPERATIONS> = {
    whoami: async (c) => c.json({ apiKeyId: c.get("apiKeyId") }),
    ...TENANT_SURVEY_HANDLERS,
    ...TENANT_IDEA_BANK_HANDLERS,
    ...TENANT_PROPOSAL_HANDLERS,
    ...TENANT_VOTE_HANDLERS,
    ...TENANT_PANELIST_HANDLERS,
    ...TENANT_CHANGE_HANDLERS,
  };
  const answer = createTenantAnswer(createApiKeyAuthentication(memory), memory.views, memory.send);
  return routeOperations<TenantEnv, typeof TENANT_OPERATIONS>(
    TENANT_OPERATIONS,
    (name, operation) => (c) => answer(c, operation, handlers[name]),
  );
}
