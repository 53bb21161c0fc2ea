/** The panelist API: what a panelist's client does with its compound token. */
import { Hono } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { routeOperations } from "../http/route-operations.ts";
import { capabilitiesOf } from "../idea-bank/capabilities.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import { createPanelistAnswer, type PanelistHandler } from "./answer-operation.ts";
import { createChangelogHandler } from "./changelog.ts";
import { allowEveryOrigin } from "./cross-origin.ts";
import { PANELIST_OPERATIONS } from "./operations.ts";

/** The memory that this surface shares with others of the isolate. */
export type PanelistMemory = { readonly snapshots: IdeaBankSnapshots };

export function createPanelistRoutes({ snapshots }: PanelistMemory) {
  const routes = new Hono<AppEnv>();
  routes.use("/ideabank/*", allowEveryOrigin);
  routes.use("/public/ideabank/*", allowEveryOrigin);

  const handlers: Record<keyof typeof PANELIST_OPERATIONS, PanelistHandler> = {
    getChangelog: createChangelogHandler(snapshots),
    getCapabilities:
      (c) =>
      ({ ideaBank }) =>
        c.json({ capabilities: capabilitiesOf(ideaBank) }),
  };
  const answer = createPanelistAnswer(snapshots);
  const operations = routeOperations<AppEnv, typeof PANELIST_OPERATIONS>(
    PANELIST_OPERATIONS,
    (name, operation) => (c) => answer(c, operation, handlers[name]),
  );
  return routes.route("/", operations);
}
