/** What an owner sets of the account. */
import type { Context } from "hono";
import { setAccountSettings } from "../database/account-settings.ts";
import { stamp } from "../database/audit-events.ts";
import { openAccount } from "../database/owners.ts";
import type { AccountSettings } from "../model/api-key-settings.ts";
import { Problem } from "../problem.ts";
import { visitAccount } from "./account-databases.ts";
import type { OwnerEnv } from "./owner-env.ts";

export async function changeSettings(c: Context<OwnerEnv>, settings: AccountSettings): Promise<AccountSettings> {
  const { session, accountId } = await visitAccount(c, openAccount);
  const isSet = await setAccountSettings(session, c.var.owner, accountId, settings, stamp(accountId));
  if (!isSet) throw new Problem("conflict", { detail: "Nothing was changed." });
  return settings;
}
