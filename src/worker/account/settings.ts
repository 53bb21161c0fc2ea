/** `/account/api/settings` and `/account/api/activity`. */
import type { Context } from "hono";
import { setAccountSettings } from "../database/account-settings.ts";
import { listAuditEvents, stamp } from "../database/audit-events.ts";
import { openAccount } from "../database/owners.ts";
import { respondPage } from "../http/pagination.ts";
import { AccountSettings, NewAccountSettings } from "../model/api-key-settings.ts";
import { ActivityQuery, AuditEvent } from "../model/audit-event.ts";
import { Problem } from "../problem.ts";
import { visitAccount } from "./account-databases.ts";
import { operation } from "./operation.ts";
import type { OwnerEnv } from "./owner-env.ts";

export async function changeSettings(c: Context<OwnerEnv>, settings: AccountSettings): Promise<AccountSettings> {
  const { session, accountId } = await visitAccount(c, openAccount);
  const isSet = await setAccountSettings(session, { owner: c.var.owner, accountId, settings, stamp: stamp(accountId) });
  if (!isSet) throw new Problem("conflict", { detail: "Nothing was changed." });
  return settings;
}

export const SETTINGS_OPERATIONS = {
  changeSettings: operation({
    method: "PUT",
    effect: "overwrites",
    path: "/account/api/settings",
    body: NewAccountSettings,
    answer: AccountSettings,
    summary: "Change the account's settings",
    description: "The list of API keys shows them.",
    handle: async (c, { body }) => c.json(await changeSettings(c, body)),
  }),

  listActivity: operation({
    method: "GET",
    effect: "reads",
    path: "/account/api/activity",
    query: ActivityQuery,
    answer: AuditEvent,
    summary: "List what happened to the API keys and the webhooks",
    description: "Newest first.",
    handle: async (c, { query, page: request }) => {
      const { page } = await visitAccount(c, (session, visit) =>
        listAuditEvents(session, { visit, request, apiKeyId: query.apiKeyId }),
      );
      return respondPage(c, page);
    },
  }),
};
