/** What a handler of the tenant API can use besides: the key and its tenant. */
import type { AppEnv } from "../http/app-env.ts";
import type { Tenant } from "../model/api-key.ts";

export type TenantEnv = AppEnv & { Variables: { apiKeyId: string; tenant: Tenant } };
