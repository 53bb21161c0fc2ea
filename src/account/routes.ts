/** Account Settings: what an account owner does, signed in by Cloudflare Access. Pages for people, JSON for their scripts. */
import { Hono } from "hono";
import type { OwnerEnv } from "../http/app-env.ts";
import type { IsolateMemory } from "../http/isolate-memory.ts";
import { handleError } from "../http/problem-response.ts";
import { addAccountApi } from "./api.ts";
import { authenticateOwner, type Identify } from "./identity.ts";
import { addAccountPages, renderProblem } from "./pages.tsx";
import { requireSameOrigin } from "./same-origin.ts";

export function createAccountRoutes(memory: IsolateMemory, identify: Identify) {
  const routes = new Hono<OwnerEnv>();
  routes.use("/account/*", requireSameOrigin(), authenticateOwner(identify));
  addAccountPages(routes, memory);
  addAccountApi(routes, memory);
  routes.onError((error, c) =>
    c.req.path.startsWith("/account/api/") ? handleError(error, c) : renderProblem(c, error),
  );
  return routes;
}
