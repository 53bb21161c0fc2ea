/** Who may act for an account, as SQL. Every statement that asks for it takes it from here. */
import { ACCOUNT_OF_OWNER } from "../idempotency.ts";

/** The members of the account with this id, an SQL expression. Its creator is one too, with the account's id, unless removed since. */
export const membersOf = (
  account = ":accountId",
): string => `SELECT id, owner_email AS email, NULL AS added_by, created_at FROM accounts
    WHERE id = ${account} AND owner_email <> id
  UNION ALL SELECT id, email, added_by, created_at FROM members WHERE account_id = ${account}`;

/**
 * True while the person acts for the account. It is checked in the transaction, because a body may come long after its headers. The
 * identifier of an account without its creator counts, too: it is nobody's address, and the operator acts under it.
 */
export const isMember = (account = ":accountId", person = ":person"): string =>
  `EXISTS (SELECT 1 FROM accounts WHERE id = ${account} AND owner_email = ${person}
    UNION ALL SELECT 1 FROM members WHERE account_id = ${account} AND email = ${person})`;

/** The same for the account of the owner `:email`. */
export const IS_MEMBER = isMember(ACCOUNT_OF_OWNER);
