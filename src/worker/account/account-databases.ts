/**
 * Finds the database of an owner's account. The directory in database 0 is asked first, then the account's own database. The
 * isolate remembers the directory's answer, because an account does not move.
 */
import type { Context } from "hono";
import { noSuchKey } from "../api-key-gate/key-changes.ts";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId, databaseDigit, type Identifier } from "../credentials/id.ts";
import { findInvitation, forgetInvited, listInvited } from "../database/members/invitations.ts";
import { findMembership, forgetMembership, listMemberships } from "../database/members/members.ts";
import { findOwnAccount, NoOwnAccount, openAccount, type Visit } from "../database/members/owners.ts";
import type { Whose } from "../http/app-env.ts";
import type { Owner } from "../model/account-key.ts";
import { isId } from "../model/id.ts";
import type { Invitation, OwnAccount } from "../model/member.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { Standing } from "../model/role.ts";
import { Problem } from "../problem.ts";
import { chooseNewAccount, DIRECTORY_DIGIT } from "../store/bindings.ts";
import type { Caller, Databases } from "../store/databases.ts";
import type { Session } from "../store/session.ts";
import { allConfirmed, confirmAccount, isPageRead, NoLongerSo, personConfirmed } from "./confirm.ts";
import type { KnownOwners } from "./known-owners.ts";
import type { Own, OwnerEnv } from "./owner-env.ts";

/** The account of an answer, as its own database names it. An account that SQL made has another name in the directory. */
type OfAccount = { readonly accountId: Identifier };
/** Asks the account's database. Throws NoOwnAccount when the account does not belong to the owner any more. */
type Ask<Answer extends OfAccount> = (session: Session, visit: Visit) => Promise<Answer>;

/** A request, as Hono's context has it. */
type AccountCaller = Caller & {
  readonly env: Pick<Env, "NEW_ACCOUNTS">;
  readonly req: { readonly method: string };
  readonly var: { readonly databases: Databases; readonly sessions: Map<string, Session> };
};
type Visitor = AccountCaller & {
  readonly var: {
    readonly owner: Owner;
    readonly known: KnownOwners;
    readonly unconfirmed?: readonly Promise<unknown>[];
  };
  readonly set: {
    (name: "owner", owner: Owner): void;
    (name: "whose", whose: Whose): void;
  };
};

/** A session without bookmarks, because Account Settings never reads at a replica. */
export const directoryOf = (c: AccountCaller): Session => c.var.databases.directory(c).withoutSession();
/** The primary of the account's database; undefined when no binding has it. */
const sessionOf = (c: AccountCaller, accountId: string): Session | undefined =>
  c.var.databases.of(c, accountId)?.withoutSession();

/**
 * As `sessionOf`, for statements that write nothing: what a page reads at once is one round trip, in which a write that the database
 * refuses would fail them all.
 */
export function readerOf(c: AccountCaller, accountId: string): Session | undefined {
  const { sessions } = c.var;
  const digit = databaseDigit(accountId);
  const reader = sessions.get(digit) ?? sessionOf(c, accountId)?.gathered();
  if (reader !== undefined) sessions.set(digit, reader);
  return reader;
}

export const directoryReaderOf = (c: AccountCaller): Session => readerOf(c, DIRECTORY_DIGIT) ?? directoryOf(c);

/**
 * A session at the primary of the database of `id`, which identifies a key, an account or a webhook. Throws `none` for a text
 * that cannot be an identifier. Owners need no D1 session, because Account Settings never reads at a replica.
 */
export function primaryOf(c: AccountCaller, id: string, none = noSuchKey): Session {
  const database = isId(id) ? c.var.databases.of(c, id) : undefined;
  if (database === undefined) throw none();
  return database.withoutSession();
}

/** Thrown for a person who has made no account and is a member of others' accounts, so that one has to be chosen. */
export class ChooseAccount extends Problem {
  readonly accounts: readonly OwnAccount[];

  constructor(accounts: readonly OwnAccount[]) {
    const ids = accounts.map(({ id }) => id).join(", ");
    super("forbidden", { detail: `Choose the account with \`?account=\`: you are a member of ${ids}.` });
    this.accounts = accounts;
  }
}

export const noMember = () => new Problem("forbidden", { detail: "You are not a member of this account." });
const noDatabase = () =>
  new Problem("forbidden", { detail: "This deployment does not have the database of this account." });
const noAccount = () =>
  new Problem("forbidden", {
    detail:
      "You are no longer a member of any account here. Ask a member to invite you, then accept at /account/accounts.",
  });

/**
 * The accounts of a person: those that the directory lists and that confirm this member. Other entries are deleted. An account
 * whose database does not answer is left out; if none is left, its failure is thrown.
 */
export async function accountsOf(c: AccountCaller, person: string): Promise<readonly OwnAccount[]> {
  const directory = directoryOf(c);
  return askEach(c, await listMemberships(directoryReaderOf(c), person), async (id, session) => {
    const name = await findMembership(session, id, person);
    if (name === undefined) await forgetMembership(directory, { session, accountId: id, person });
    return name === undefined ? [] : [{ id, name }];
  });
}

/** A page of the person's unanswered invitations, newest first, found in the same way. */
export async function invitationsOf(c: AccountCaller, person: string, request: PageRequest): Promise<Page<Invitation>> {
  const directory = directoryOf(c);
  const now = Date.now();
  const { items, next } = await listInvited(directoryReaderOf(c), person, request);
  const invitations = await askEach(c, items, async (accountId, session) => {
    const invitation = await findInvitation(session, { accountId, person, now });
    if (invitation === null) await forgetInvited(directory, { session, accountId, person, now });
    return invitation === null ? [] : [invitation];
  });
  return { items: invitations, next };
}

