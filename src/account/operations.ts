/** Account Settings as JSON, for the owner's scripts: the OpenAPI document is built from this table too. */
import { ApiKeyChanges, NewApiKey, Rotation } from "../model/account.ts";
import { PageQuery } from "../model/page.ts";

const KEYS = "/account/api/keys";
const KEY = `${KEYS}/{apiKeyId}`;

export const ACCOUNT_OPERATIONS = {
  listApiKeys: { method: "GET", path: KEYS },
  createApiKey: { method: "POST", path: KEYS, body: NewApiKey },
  renameApiKey: { method: "PATCH", path: KEY, body: ApiKeyChanges },
  rotateApiKey: { method: "POST", path: `${KEY}/rotate`, body: Rotation },
  revokeApiKey: { method: "DELETE", path: KEY },
  listActivity: { method: "GET", path: "/account/api/activity", query: PageQuery },
} as const;
