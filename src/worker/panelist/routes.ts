/** The panelist API, used with a compound token. */
import { Hono } from "hono";
import type { Databases } from "../database/databases.ts";
import type { AppEnv } from "../http/app-env.ts";
import { routeOperations } from "../http/route-operations.ts";
import { Changelogs } from "../idea-bank/changelogs.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { capabilitiesOf } from "../model/capabilities.ts";
import { createPanelistAnswer, type PanelistHandler } from "./answer-from-view.ts";
import { createParticipationAnswer, type ParticipationHandlers } from "./answer-participation.ts";
import { createTokenReader } from "./authenticate-panelist.ts";
import { createChangelogHandler } from "./changelog.ts";
import { createCommentHandlers } from "./comments.ts";
import { allowEveryOrigin } from "./cross-origin.ts";
import { COMMENT_OPERATIONS, IDEA_BANK_OPERATIONS, PROPOSAL_OPERATIONS } from "./operations.ts";
import { PROPOSAL_HANDLERS } from "./proposals.ts";

const PARTICIPATION_OPERATIONS = { ...PROPOSAL_OPERATIONS, ...COMMENT_OPERATIONS };

/** The caches that this surface shares with the others in the isolate. */
export type PanelistMemory = { readonly snapshots: IdeaBankSnapshots; readonly databases: Databases };

export function createPanelistRoutes({ snapshots, databases }: PanelistMemory) {
  const routes = new Hono<AppEnv>();
  routes.use("/ideabank/*", allowEveryOrigin);
  routes.use("/public/ideabank/*", allowEveryOrigin);

  const readToken = createTokenReader(databases);
  const changelogs = new Changelogs();
  const handlers: Record<keyof typeof IDEA_BANK_OPERATIONS, PanelistHandler> = {
    getChangelog: createChangelogHandler(snapshots, changelogs),
    getCapabilities:
      (c) =>
      ({ ideaBank }) => {
        const capabilities = capabilitiesOf(ideaBank);
        // A closed, a suspended and a missing idea bank give the same answer.
        const open = Object.values(capabilities).includes(true);
        return c.json({ name: open && ideaBank ? ideaBank.name : null, capabilities });
      },
  };
  const answer = createPanelistAnswer(readToken, snapshots, changelogs);
  routes.route(
    "/",
    routeOperations<AppEnv, typeof IDEA_BANK_OPERATIONS>(
      IDEA_BANK_OPERATIONS,
      (name, operation) => (c) => answer(c, operation, handlers[name]),
    ),
  );

  const participation: ParticipationHandlers<typeof PARTICIPATION_OPERATIONS> = {
    ...PROPOSAL_HANDLERS,
    ...createCommentHandlers(snapshots),
  };
  const answerParticipation = createParticipationAnswer(readToken);
  routes.route(
    "/",
    routeOperations<AppEnv, typeof PARTICIPATION_OPERATIONS>(
      PARTICIPATION_OPERATIONS,
      (name, operation) => (c) => answerParticipation(c, operation, participation[name]),
    ),
  );
  return routes;
}
