/** What every handler can reach: the Worker's bindings, and what earlier middleware found out. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { Changelogs } from "../changelog/changelogs.ts";
import type { IdeaBankSnapshots } from "../idea-bank/snapshots.ts";
import type { Owner } from "../model/account.ts";
import type { Tenant } from "../model/api-key.ts";
import type { createSettingsReader } from "../settings.ts";

/** What an isolate remembers from one request to the next. Values only, never promises: those belong to their request. */
export type IsolateMemory = {
  readonly readSettings: ReturnType<typeof createSettingsReader>;
  readonly gatekeeper: Gatekeeper;
  readonly snapshots: IdeaBankSnapshots;
  readonly changelogs: Changelogs;
};

export type AppEnv = {
  Bindings: Env;
  Variables: { requestId: string };
};

/** Behind `authenticateApiKey`. */
export type TenantEnv = AppEnv & { Variables: { apiKeyId: string; tenant: Tenant } };

/** Behind `authenticateOwner`. */
export type OwnerEnv = AppEnv & { Variables: { owner: Owner } };
