/** The tenant API: what an integration does with its API key. */
import { Hono } from "hono";
import type { IsolateMemory, TenantEnv } from "../http/app-env.ts";
import { authenticateApiKey } from "../http/authenticate-api-key.ts";

export function createTenantRoutes(memory: IsolateMemory) {
  const routes = new Hono<TenantEnv>();

  routes.get("/whoami", authenticateApiKey(memory), (c) => c.json({ apiKeyId: c.var.apiKeyId }));

  return routes;
}
