/**
 * The directory of account owners: which account belongs to which e-mail address. The one in database 0 decides; every other
 * database repeats the entries of its own accounts.
 */
import type { Identifier } from "../../credentials/id.ts";
import type { Owner } from "../../model/account-key.ts";
import type { Standing } from "../../model/role.ts";
import { refusesWrites } from "../../store/outage.ts";
import type { Batch, Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { STANDING, type StandingRow, toStanding } from "./membership.ts";

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

/** What the owner is there is known in the account's own database alone. */
type VisitedRow = { readonly account_id: Identifier } & {
  readonly [Column in keyof StandingRow]: StandingRow[Column] | null;
};

/** For an account in this database, only if it still belongs to the owner. */
const selectVisited = (email: string, digit: string) =>
  prepare<VisitedRow>(
    `SELECT account_id, owner_role AS role, owner_name AS name, ${STANDING}
     FROM owners LEFT JOIN accounts ON id = account_id AND owner_email = :email
     WHERE email = :email AND (substr(account_id, 1, 1) <> :digit OR id IS NOT NULL)
     UNION ALL SELECT id, owner_role, owner_name, ${STANDING} FROM accounts WHERE id = :email AND owner_email = id`,
    { email, digit },
  );

const standingOf = (
  { role, name, service_token_roles, viewers_export }: VisitedRow,
  actor: string,
): Standing | undefined =>
  role === null || service_token_roles === null || viewers_export === null
    ? undefined
    : toStanding({ role, name, service_token_roles, viewers_export }, actor);

/** The owner's account, found in the database `digit` as a visit finds it, and what the owner is there; nothing is created. */
export async function findOwnAccount(
  session: Session,
  { email, actor }: Pick<Owner, "email" | "actor">,
  digit: string,
): Promise<{ readonly accountId: Identifier; readonly standing: Standing | undefined } | null> {
  const row = await session.first(selectVisited(email, digit));
  return row && { accountId: row.account_id, standing: standingOf(row, actor) };
}

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

/** The owner's account and its database, for work that takes more than one statement, and what the owner is there. */
export const openAccount = (actor: string) => async (session: Session, visit: Visit) => {
  const results = await readAtVisit(session, visit, {});
  const [row] = results.visited;
  return { session, accountId: accountOf(results), standing: row && standingOf(row, actor) };
};

/** Nothing was made in the account yet: it has no board and no API key. */
export const isUnused = async (session: Session, accountId: string): Promise<boolean> =>
  (await session.first(
    prepare(
      `SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId)
         AND NOT EXISTS (SELECT 1 FROM api_keys WHERE account_id = :accountId)`,
      { accountId },
    ),
  )) !== null;

/** The visitor has no account and was not given one, because other accounts may have this member. */
export class NoOwnAccount extends Error {}

/** The owner's account, from the results of the batch that began with `beginVisit`. Throws NoOwnAccount. */
export function accountOf({ visited: [row] }: { readonly visited: readonly VisitedRow[] }): Identifier {
  if (row === undefined) throw new NoOwnAccount();
  return row.account_id;
}
