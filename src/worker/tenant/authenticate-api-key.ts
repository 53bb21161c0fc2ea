/** Authenticates the tenant and enforces the key's rate limit: 401, then 429, then 403. */
import type { Context } from "hono";
import { type AdmittedKey, admitKey, type KeyMemory } from "../access/admit-key.ts";
import type { Scope } from "../model/scope.ts";
import type { Problem } from "../problem.ts";
import type { TenantEnv } from "./operation.ts";

/** Sets `tenant` and `apiKeyId`, and the rate-limit headers of the response. Returns the problem of a refused key. `text` is the key, by default the one in `X-API-Key`. */
export type AuthenticateApiKey = (
  c: Context<TenantEnv>,
  scope: Scope | null,
  text?: string | undefined,
) => Promise<AuthenticatedTenant | Problem>;

/** A tenant, and the database that holds all its data: the one that its key names. */
export type AuthenticatedTenant = Pick<AdmittedKey, "tenant" | "database">;

export function createApiKeyAuthentication(memory: KeyMemory): AuthenticateApiKey {
  return async function authenticateApiKey(c, scope, text = c.req.header("X-API-Key")) {
    const decision = await admitKey(memory, {
      caller: c,
      keys: c.get("settings").signingKeys,
      question: {
        text,
        scope,
        address: c.req.header("CF-Connecting-IP") ?? null,
        operation: c.get("operation") ?? "",
        sent: c.req.raw,
        operatorSecret: c.env.OPERATOR_SECRET,
        now: Date.now(),
      },
    });
    c.set("limits", decision.limits);
    if (decision.refusal) return decision.refusal;
    c.set("tenant", decision.tenant);
    c.set("apiKeyId", decision.apiKeyId);
    c.set("sender", decision.apiKeyId);
    return decision;
  };
}
