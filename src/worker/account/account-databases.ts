/**
 * In which database an owner's account is. The directory, in database 0, is asked together with what the owner came for: if the
 * account is there too, that is the only round trip. If not, the isolate goes on to the account's database, and remembers it: an
 * account does not move.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../credentials/id.ts";
import { chooseDatabase, chooseDirectory, chooseNewAccount, DIRECTORY_DIGIT } from "../database/choose-database.ts";
import type { Visit } from "../database/owners.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Owner } from "../model/account.ts";
import { Problem } from "../problem.ts";

/** Asks one database, and finds which account is the owner's, there or elsewhere. */
type Ask<Answer> = (session: D1DatabaseSession, visit: Visit) => Promise<Answer>;

/** What a request's context has, among others. */
type Visitor = {
  readonly env: Pick<Env, "DB" | "NEW_ACCOUNTS">;
  readonly var: { readonly owner: Pick<Owner, "email"> };
};

const MAX_OWNERS = 1_000;

export class AccountDatabases {
  /** Accounts that are not in the directory's database, by their owner's address. */
  readonly #elsewhere: BoundedMap<Identifier>;

  constructor(maxOwners = MAX_OWNERS) {
    this.#elsewhere = new BoundedMap({ max: maxOwners });
  }

  /** Creates the account on the owner's first visit. Throws `forbidden` for an account whose database has no binding. */
  async visit<Answer extends { readonly accountId: Identifier }>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
    const { email } = c.var.owner;
    const now = Date.now();
    let account = this.#elsewhere.get(email);
    if (account === undefined) {
      const accountId = createId(chooseNewAccount(c.env, secureRandomBytes), secureRandomBytes);
      const directory = chooseDirectory(c.env).withSession("first-primary");
      const found = await ask(directory, { email, digit: DIRECTORY_DIGIT, accountId, now });
      if (databaseDigit(found.accountId) === DIRECTORY_DIGIT) return found;
      account = found.accountId;
      this.#elsewhere.set(email, account);
    }
    const database = chooseDatabase(c.env, account);
    if (database === undefined)
      throw new Problem("forbidden", { detail: "This deployment does not have the database of this account." });
    return ask(database.withSession("first-primary"), {
      email,
      digit: databaseDigit(account),
      accountId: account,
      now,
    });
  }
}
