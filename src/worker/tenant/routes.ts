/** The tenant API, used with an API key. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { Databases } from "../database/databases.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { IdeaBankViews } from "../idea-bank/views.ts";
import { createTenantAnswer, type TenantHandlers } from "./answer-tenant.ts";
import { createApiKeyAuthentication } from "./authenticate-api-key.ts";
import { TENANT_CHANGE_HANDLERS } from "./changes.ts";
import { TENANT_IDEA_BANK_HANDLERS } from "./idea-banks.ts";
import { TENANT_OPERATIONS } from "./operations.ts";
import { TENANT_PANELIST_HANDLERS } from "./panelists.ts";
import { TENANT_PROPOSAL_HANDLERS } from "./proposals.ts";
import { TENANT_SURVEY_HANDLERS } from "./surveys.ts";
import type { TenantEnv } from "./tenant-env.ts";

/** The memory that this surface shares with others of the isolate. */
export type TenantMemory = {
  readonly gatekeeper: Gatekeeper;
  readonly views: IdeaBankViews;
  readonly databases: Databases;
};

export function createTenantRoutes({ gatekeeper, views, databases }: TenantMemory) {
  const handlers: TenantHandlers<typeof TENANT_OPERATIONS> = {
    whoami: async (c) => c.json({ apiKeyId: c.get("apiKeyId") }),
    ...TENANT_SURVEY_HANDLERS,
    ...TENANT_IDEA_BANK_HANDLERS,
    ...TENANT_PROPOSAL_HANDLERS,
    ...TENANT_PANELIST_HANDLERS,
    ...TENANT_CHANGE_HANDLERS,
  };
  const answer = createTenantAnswer(createApiKeyAuthentication(gatekeeper, databases), views);
  return routeOperations<TenantEnv, typeof TENANT_OPERATIONS>(
    TENANT_OPERATIONS,
    (name, operation) => (c) => answer(c, operation, handlers[name]),
  );
}
