/**
 * What most isolates are never asked for: the scheduled job, the operator's routes, reports of leaks, and the answer where there is no
 * route. It is a module of its own, loaded when it is first needed, so that no start waits for it (docs/decisions/account-worker.md).
 */
import type { AppEnv } from "./http/app-env.ts";
import type { EveryRequest } from "./http/every-request.ts";
import { createNoRoute } from "./http/no-route.ts";
import { pageNotFound } from "./http/pages.ts";
import { Routes } from "./http/routes.ts";
import type { LeakMemory } from "./leaks/end-leaked-keys.ts";
import { createLeakRoutes } from "./leaks/routes.ts";
import type { OperatorMemory } from "./operator/operation.ts";
import { createOperatorRoutes } from "./operator/routes.ts";
import { isCrossOrigin } from "./panelist/cross-origin.ts";

export { runScheduled } from "./scheduled.ts";

/** `app` has the other routes. */
export function createOtherRoutes(
  app: Pick<Routes<AppEnv>, "routes">,
  memory: Omit<OperatorMemory, "health"> & LeakMemory,
  { everyRequest, everyCrossOrigin }: Readonly<Record<"everyRequest" | "everyCrossOrigin", EveryRequest>>,
): Routes<AppEnv> {
  const others = new Routes<AppEnv>();
  others.route("/", createOperatorRoutes(memory, everyRequest));
  others.route("/", createLeakRoutes(memory, everyRequest));
  const noRoute = createNoRoute({ routes: [...app.routes, ...others.routes] });
  others.notFound((c) => {
    const every = isCrossOrigin(c.req.path) ? everyCrossOrigin : everyRequest;
    return every(c, () => {
      const problem = noRoute(c.req);
      return (problem.code === "not-found" && pageNotFound(c)) || problem;
    });
  });
  return others;
}
