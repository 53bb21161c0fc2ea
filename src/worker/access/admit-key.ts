/** Decides one request with an API key, for the tenant API and for other services, and counts it once. */
import type { GateCaller, Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { type ApiKeyCredential, type ApiKeyRefusal, verifyApiKey } from "../credentials/api-key.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import type { Tenant } from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import type { Sender } from "../model/seen.ts";
import { Problem } from "../problem.ts";
import type { Database, Databases } from "../store/databases.ts";
import { problemOf, rateLimitHeaders, unauthorized } from "./admission.ts";

/** The API keys whose tag was verified before. */
export class VerifiedApiKeys extends VerifiedCredentials<ApiKeyCredential, ApiKeyRefusal> {
  constructor() {
    super(verifyApiKey);
  }
}

export type KeyMemory = {
  readonly apiKeys: VerifiedApiKeys;
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
};

/** `text` was sent as the key. `scope` null accepts any key. `setHeader` gets the headers of the response, with any status. */
export type KeyQuestion = Sender & {
  readonly text: string | undefined;
  readonly scope: Scope | null;
  readonly setHeader: (name: string, value: string) => void;
};

/** `database` holds all data of the tenant. */
export type AdmittedKey = { readonly apiKeyId: string; readonly tenant: Tenant; readonly database: Database };

/** Throws the problem of a request that is refused. No I/O for a key whose tag is wrong. */
export async function admitKey(
  { apiKeys, gatekeeper, databases }: KeyMemory,
  {
    caller,
    keys,
    question: { text, scope, setHeader, ...sender },
  }: { readonly caller: GateCaller; readonly keys: SigningKeys; readonly question: KeyQuestion },
): Promise<AdmittedKey> {
  const apiKey = await apiKeys.verify(text, keys);
  if (!apiKey.ok) throw unauthorized(apiKey.reason);
  const database = databases.of(caller, apiKey.value.id);
  if (database === undefined) throw unauthorized("of no database");
  const admission = await gatekeeper.admit(caller, database, { ...sender, apiKey: apiKey.value });
  for (const [name, value] of Object.entries(rateLimitHeaders(admission))) setHeader(name, value);
  const problem = problemOf(admission);
  if (problem !== undefined || admission.outcome !== "admitted") throw problem;
  const { tenant } = admission;
  requireScope(tenant, scope);
  return { apiKeyId: apiKey.value.id, tenant, database };
}

/** Throws `forbidden`. */
export function requireScope({ scopes }: Tenant, scope: Scope | null): void {
  if (scope !== null && !scopes.includes(scope))
    throw new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });
}
