/**
 * Asks a key's gate about a message before its body is read. The body names the operation, so the request is counted as admitted at
 * once, and by its operation when that is known.
 */
import type { Context } from "hono";
import { notVerified } from "../access/admit-key.ts";
import { Problem } from "../problem.ts";
import { type AuthenticatedTenant, createApiKeyAuthentication } from "../tenant/answer-tenant.ts";
import type { TenantEnv } from "../tenant/operation.ts";
import type { TenantMemory } from "../tenant/routes.ts";

/** The tenant of the request, which is counted as this operation, once. Throws the gate's refusal: it is the answer to the message. */
export type Admitted = (operation: string) => AuthenticatedTenant;

/** `text` is the presented key. A problem that is returned is `unauthorized`: then no body is read. */
export function createAdmission(memory: TenantMemory) {
  const authenticate = createApiKeyAuthentication(memory);
  return async function admit(c: Context<TenantEnv>, text: string | undefined): Promise<Admitted | Problem> {
    const key = await memory.apiKeys.verify(text, c.get("settings").signingKeys);
    if (!key.ok) return notVerified(text, key.reason);
    const apiKey = key.value;
    const address = c.req.header("CF-Connecting-IP") ?? null;
    const decision = await authenticate(c, null, apiKey.text);
    if (decision instanceof Problem && decision.code === "unauthorized") return decision;
    c.set("sender", apiKey.id);
    let isNamed = false;
    return (operation) => {
      if (decision instanceof Problem) throw decision;
      const sender = { address, operation, sent: c.req.raw, now: Date.now() };
      if (!isNamed) memory.gatekeeper.nameOperation(c, { apiKey, sender });
      isNamed = true;
      return decision;
    };
  };
}
