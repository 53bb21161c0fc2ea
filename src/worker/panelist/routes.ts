/** The panelist API, used with a compound token. */
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { Send } from "../deliveries/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Routes } from "../http/routes.ts";
import { createParticipationAnswer } from "./answer-participation.ts";
import { createViewAnswer } from "./answer-view.ts";
import { CHANGELOG_OPERATIONS } from "./changelog.ts";
import { ENTRY_OPERATIONS } from "./changelog-entries.ts";
import { FEED_OPERATIONS } from "./changelog-feeds.ts";
import { COMMENT_OPERATIONS } from "./comments.ts";
import { preflightHeaders } from "./cross-origin.ts";
import { FOLLOW_OPERATIONS } from "./follows.ts";
import { IDEA_BANK_OPERATIONS } from "./idea-bank.ts";
import { PROPOSAL_OPERATIONS } from "./proposals.ts";
import { SURVEY_OPERATIONS } from "./surveys.ts";
import { VOTE_OPERATIONS } from "./votes.ts";

const VIEW_OPERATIONS = { ...CHANGELOG_OPERATIONS, ...FEED_OPERATIONS, ...IDEA_BANK_OPERATIONS };
const PARTICIPATION_OPERATIONS = {
  ...ENTRY_OPERATIONS,
  ...PROPOSAL_OPERATIONS,
  ...VOTE_OPERATIONS,
  ...FOLLOW_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...SURVEY_OPERATIONS,
};
export const PANELIST_OPERATIONS = { ...VIEW_OPERATIONS, ...PARTICIPATION_OPERATIONS };

export function createPanelistRoutes(memory: IdeaBankMemory & { readonly send: Send }, everyRequest: EveryRequest) {
  const routes = new Routes<AppEnv>();
  routes.route("/", routeOperations(VIEW_OPERATIONS, createViewAnswer(memory), everyRequest));
  const participate = createParticipationAnswer(memory, memory.send);
  routes.route("/", routeOperations(PARTICIPATION_OPERATIONS, participate, everyRequest));
  const headers = preflightHeaders(PANELIST_OPERATIONS);
  for (const path of ["/ideabank/*", "/public/ideabank/*", "/surveys/*"])
    routes.options(path, (c) => everyRequest(c, () => c.body(null, 204, headers)));
  return routes;
}
