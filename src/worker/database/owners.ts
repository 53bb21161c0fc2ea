/**
 * The directory of account owners: whose e-mail address has which account. The one of database 0 decides; another database repeats
 * the entries of its own accounts.
 */
import type { Identifier } from "../credentials/id.ts";
import { rowsOf } from "./statement.ts";

/** An owner's visit to the database `digit`. `accountId` is the owner's account, or one to make if the owner is new. */
export type Visit = {
  readonly email: string;
  readonly digit: string;
  readonly accountId: Identifier;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * What a visit begins with, in the transaction of what the owner came for. First the directory's entry, which decides which account
 * it is; then the account, in its own database only. So first visits at the same time create one account, and a crash
 * between the two databases leaves an entry without its account, which the next visit creates. An account that has no entry,
 * because it was made by SQL, gets one. The last statement's result is for `accountOf`.
 */
export const beginVisit = (
  session: D1DatabaseSession,
  { email, digit, accountId, now }: Visit,
): readonly D1PreparedStatement[] => [
  session
    .prepare(
      `INSERT INTO owners (email, account_id) VALUES (?1, coalesce((SELECT id FROM accounts WHERE owner_email = ?1), ?2))
       ON CONFLICT DO NOTHING`,
    )
    .bind(email, accountId),
  session
    .prepare(
      `INSERT INTO accounts (id, owner_email, created_at)
       SELECT account_id, email, ?3 FROM owners WHERE email = ?1 AND substr(account_id, 1, 1) = ?2 ON CONFLICT DO NOTHING`,
    )
    .bind(email, digit, now),
  session.prepare("SELECT account_id FROM owners WHERE email = ?1").bind(email),
];

/** How many statements a visit begins with. */
export const VISIT_STATEMENTS = 3;

/** The owner's account, of the results of the batch that began with `beginVisit`. */
export function accountOf(results: readonly D1Result[]): Identifier {
  const [row] = rowsOf<{ account_id: Identifier }>(results[VISIT_STATEMENTS - 1]);
  if (row === undefined) throw new Error("the directory has no entry after a visit");
  return row.account_id;
}
