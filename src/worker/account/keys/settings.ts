/** `/account/api/settings`: what becomes of a key that is found in public, and who the account's people are on a public page. */
import type { Context } from "hono";
import { loadAccountSettings, setAccountSettings } from "../../database/accounts/account-settings.ts";
import { stamp } from "../../database/activity/audit-events.ts";
import { AccountSettings, NewAccountSettings } from "../../model/api-key-settings.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { orNotFound } from "../frame/decide.ts";
import { operation } from "../operation.ts";
import type { OwnerEnv } from "../owner-env.ts";

export async function changeSettings(c: Context<OwnerEnv>, changes: NewAccountSettings): Promise<AccountSettings> {
  const { session, accountId } = await openOwn(c);
  const changed = await setAccountSettings(session, {
    owner: c.var.owner,
    accountId,
    changes,
    stamp: stamp(accountId),
  });
  if (changed === null) throw new Problem("conflict", { detail: "Nothing was changed." });
  return changed;
}

export const SETTINGS_OPERATIONS = {
  getSettings: operation({
    method: "GET",
    effect: "reads",
    path: "/account/api/settings",
    answer: AccountSettings,
    summary: "Read the account's settings",
    handle: async (c) => {
      const { session, accountId } = await openOwn(c);
      return c.json(orNotFound(await loadAccountSettings(session, accountId)));
    },
  }),
  changeSettings: operation({
    method: "PUT",
    needs: "admin",
    effect: "overwrites",
    path: "/account/api/settings",
    body: NewAccountSettings,
    answer: AccountSettings,
    summary: "Change the account's settings",
    description: "Settings that are not sent stay as they are.",
    handle: async (c, { body }) => c.json(await changeSettings(c, body)),
  }),
};
