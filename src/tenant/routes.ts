/** The tenant API: what an integration does with its API key. */
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { addIdeaBankRoutes } from "./idea-banks.ts";
import { OperationRouter } from "./operation-router.ts";
import { OPERATIONS } from "./operations.ts";
import { addPanelistRoutes } from "./panelists.ts";
import { addProposalRoutes } from "./proposals.ts";
import { addSurveyRoutes } from "./surveys.ts";

export function createTenantRoutes(memory: IsolateMemory) {
  const router = new OperationRouter(memory);

  router.on(OPERATIONS.whoami, async (c) => c.json({ apiKeyId: c.var.apiKeyId }));
  addSurveyRoutes(router);
  addIdeaBankRoutes(router);
  addProposalRoutes(router);
  addPanelistRoutes(router);

  return router.routes;
}
