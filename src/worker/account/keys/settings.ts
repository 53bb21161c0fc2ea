/** `/account/api/settings`: what becomes of a key that is found in public. */
import type { Context } from "hono";
import { setAccountSettings } from "../../database/accounts/account-settings.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import { AccountSettings, NewAccountSettings } from "../../model/api-key-settings.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { operation } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";

export async function changeSettings(c: Context<OwnerEnv>, settings: AccountSettings): Promise<AccountSettings> {
  const { session, accountId } = await openOwn(c);
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
};
