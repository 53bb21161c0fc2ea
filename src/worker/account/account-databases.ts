/**
 * In which database an owner's account is: the directory, in database 0, is asked first, and then the account's database. The isolate
 * remembers the answer of the directory, because an account does not move.
 */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../credentials/id.ts";
import { findMembership, forgetMembership, listMemberships } from "../database/members.ts";
import { NoOwnAccount, openAccount, type Visit } from "../database/owners.ts";
import type { BoundedMap } from "../memory/bounded-map.ts";
import type { Owner } from "../model/account.ts";
import type { OwnAccount } from "../model/member.ts";
import { Problem } from "../problem.ts";
import { chooseNewAccount, DIRECTORY_DIGIT } from "../store/bindings.ts";
import type { Caller, Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";

/** Asks the account's database. Throws NoOwnAccount when the account is not the owner's any more. */
type Ask<Answer> = (session: Session, visit: Visit) => Promise<Answer>;

/** A request, as Hono's context has it. */
type AccountCaller = Caller & {
  readonly env: Pick<Env, "NEW_ACCOUNTS">;
  readonly var: { readonly databases: Databases };
};
type Visitor = AccountCaller & {
  readonly var: { readonly owner: Owner; readonly ownAccounts: BoundedMap<Identifier> };
  readonly set: (name: "owner", owner: Owner) => void;
};

/** Owners need no bookmarks: nothing of theirs is read at a replica. */
export const directoryOf = (c: AccountCaller): Session => c.var.databases.directory(c).withoutSession();
/** The primary of the account's database; undefined when no binding has it. */
const sessionOf = (c: AccountCaller, accountId: string): Session | undefined =>
  c.var.databases.of(c, accountId)?.withoutSession();

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
export async function accountsOf(c: AccountCaller, person: string): Promise<readonly OwnAccount[]> {
  const directory = directoryOf(c);
  const answers = await Promise.allSettled(
    (await listMemberships(directory, person)).map(async (id) => {
      const session = sessionOf(c, id);
      const name = session && (await findMembership(session, id, person));
      if (session && name === undefined) await forgetMembership(directory, session, id, person);
      return name === undefined ? [] : [{ id, name }];
    }),
  );
  const own = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failed = answers.find((answer) => answer.status === "rejected");
  if (own.length === 0 && failed) throw failed.reason;
  return own;
}

/** Throws ChooseAccount to who is a member of others' accounts only. */
export async function requireChoice(c: AccountCaller, person: string): Promise<void> {
  const [first, ...others] = await accountsOf(c, person);
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
      const session = sessionOf(c, accountId);
      const name = session && (await findMembership(session, accountId, owner.person));
      if (name === undefined || name === email) throw noMember();
      c.set("owner", { ...owner, email: name });
      return visitAt(c, ask, accountId);
    }
    c.var.ownAccounts.delete(email);
    await requireChoice(c, email);
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
  const visit = { email, digit: DIRECTORY_DIGIT, accountId: newId, now: Date.now() };
  const { accountId } = await openAccount(directoryOf(c), visit);
  c.var.ownAccounts.set(email, accountId);
  return visitAt(c, ask, accountId);
}

async function visitAt<Answer>(c: Visitor, ask: Ask<Answer>, accountId: Identifier): Promise<Answer> {
  const session = sessionOf(c, accountId);
  if (session === undefined) throw noDatabase();
  const visit = { email: c.var.owner.email, digit: databaseDigit(accountId), accountId, now: Date.now() };
  return ask(session, visit);
}
