/** Authenticates the tenant and enforces the key's rate limit: 401, then 429, then 403. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { verifyApiKey } from "../credentials/api-key.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { Database, Databases } from "../database/databases.ts";
import { oncePer } from "../http/once-per.ts";
import type { Admission, Tenant } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import { POLICY, policyHeader, quotaHeader, toSeconds } from "./rate-limit-headers.ts";
import type { TenantEnv } from "./tenant-env.ts";

/** The same response for every reason: it says what is expected, not what was wrong. */
const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail: "This needs a valid API key (`ibk_…`) in the header `X-API-Key`.",
      headers: { "WWW-Authenticate": 'ApiKey realm="tenant"' },
      cause: reason,
    }),
);

const tooManyRequests = oncePer(
  (retryAfterSeconds: number) =>
    new Problem("too-many-requests", {
      headers: { "Retry-After": String(retryAfterSeconds) },
      extensions: { "violated-policies": [POLICY] },
    }),
);

/** Sets `tenant` and `apiKeyId`, and the rate-limit headers of the response. */
export type AuthenticateApiKey = (c: Context<TenantEnv>, scope: Scope | null) => Promise<AuthenticatedTenant>;

/** A tenant, and the database that holds everything of it: its key's. */
export type AuthenticatedTenant = Tenant & { readonly database: Database };

export function createApiKeyAuthentication(gatekeeper: Gatekeeper, databases: Databases): AuthenticateApiKey {
  const verified = new VerifiedCredentials(verifyApiKey);
  return async function authenticateApiKey(c, scope) {
    const apiKey = await verified.verify(c.req.header("X-API-Key"), c.get("settings").signingKeys);
    if (!apiKey.ok) throw unauthorized(apiKey.reason);
    const database = databases.of(c, apiKey.value.id);
    if (database === undefined) throw unauthorized("of no database");
    const stores = { gates: c.env.API_KEY_GATE, database };
    const request = {
      apiKey: apiKey.value,
      address: c.req.header("CF-Connecting-IP") ?? null,
      now: Date.now(),
      waitUntil: (promise: Promise<void>) => c.executionCtx.waitUntil(promise),
    };
    const tenant = enter(c, await gatekeeper.admit(stores, request));
    if (tenant.accountSuspended) throw new Problem("forbidden", { detail: "The API key's account is suspended." });
    if (scope !== null && !tenant.scopes.includes(scope))
      throw new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });
    c.set("tenant", tenant);
    c.set("apiKeyId", apiKey.value.id);
    return { ...tenant, database };
  };
}

function enter(c: Context<TenantEnv>, admission: Admission): Tenant {
  switch (admission.outcome) {
    case "admitted":
      c.header("RateLimit-Policy", policyHeader(admission.rateLimit));
      if (admission.quota !== undefined) c.header("RateLimit", quotaHeader(admission.quota));
      return admission.tenant;
    case "limited":
      c.header("RateLimit-Policy", policyHeader(admission.quota.rateLimit));
      c.header("RateLimit", quotaHeader(admission.quota));
      throw tooManyRequests(toSeconds(admission.quota.waitMs));
    case "refused":
      throw unauthorized(admission.reason);
    case "unavailable":
      throw serviceUnavailable("the gate needs the key's record and cannot read it from D1");
  }
}
