/** What every handler can reach: the Worker's bindings, and what earlier middleware found out. */
import type { Owner } from "../model/account.ts";
import type { Tenant } from "../model/api-key.ts";

export type AppEnv = {
  Bindings: Env;
  Variables: { requestId: string };
};

/** Behind `authenticateApiKey`. */
export type TenantEnv = AppEnv & { Variables: { apiKeyId: string; tenant: Tenant } };

/** Behind `authenticateOwner`. */
export type OwnerEnv = AppEnv & { Variables: { owner: Owner } };
