/**
 * In which database an owner's account is: the directory, in database 0, is asked first, and then the account's database. The isolate
 * remembers the answer of the directory, because an account does not move.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../credentials/id.ts";
import { chooseDatabase, chooseDirectory, chooseNewAccount, DIRECTORY_DIGIT } from "../database/choose-database.ts";
import { findMembership, forgetMembership, listMemberships } from "../database/members.ts";
import { NoOwnAccount, openAccount, type Visit } from "../database/owners.ts";
import { withoutSession } from "../database/sessions.ts";
import type { BoundedMap } from "../memory/bounded-map.ts";
import type { Owner } from "../model/account.ts";
import type { OwnAccount } from "../model/member.ts";
import { Problem } from "../problem.ts";

/** Asks the account's database. Throws NoOwnAccount when the account is not the owner's any more. */
type Ask<Answer> = (session: D1DatabaseSession, visit: Visit) => Promise<Answer>;

/** What a request's context has, among others. */
type Visitor = {
  readonly env: Pick<Env, "DB" | "NEW_ACCOUNTS">;
  readonly var: { readonly owner: Owner; readonly ownAccounts: BoundedMap<Identifier> };
  readonly set: (name: "owner", owner: Owner) => void;
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

export const noMember = () => new Problem("forbidden", { detail: "You are not a member of this account." });
const noDatabase = () =>
  new Problem("forbidden", { detail: "This deployment does not have the database of this account." });
const noAccount = () =>
  new Problem("forbidden", {
    detail: "You are a member of no account here, and have made one before. Ask a member to add you.",
  });

/**
 * The accounts of a person: those that the directory knows, and that know this member. An entry of another is deleted. An account
 * whose database does not answer is left out; when none is left, its failure is thrown.
 */
export async function accountsOf(env: Visitor["env"], person: string): Promise<readonly OwnAccount[]> {
  const directory = chooseDirectory(env);
  const answers = await Promise.allSettled(
    (await listMemberships(directory, person)).map(async (id) => {
      const database = chooseDatabase(env, id);
      const name = database && (await findMembership(database, id, person));
      if (database && name === undefined) await forgetMembership(directory, database, id, person);
      return name === undefined ? [] : [{ id, name }];
    }),
  );
  const own = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failed = answers.find((answer) => answer.status === "rejected");
  if (own.length === 0 && failed) throw failed.reason;
  return own;
}

/** Throws ChooseAccount to who is a member of others' accounts only. */
export async function requireChoice(env: Visitor["env"], person: string): Promise<void> {
  const [first, ...others] = await accountsOf(env, person);
  if (first !== undefined && [first, ...others].every(({ name }) => name !== person))
    throw new ChooseAccount([first, ...others]);
}

/**
 * Finds the owner's account, then asks its database. Creates the account on the first visit of somebody who is a member of none. Throws
 * ChooseAccount to who is a member of others only, and `forbidden` to who has made one and left it, and for an account whose database
 * has no binding.
 */
export async function visitAccount<Answer>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
  const { owner } = c.var;
  const { email, accountId } = owner;
  try {
    return await (accountId === undefined ? visitOwn(c, ask) : visitAt(c, ask, accountId));
  } catch (error) {
    if (!(error instanceof NoOwnAccount)) throw error;
    if (accountId !== undefined) {
      // Whoever made it was removed since the request began: its rows have another name for it.
      const database = chooseDatabase(c.env, accountId);
      const name = database && (await findMembership(database, accountId, owner.person));
      if (name === undefined || name === email) throw noMember();
      c.set("owner", { ...owner, email: name });
      return visitAt(c, ask, accountId);
    }
    c.var.ownAccounts.delete(email);
    await requireChoice(c.env, email);
    try {
      return await visitOwn(c, ask);
    } catch (again) {
      throw again instanceof NoOwnAccount ? noAccount() : again;
    }
  }
}

async function visitOwn<Answer>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
  const { email } = c.var.owner;
  const known = c.var.ownAccounts.get(email);
  if (known !== undefined) return visitAt(c, ask, known);
  const newId = createId(chooseNewAccount(c.env, secureRandomBytes), secureRandomBytes);
  const directory = withoutSession(chooseDirectory(c.env));
  const visit = { email, digit: DIRECTORY_DIGIT, accountId: newId, now: Date.now() };
  const { accountId } = await openAccount(directory, visit);
  c.var.ownAccounts.set(email, accountId);
  return visitAt(c, ask, accountId);
}

async function visitAt<Answer>(c: Visitor, ask: Ask<Answer>, accountId: Identifier): Promise<Answer> {
  const database = chooseDatabase(c.env, accountId);
  if (database === undefined) throw noDatabase();
  const visit = { email: c.var.owner.email, digit: databaseDigit(accountId), accountId, now: Date.now() };
  return ask(withoutSession(database), visit);
}
