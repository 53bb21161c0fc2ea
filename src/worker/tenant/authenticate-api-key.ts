/** Authenticates the tenant and enforces the key's rate limit: 401, then 429, then 403. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { type ApiKeyCredential, type ApiKeyRefusal, verifyApiKey } from "../credentials/api-key.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { Database, Databases } from "../database/databases.ts";
import { problemFor } from "../http/problem-response.ts";
import type { Tenant } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import { Problem } from "../problem.ts";
import { problemOf, rateLimitHeaders, unauthorized } from "./admission.ts";
import type { TenantEnv } from "./tenant-env.ts";

/** Sets `tenant` and `apiKeyId`, and the rate-limit headers of the response. */
export type AuthenticateApiKey = (c: Context<TenantEnv>, scope: Scope | null) => Promise<AuthenticatedTenant>;

/** A tenant, and the database that holds everything of it: its key's. `answered` counts how its request was answered. */
export type AuthenticatedTenant = Tenant & {
  readonly database: Database;
  readonly answered: (error?: unknown) => void;
};

/** API keys whose tag was verified before. */
export class VerifiedApiKeys extends VerifiedCredentials<ApiKeyCredential, ApiKeyRefusal> {
  constructor() {
    super(verifyApiKey);
  }
}

export type AuthenticationMemory = {
  readonly apiKeys: VerifiedApiKeys;
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
};

const statusOf = (error: unknown) => (error instanceof Error && problemFor(error).status < 500 ? "4xx" : "5xx");

export function createApiKeyAuthentication(memory: AuthenticationMemory): AuthenticateApiKey {
  const { apiKeys, gatekeeper, databases } = memory;
  return async function authenticateApiKey(c, scope) {
    const apiKey = await apiKeys.verify(c.req.header("X-API-Key"), c.get("settings").signingKeys);
    if (!apiKey.ok) throw unauthorized(apiKey.reason);
    const database = databases.of(c, apiKey.value.id);
    if (database === undefined) throw unauthorized("of no database");
    const stores = { gates: c.env.API_KEY_GATE, database };
    const request = {
      apiKey: apiKey.value,
      address: c.req.header("CF-Connecting-IP") ?? null,
      operation: c.get("operation") ?? "",
      sent: c.req.raw,
      now: Date.now(),
      waitUntil: (promise: Promise<void>) => c.executionCtx.waitUntil(promise),
    };
    const admission = await gatekeeper.admit(stores, request);
    for (const [name, value] of Object.entries(rateLimitHeaders(admission))) c.header(name, value);
    const problem = problemOf(admission);
    if (problem !== undefined || admission.outcome !== "admitted") throw problem;
    const { tenant, quota } = admission;
    const answered = (error?: unknown) => {
      // Without a quota it was not counted.
      if (quota !== undefined) gatekeeper.answered(request, error === undefined ? "2xx" : statusOf(error));
    };
    if (scope !== null && !tenant.scopes.includes(scope)) {
      const problem = new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });
      answered(problem);
      throw problem;
    }
    c.set("tenant", tenant);
    c.set("apiKeyId", apiKey.value.id);
    return { ...tenant, database, answered };
  };
}