async function askEach<Item>(
  c: AccountCaller,
  ids: readonly Identifier[],
  ask: (id: Identifier, session: Session) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const answers = await Promise.allSettled(
    ids.map(async (id) => {
      const session = readerOf(c, id);
      return session === undefined ? [] : ask(id, session);
    }),
  );
  const items = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failed = answers.find((answer) => answer.status === "rejected");
  if (items.length === 0 && failed) throw failed.reason;
  return items;
}

/** Throws ChooseAccount if the person is a member of others' accounts only. */
export async function requireChoice(c: AccountCaller, person: string): Promise<void> {
  const accounts = await accountsOf(c, person);
  if (accounts.length > 0 && accounts.every(({ name }) => name !== person)) throw new ChooseAccount(accounts);
}

/**
 * Finds the owner's account, then asks its database. Creates the account on the first visit of a person who is a member of none.
 * Throws ChooseAccount if the person is a member of others' accounts only; `forbidden` if the person has made an account and left
 * it, or the account's database has no binding.
 */
export async function visitAccount<Answer extends OfAccount>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
  const { owner } = c.var;
  const { email, accountId } = owner;
  try {
    return await (accountId === undefined ? visitOwn(c, ask) : visitAt(c, ask, accountId, { isFound: true }));
  } catch (error) {
    if (!(error instanceof NoOwnAccount)) throw error;
    if (accountId !== undefined) {
      // The account's creator was removed since the request began, so its rows have another name for it.
      const session = sessionOf(c, accountId);
      const name = session && (await findMembership(session, accountId, owner.person));
      if (name === undefined || name === email) throw noMember();
      c.set("owner", { ...owner, email: name });
      return visitAt(c, ask, accountId, { isFound: true });
    }
    c.var.known.accounts.delete(email);
    await requireChoice(c, email);
    try {
      return await visitOwn(c, ask);
    } catch (again) {
      throw again instanceof NoOwnAccount ? noAccount() : again;
    }
  }
}

async function visitOwn<Answer extends OfAccount>(c: Visitor, ask: Ask<Answer>): Promise<Answer> {
  const { email } = c.var.owner;
  const { accounts } = c.var.known;
  const known = accounts.get(email);
  const answer =
    known === undefined
      ? await visitAt(c, ask, await findInDirectory(c, email), { isFound: false })
      : await visitAt(c, ask, known, { isFound: true });
  accounts.set(email, answer.accountId);
  return answer;
}

/** The account that the directory has for the owner, whose entry is made now if there is none: for nobody who is not confirmed. */
async function findInDirectory(c: Visitor, email: string): Promise<Identifier> {
  await personConfirmed(c);
  const newId = createId(chooseNewAccount(c.env, secureRandomBytes), secureRandomBytes);
  const visit = { email, digit: DIRECTORY_DIGIT, accountId: newId, now: Date.now() };
  const { accountId } = await openAccount(c.var.owner.actor)(directoryOf(c), visit);
  return accountId;
}

async function visitAt<Answer extends OfAccount>(
  c: Visitor,
  ask: Ask<Answer>,
  accountId: Identifier,
  { isFound }: Required<Pick<Visit, "isFound">>,
): Promise<Answer> {
  const session = sessionOf(c, accountId);
  if (session === undefined) throw noDatabase();
  c.set("whose", { account: accountId });
  const visit = { email: c.var.owner.email, digit: databaseDigit(accountId), accountId, now: Date.now(), isFound };
  return ask(session, visit);
}

/** Opens the owner's account, once for a request. Throws as `visitAccount` does. */
export function openOwn(c: Context<OwnerEnv>): Promise<Own> {
  const own = c.get("own") ?? open(c);
  c.set("own", own);
  return own;
}

/** A page reads an account that is known while it is confirmed that the account is still this owner's. */
async function open(c: Context<OwnerEnv>): Promise<Own> {
  const { email, actor, accountId } = c.var.owner;
  const known = accountId ?? (isPageRead(c) ? c.var.known.accounts.get(email) : undefined);
  if (known === undefined) {
    const { standing, ...own } = await visitAccount(c, openAccount(actor));
    c.set("standing", Promise.resolve(standing));
    return own;
  }
  const session = isPageRead(c) ? readerOf(c, known) : sessionOf(c, known);
  if (session === undefined) throw noDatabase();
  c.set("whose", { account: known });
  if (accountId === undefined) {
    const confirmed = confirmOwn(c, session, known);
    confirmAccount(c, confirmed);
    c.set("standing", confirmed);
  }
  return { session: session.confirmedBy(allConfirmed(c)), accountId: known };
}

async function confirmOwn(
  c: Context<OwnerEnv>,
  session: Session,
  accountId: Identifier,
): Promise<Standing | undefined> {
  const { email, actor } = c.var.owner;
  const own = await findOwnAccount(session, c.var.owner, databaseDigit(accountId));
  if (own?.accountId === accountId) return own.standing;
  c.var.known.accounts.delete(email);
  await visitAccount(c, openAccount(actor));
  throw new NoLongerSo();
}

/** What the person or script is in the account that is open. It comes with what shows whose account it is, so it costs no call of its own. */
export async function standingOf(c: Context<OwnerEnv>): Promise<Standing> {
  if (c.get("standing") === undefined) await openOwn(c);
  const standing = await c.get("standing");
  if (standing === undefined) throw noMember();
  return standing;
}
