/** Account Settings: what an account owner does, signed in by Cloudflare Access. Pages for people, JSON for their scripts. */
import { Hono } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { handleError } from "../http/problem-response.ts";
import { createAccountApi } from "./api.ts";
import { authenticateOwner, type Identify } from "./identity.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { addAccountPages, renderProblem } from "./pages.tsx";
import { requireSameOrigin } from "./same-origin.ts";

/** The memory that this surface shares with others of the isolate. */
export type AccountMemory = { readonly gatekeeper: Gatekeeper };

export function createAccountRoutes({ gatekeeper }: AccountMemory, identify: Identify) {
  const routes = new Hono<OwnerEnv>();
  routes.use("/account/*", requireSameOrigin(), authenticateOwner(identify));
  addAccountPages(routes, gatekeeper);
  routes.route("/", createAccountApi(gatekeeper));
  routes.onError((error, c) =>
    c.req.path.startsWith("/account/api/") ? handleError(error, c) : renderProblem(c, error),
  );
  return routes;
}
