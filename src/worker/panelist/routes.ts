/** The panelist API, used with a compound token. */
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import type { Send } from "../changes/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Routes } from "../http/routes.ts";
import { createParticipationAnswer } from "./answer-participation.ts";
import { CHANGELOG_OPERATIONS } from "./changelog.ts";
import { FEED_OPERATIONS } from "./changelog-feeds.ts";
import { COMMENT_OPERATIONS } from "./comments.ts";
import { answerPreflights, CROSS_ORIGIN_PATHS } from "./cross-origin.ts";
import { IDEA_BANK_OPERATIONS } from "./idea-bank.ts";
import type { IdeaBankOperation, ParticipationOperation } from "./operation.ts";
import { PROPOSAL_OPERATIONS } from "./proposals.ts";
import { VOTE_OPERATIONS } from "./votes.ts";

const VIEW_OPERATIONS = { ...CHANGELOG_OPERATIONS, ...FEED_OPERATIONS, ...IDEA_BANK_OPERATIONS };
const PARTICIPATION_OPERATIONS = { ...PROPOSAL_OPERATIONS, ...VOTE_OPERATIONS, ...COMMENT_OPERATIONS };
export const PANELIST_OPERATIONS = { ...VIEW_OPERATIONS, ...PARTICIPATION_OPERATIONS };

export function createPanelistRoutes(memory: IdeaBankMemory & { readonly send: Send }) {
  const routes = new Routes<AppEnv>();
  const preflights = answerPreflights(PANELIST_OPERATIONS);
  for (const path of CROSS_ORIGIN_PATHS) routes.use(path, preflights);
  routes.route(
    "/",
    routeOperations<AppEnv, IdeaBankOperation>(VIEW_OPERATIONS, (c, operation) => operation.handle(c, memory)),
  );
  routes.route(
    "/",
    routeOperations<AppEnv, ParticipationOperation>(
      PARTICIPATION_OPERATIONS,
      createParticipationAnswer(memory, memory.send),
    ),
  );
  return routes;
}
