/** `/account/api`: the same actions as the pages, as JSON. */
import { readInput } from "../http/read-input.ts";
import { routeOperations } from "../http/route-operations.ts";
import { ACTIVITY_OPERATIONS } from "./activity/api.ts";
import { requireRole, requireRoleFor } from "./identity/role.ts";
import { API_KEY_OPERATIONS } from "./keys/api.ts";
import { SETTINGS_OPERATIONS } from "./keys/settings.ts";
import { MEMBER_OPERATIONS } from "./members/api.ts";
import type { OwnerOperation } from "./operation.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { TOKEN_END_OPERATIONS } from "./tokens/api.ts";
import { WEBHOOK_OPERATIONS } from "./webhooks/api.ts";

export const ACCOUNT_OPERATIONS = {
  ...API_KEY_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...TOKEN_END_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
};

export const createAccountApi = () =>
  routeOperations<OwnerEnv, OwnerOperation>(ACCOUNT_OPERATIONS, async (c, operation) => {
    const input = await readInput(c, operation, "account");
    const id = input.ids.apiKeyId ?? input.ids.webhookId;
    await (id === undefined ? requireRole(c, operation.needs) : requireRoleFor(c, operation.needs, id));
    return operation.handle(c, input);
  });
