/** Authenticates the tenant and enforces the key's rate limit: 401, then 429, then 403. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { type ApiKeyCredential, type ApiKeyRefusal, verifyApiKey } from "../credentials/api-key.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { Tenant } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import { Problem } from "../problem.ts";
import type { Database, Databases } from "../store/databases.ts";
import { problemOf, rateLimitHeaders, unauthorized } from "./admission.ts";
import type { TenantEnv } from "./operation.ts";

/** Sets `tenant` and `apiKeyId`, and the rate-limit headers of the response. */
export type AuthenticateApiKey = (c: Context<TenantEnv>, scope: Scope | null) => Promise<AuthenticatedTenant>;

/** A tenant, and the database that holds all its data: the one that its key names. */
export type AuthenticatedTenant = Tenant & { readonly database: Database };

/** The API keys whose tag was verified before. */
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

export function createApiKeyAuthentication(memory: AuthenticationMemory): AuthenticateApiKey {
  const { apiKeys, gatekeeper, databases } = memory;
  return async function authenticateApiKey(c, scope) {
    const apiKey = await apiKeys.verify(c.req.header("X-API-Key"), c.get("settings").signingKeys);
    if (!apiKey.ok) throw unauthorized(apiKey.reason);
    const database = databases.of(c, apiKey.value.id);
    if (database === undefined) throw unauthorized("of no database");
    const request = {
      apiKey: apiKey.value,
      address: c.req.header("CF-Connecting-IP") ?? null,
      operation: c.get("operation") ?? "",
      sent: c.req.raw,
      now: Date.now(),
    };
    const admission = await gatekeeper.admit(c, database, request);
    for (const [name, value] of Object.entries(rateLimitHeaders(admission))) c.header(name, value);
    const problem = problemOf(admission);
    if (problem !== undefined || admission.outcome !== "admitted") throw problem;
    const { tenant } = admission;
    if (scope !== null && !tenant.scopes.includes(scope))
      throw new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });
    c.set("tenant", tenant);
    c.set("apiKeyId", apiKey.value.id);
    return { ...tenant, database };
  };
}
