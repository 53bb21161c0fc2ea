/**
 * The panelist API, used with a compound token. What is answered without a call to a store is there from the start (view-routes.ts).
 * The rest is a module of its own, loaded when it is first needed (docs/decisions/account-worker.md).
 */
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Routes } from "../http/routes.ts";
import { createParticipationAnswer } from "./answer-participation.ts";
import { CHANGELOG_OPERATIONS } from "./changelog.ts";
import { ENTRY_OPERATIONS } from "./changelog-entries.ts";
import { FEED_OPERATIONS } from "./changelog-feeds.ts";
import { COMMENT_OPERATIONS } from "./comments.ts";
import { preflightHeaders } from "./cross-origin.ts";
import { FOLLOW_OPERATIONS } from "./follows.ts";
import { IDEA_BANK_OPERATIONS } from "./idea-bank.ts";
import { PROPOSAL_OPERATIONS } from "./proposals.ts";
import { SURVEY_OPERATIONS } from "./surveys.ts";
import { PANELIST_PATHS } from "./view-routes.ts";
import { VOTE_OPERATIONS } from "./votes.ts";

const PARTICIPATION_OPERATIONS = {
  ...ENTRY_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...VOTE_OPERATIONS,
  ...FOLLOW_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...SURVEY_OPERATIONS,
};
export const PANELIST_OPERATIONS = {
  ...CHANGELOG_OPERATIONS,
  ...FEED_OPERATIONS,
  ...IDEA_BANK_OPERATIONS,
  ...PARTICIPATION_OPERATIONS,
};

/** All but the views, and the preflight requests of all. */
export function createParticipationRoutes(
  memory: IdeaBankMemory & { readonly send: Send },
  everyRequest: EveryRequest,
): Routes<AppEnv> {
  const routes = new Routes<AppEnv>();
  const participate = createParticipationAnswer(memory, memory.send);
  routes.route("/", routeOperations(PARTICIPATION_OPERATIONS, participate, everyRequest));
  const headers = preflightHeaders(PANELIST_OPERATIONS);
  for (const path of PANELIST_PATHS) routes.options(path, (c) => everyRequest(c, () => c.body(null, 204, headers)));
  return routes;
}
