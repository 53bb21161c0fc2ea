/**
 * In which database an owner's account is. The directory, in database 0, is asked together with what the owner came for: if the
 * account is there too, that is the only round trip. If not, the isolate goes on to the account's database, and remembers it: an
 * account does not move.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../credentials/id.ts";
import { chooseDatabase, chooseDirectory, chooseNewAccount, DIRECTORY_DIGIT } from "../database/choose-database.ts";
import { findMembership, forgetMembership, listMemberships } from "../database/members.ts";
import { NoOwnAccount, type Visit } from "../database/owners.ts";
import { BoundedMap } from "../memory/bounded-map.ts";
import type { Owner } from "../model/account.ts";
import type { OwnAccount } from "../model/member.ts";
import { Problem } from "../problem.ts";

/** Asks one database, and finds which account is the owner's, there or elsewhere. */
type Ask<Answer> = (session: D1DatabaseSession, visit: Visit) => Promise<Answer>;

/** What a request's context has, among others. */
type Visitor = {
  readonly env: Pick<Env, "DB" | "NEW_ACCOUNTS">;
  readonly var: { readonly owner: Pick<Owner, "email" | "accountId"> };
};

/** The accounts that somebody is a member of who has made none: one of them has to be chosen. */
export class ChooseAccount extends Problem {
  readonly first: string;

  constructor([first, ...others]: readonly [OwnAccount, ...OwnAccount[]]) {
    const ids = [first, ...others].map(({ id }) => id).join(", ");
    super("forbidden", { detail: `Choose the account with \`?account=\`: you are a member of ${ids}.` });
    this.first = first.id;
  }
}

const noDatabase = () =>
  new Problem("forbidden", { detail: "This deployment does not have the database of this account." });

const MAX_OWNERS = 1_000;

export class AccountDatabases {
  /** Accounts that are not in the directory's database, by their owner's address. */
  readonly #elsewhere: BoundedMap<Identifier>;

  constructor(maxOwners = MAX_OWNERS) {
    this.#elsewhere = new BoundedMap({ max: maxOwners });
  }

  /**
   * Creates the account on the first visit of somebody who is a member of none. Throws ChooseAccount to who is a member of others
   * only, and `forbidden` for an account whose database has no binding.
   */
  async visit<Answer extends { readonly accountId: Identifier }>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
    const { email, accountId } = c.var.owner;
    if (accountId !== undefined) return this.#visitAt(c, ask, accountId);
    try {
      return await this.#visitOwn(c, ask);
    } catch (error) {
      if (!(error instanceof NoOwnAccount)) throw error;
      this.#elsewhere.delete(email);
      const accounts = await this.accountsOf(c, email);
      const [first, ...others] = accounts;
      if (first !== undefined) throw new ChooseAccount([first, ...others]);
      try {
        return await this.#visitOwn(c, ask);
      } catch (again) {
        throw again instanceof NoOwnAccount ? noDatabase() : again;
      }
    }
  }

  /** The accounts of a person: those that the directory knows, and that know this member. Entries of others are deleted. */
  async accountsOf(c: Pick<Visitor, "env">, person: string): Promise<readonly OwnAccount[]> {
    const directory = chooseDirectory(c.env);
    const own: OwnAccount[] = [];
    for (const account of await listMemberships(directory, person)) {
      const database = chooseDatabase(c.env, account);
      if (database === undefined) continue;
      const name = await findMembership(database, account, person);
      if (name !== undefined) own.push({ id: account, name });
      else await forgetMembership(directory, account, person);
    }
    return own;
  }

  async #visitOwn<Answer extends { readonly accountId: Identifier }>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
    const { email } = c.var.owner;
    const known = this.#elsewhere.get(email);
    if (known !== undefined) return this.#visitAt(c, ask, known);
    const accountId = createId(chooseNewAccount(c.env, secureRandomBytes), secureRandomBytes);
    const directory = chooseDirectory(c.env).withSession("first-primary");
    const found = await ask(directory, { email, digit: DIRECTORY_DIGIT, accountId, now: Date.now() });
    if (databaseDigit(found.accountId) === DIRECTORY_DIGIT) return found;
    this.#elsewhere.set(email, found.accountId);
    return this.#visitAt(c, ask, found.accountId);
  }

  async #visitAt<Answer>(c: Visitor, ask: Ask<Answer>, accountId: Identifier): Promise<Answer> {
    const database = chooseDatabase(c.env, accountId);
    if (database === undefined) throw noDatabase();
    const visit = { email: c.var.owner.email, digit: databaseDigit(accountId), accountId, now: Date.now() };
    return ask(database.withSession("first-primary"), visit);
  }
}
