/** What a handler of the tenant API can reach besides: who the tenant is. */
import type { AppEnv } from "../http/app-env.ts";
import type { Tenant } from "../model/api-key.ts";

export type TenantEnv = AppEnv & { Variables: { apiKeyId: string; tenant: Tenant } };
