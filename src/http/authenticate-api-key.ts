/** Who the tenant is, and whether the limit lets it pass: 401, then 429, then 403. */
import type { Context, MiddlewareHandler } from "hono";
import { chooseDatabase } from "../database/choose-database.ts";
import type { Admission, Tenant } from "../model/api-key.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import type { TenantEnv } from "./app-env.ts";
import type { IsolateMemory } from "./isolate-memory.ts";
import { oncePer } from "./once-per.ts";
import { POLICY, policyHeader, quotaHeader, toSeconds } from "./rate-limit-headers.ts";

/** One answer for every reason; it says what is expected, not what was wrong. */
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

/** Middleware: sets `tenant` and `apiKeyId`, and the rate-limit headers of whatever answer follows. */
export function authenticateApiKey({
  readSettings,
  apiKeys,
  gatekeeper,
}: Pick<IsolateMemory, "readSettings" | "apiKeys" | "gatekeeper">): MiddlewareHandler<TenantEnv> {
  return async function authenticateApiKey(c, next) {
    const { signingKeys } = await readSettings(c.env);
    const apiKey = await apiKeys.verify(c.req.header("X-API-Key"), signingKeys);
    if (!apiKey.ok) throw unauthorized(apiKey.reason);
    const stores = { gates: c.env.API_KEY_GATE, database: chooseDatabase(c.env) };
    const address = c.req.header("CF-Connecting-IP") ?? null;
    const admission = await gatekeeper.admit(stores, apiKey.value, address, Date.now());
    const tenant = enter(c, admission);
    if (tenant.accountSuspended) throw new Problem("forbidden", { detail: "The API key's account is suspended." });
    c.set("tenant", tenant);
    c.set("apiKeyId", apiKey.value.id);
    await next();
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
      throw serviceUnavailable("the key's record is needed and D1 does not give it");
  }
}
