/** Account Settings: what an account owner does, signed in by Cloudflare Access. Pages for people, JSON for their scripts. */
import { Hono } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { handleError } from "../http/problem-response.ts";
import { Problem } from "../problem.ts";
import { AccountDatabases } from "./account-databases.ts";
import { createAccountApi } from "./api.ts";
import { authenticateOwner, type Identify } from "./identity.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { addAccountPages } from "./pages.tsx";
import { renderProblem } from "./render-page.tsx";
import { requireSameOrigin } from "./same-origin.ts";

/** The memory that this surface shares with others of the isolate. */
export type AccountMemory = { readonly gatekeeper: Gatekeeper };

const isForScripts = (path: string): boolean => path.startsWith("/account/api/");

export function createAccountRoutes({ gatekeeper }: AccountMemory, identify: Identify) {
  const routes = new Hono<OwnerEnv>();
  const accounts = new AccountDatabases();
  routes.use("/account/*", requireSameOrigin(), authenticateOwner(identify));
  addAccountPages(routes, gatekeeper, accounts);
  routes.route("/", createAccountApi(gatekeeper, accounts));
  // What nothing above answers. The application answers a script; a person gets a page.
  routes.all("/account/*", (c) => {
    if (isForScripts(c.req.path)) return c.notFound();
    throw new Problem("not-found", { detail: "There is no such page." });
  });
  routes.onError((error, c) => (isForScripts(c.req.path) ? handleError(error, c) : renderProblem(c, error)));
  return routes;
}
