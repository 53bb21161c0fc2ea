/** The panelist API, used with a compound token. */
import type { Context } from "hono";
import type { Send } from "../changes/send.ts";
import type { AppEnv } from "../http/app-env.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Routes } from "../http/routes.ts";
import { createParticipationAnswer, type ParticipationHandlers } from "./answer-participation.ts";
import { COMMENT_HANDLERS } from "./comments.ts";
import { allowEveryOrigin } from "./cross-origin.ts";
import { getCapabilities, getChangelog, type IdeaBankMemory } from "./idea-bank.ts";
import { COMMENT_OPERATIONS, IDEA_BANK_OPERATIONS, PROPOSAL_OPERATIONS } from "./operations.ts";
import { PROPOSAL_HANDLERS } from "./proposals.ts";

const PARTICIPATION_OPERATIONS = { ...PROPOSAL_OPERATIONS, ...COMMENT_OPERATIONS };

const IDEA_BANK_HANDLERS: Record<
  keyof typeof IDEA_BANK_OPERATIONS,
  (c: Context<AppEnv>, memory: IdeaBankMemory) => Promise<Response>
> = { getChangelog, getCapabilities };

export function createPanelistRoutes(memory: IdeaBankMemory & { readonly send: Send }) {
  const routes = new Routes<AppEnv>();
  routes.use("/ideabank/*", allowEveryOrigin);
  routes.use("/public/ideabank/*", allowEveryOrigin);
  routes.route(
    "/",
    routeOperations<AppEnv, typeof IDEA_BANK_OPERATIONS>(
      IDEA_BANK_OPERATIONS,
      (name) => (c) => IDEA_BANK_HANDLERS[name](c, memory),
    ),
  );

  const participation: ParticipationHandlers<typeof PARTICIPATION_OPERATIONS> = {
    ...PROPOSAL_HANDLERS,
    ...COMMENT_HANDLERS,
  };
  const answerParticipation = createParticipationAnswer(memory, memory.send);
  routes.route(
    "/",
    routeOperations<AppEnv, typeof PARTICIPATION_OPERATIONS>(
      PARTICIPATION_OPERATIONS,
      (name, operation) => (c) => answerParticipation(c, operation, participation[name]),
    ),
  );
  return routes;
}
