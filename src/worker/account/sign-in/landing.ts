/** Where somebody comes to who has just signed in, while this browser has no choice of an account. */
import type { Context } from "hono";
import { isUnused } from "../../database/members/owners.ts";
import { logWarning } from "../../log.ts";
import { accountsOf, directoryOf, invitationsOf, readerOf } from "../account-databases.ts";
import { choiceOf, inAccount, rememberChoice } from "../identity/identity.ts";
import { ACCOUNTS } from "../members/accounts-page.tsx";
import type { OwnerEnv } from "../owner-env.ts";

type Landing = { readonly person: string; readonly returnTo: string };

/**
 * Who joined another account, and made nothing in their own, comes into the one they joined; to the list of accounts when there are several,
 * or an invitation to answer. A failing store keeps nobody out.
 */
export async function landingOf(c: Context<OwnerEnv>, { person, returnTo }: Landing): Promise<string> {
  if (new URL(returnTo, "https://own.invalid").searchParams.has("account")) return returnTo;
  try {
    return await land(c, { person, returnTo });
  } catch (error) {
    logWarning("a sign-in leads to the own account", error);
    return returnTo;
  }
}

async function land(c: Context<OwnerEnv>, { person, returnTo }: Landing): Promise<string> {
  const [accounts, invitations] = await Promise.all([
    accountsOf(c, person),
    invitationsOf(c, person, { limit: 1, after: undefined }),
  ]);
  if (accounts.some(({ id }) => id === choiceOf(c))) return returnTo;
  const joined = accounts.filter(({ name }) => name !== person);
  if (joined.length === 0 && invitations.items.length === 0) return returnTo;
  const own = accounts.find(({ name }) => name === person);
  if (own && !(await isUnused(readerOf(c, own.id) ?? directoryOf(c), own.id))) return returnTo;
  const [only, another] = joined;
  if (only === undefined || another !== undefined || invitations.items.length > 0) return ACCOUNTS;
  rememberChoice(c, only.id);
  return inAccount(returnTo, only.id);
}
