/** What an owner sets of the account. */
import type { Context } from "hono";
import { setAccountSettings } from "../database/account-settings.ts";
import { openAccount } from "../database/owners.ts";
import type { AccountSettings } from "../model/api-key-settings.ts";
import { visitAccount } from "./account-databases.ts";
import { heldBack, isHeld, stamp } from "./actions.ts";
import type { OwnerEnv } from "./owner-env.ts";

/** Throws `too-many-requests`. */
export async function changeSettings(c: Context<OwnerEnv>, settings: AccountSettings): Promise<AccountSettings> {
  const { session, accountId } = await visitAccount(c, openAccount);
  const held = await setAccountSettings(session, c.var.owner, accountId, settings, stamp(accountId));
  if (isHeld(held)) throw heldBack(held);
  return settings;
}
