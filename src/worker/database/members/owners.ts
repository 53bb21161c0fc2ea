/**
 * The directory of account owners: which account belongs to which e-mail address. The one in database 0 decides; every other
 * database repeats the entries of its own accounts.
 */
import type { Identifier } from "../../credentials/id.ts";
import { refusesWrites } from "../../store/outage.ts";
import type { Batch, Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** An owner's visit to the database `digit`. `accountId` is the owner's account, or the id for a new one. */
export type Visit = {
  readonly email: string;
  readonly digit: string;
  readonly accountId: Identifier;
  /** Unix milliseconds. */
  readonly now: number;
  /** The account was found before: nothing is written, and an account that is gone is not made again. */
  readonly isFound?: boolean;
};

/**
 * The first statements of a visit, in the same transaction as the owner's request. First comes the directory's entry, which
 * decides the account; then the account, in its own database only. So first visits at the same time create one account, and a
 * crash between the two databases leaves an entry without an account, which the next visit creates. An account that was made by
 * SQL has no entry, and gets one. A member of another account gets none. Neither does the identifier of an account that has lost
 * its creator: it takes the place of the address, and names its account. `accountOf` reads the results.
 */
export const beginVisit = ({ email, digit, accountId, now, isFound }: Visit) => ({
  ...(!isFound && {
    entered: prepare(
      `INSERT INTO owners (email, account_id)
     SELECT :email, coalesce((SELECT id FROM accounts WHERE owner_email = :email), :accountId)
     WHERE :email <> :accountId AND (EXISTS (SELECT 1 FROM accounts WHERE owner_email = :email) OR NOT EXISTS (
       SELECT 1 FROM memberships WHERE email = :email UNION ALL SELECT 1 FROM accounts WHERE id = :accountId))
     ON CONFLICT DO NOTHING`,
      { email, accountId },
    ),
    opened: prepare(
      `INSERT INTO accounts (id, owner_email, created_at, panelist_salt)
     SELECT account_id, email, :now, lower(hex(randomblob(16))) FROM owners WHERE email = :email AND substr(account_id, 1, 1) = :digit ON CONFLICT DO NOTHING`,
      { email, digit, now },
    ),
  }),
  visited: selectVisited(email, digit),
});

type VisitedRow = { readonly account_id: Identifier };

/** For an account in this database, only if it still belongs to the owner. */
const selectVisited = (email: string, digit: string) =>
  prepare<VisitedRow>(
    `SELECT account_id FROM owners WHERE email = :email AND (substr(account_id, 1, 1) <> :digit
       OR EXISTS (SELECT 1 FROM accounts WHERE id = account_id AND owner_email = :email))
     UNION ALL SELECT id FROM accounts WHERE id = :email AND owner_email = id`,
    { email, digit },
  );

/** The owner's account, found in the database `digit` as a visit finds it; nothing is created. */
export const findOwnAccount = async (session: Session, email: string, digit: string): Promise<Identifier | undefined> =>
  (await session.first(selectVisited(email, digit)))?.account_id;

/** A visit that reads. While the database takes no writes, such as when it is full, it still reads, but creates no account. */
export async function readAtVisit<Statements extends Batch>(session: Session, visit: Visit, statements: Statements) {
  const { visited, ...firsts } = beginVisit(visit);
  try {
    return await session.batch({ ...firsts, visited, ...statements });
  } catch (error) {
    if (!refusesWrites(error)) throw error;
    const rows = await session.batch({ visited, ...statements });
    if (!rows.visited?.length) throw error;
    return rows;
  }
}

/** The owner's account and its database, for work that takes more than one statement. */
export async function openAccount(session: Session, visit: Visit) {
  return { session, accountId: accountOf(await readAtVisit(session, visit, {})) };
}

/** The visitor has no account and was not given one, because other accounts may have this member. */
export class NoOwnAccount extends Error {}

/** The owner's account, from the results of the batch that began with `beginVisit`. Throws NoOwnAccount. */
export function accountOf({ visited: [row] }: { readonly visited: readonly VisitedRow[] }): Identifier {
  if (row === undefined) throw new NoOwnAccount();
  return row.account_id;
}
