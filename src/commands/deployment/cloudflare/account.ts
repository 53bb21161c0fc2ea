/** The login, and the one account in which everything happens. */
import { Failure } from "../../command-line/failure.ts";
import { messageOf, type Wrangler } from "./wrangler.ts";

export type Account = { readonly id: string; readonly name: string };

type WhoAmI = { loggedIn: boolean; accounts?: Account[] };

/** A command that needs no account may continue without one. */
export class NotLoggedIn extends Failure {}

/** `configured` is the account_id of wrangler.toml, which wrangler takes first. Throws a Failure that says how to log in, or how to choose. */
export async function chooseAccount(wrangler: Wrangler, configured: string | undefined): Promise<Account> {
  const variable = wrangler.context.variables.CLOUDFLARE_ACCOUNT_ID || undefined;
  const wanted = configured || variable;
  if (variable !== undefined && wanted !== variable) {
    throw new Failure(
      `wrangler.toml names the account ${wanted}, and CLOUDFLARE_ACCOUNT_ID ${variable}. Take one of them away.`,
    );
  }
  const result = await wrangler.try(["whoami", "--json"]);
  const who = whoIn(result.stdout);
  if (who === undefined || (!result.ok && who.loggedIn)) {
    throw new Failure(
      `\`wrangler whoami\` failed:\n${messageOf(result)}\nIf the login has expired: npx wrangler login`,
    );
  }
  if (!who.loggedIn) {
    throw new NotLoggedIn(
      "You are not logged in to Cloudflare. Run `npx wrangler login`. Without a browser, as in CI: set CLOUDFLARE_API_TOKEN " +
        "to an API token made from the template “Edit Cloudflare Workers”, with the permission D1: Edit added.",
    );
  }
  const accounts = who.accounts ?? [];
  if (wanted !== undefined) {
    const found = accounts.find(({ id }) => id === wanted);
    // A token may not be allowed to list accounts.
    if (found === undefined && accounts.length > 0) {
      throw new Failure(`This login has no access to the account ${wanted}. It has access to:\n${listOf(accounts)}`);
    }
    return found ?? { id: wanted, name: "account" };
  }
  const [only, ...others] = accounts;
  if (only === undefined)
    throw new Failure("This login has no account. Set CLOUDFLARE_ACCOUNT_ID to the account's id.");
  if (others.length > 0) {
    throw new Failure(
      'This login has several accounts. Choose one: write account_id = "…" near the top of wrangler.toml, ' +
        `or set CLOUDFLARE_ACCOUNT_ID.\n${listOf(accounts)}`,
    );
  }
  return only;
}

function whoIn(stdout: string): WhoAmI | undefined {
  try {
    return JSON.parse(stdout.slice(stdout.indexOf("{")));
  } catch {
    return undefined;
  }
}

const listOf = (accounts: readonly Account[]) => accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
