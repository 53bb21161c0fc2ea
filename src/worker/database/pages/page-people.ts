/**
 * The people who sign in on a board's page: panelists with a verified address and an identifier of their own.
 *
 * An address finds the panelist who has verified it. A tenant's own panelist is found by an `externalId` that is the address only where the
 * account has said that its ids are addresses which it has verified: otherwise whoever registers at the tenant with somebody's address
 * would become that person here.
 */
import { withoutTag } from "../../model/mailbox.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { IS_GOOD, USE_CODE } from "./sign-in-codes.ts";

/** `code` is the hash of the right code `codeId`; `email` its address in plain form, `mailbox` the mailbox behind it. */
type RightCode = {
  readonly accountId: string;
  readonly codeId: string;
  readonly code: string;
  readonly email: string;
  readonly mailbox: string;
  readonly newPanelistId: string;
  /** Null leaves the name as it is. */
  readonly name: string | null;
  /** In which the person reads e-mails from now on. */
  readonly language: string;
  /** Unix milliseconds. */
  readonly now: number;
};

/** `ended`: the code has ended in the meantime. `blocked`: the team has blocked somebody with this mailbox. */
type PagePerson =
  | { readonly kind: "found"; readonly panelistId: string; readonly name: string | null }
  | { readonly kind: "blocked" }
  | { readonly kind: "ended" };

const BY_ADDRESS = "account_id = :accountId AND email = :email AND email_verified = 1 AND deleted_at IS NULL";
const IDS_ARE_ADDRESSES = "EXISTS (SELECT 1 FROM accounts WHERE id = :accountId AND external_ids_are_emails = 1)";
/** Ids are compared exactly, as everywhere, and the address is in lower case. */
const BY_EXTERNAL_ID = `account_id = :accountId AND external_id = :email AND deleted_at IS NULL AND ${IDS_ARE_ADDRESSES}`;
/** A block is of the mailbox, so an address with a tag does not pass by the block of the address without it. */
const IS_BLOCKED = `(EXISTS (SELECT 1 FROM panelists WHERE account_id = :accountId AND mailbox = :mailbox AND active = 0 AND deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM panelists WHERE account_id = :accountId AND external_id IN (:email, :untagged, :mailbox) AND active = 0
    AND deleted_at IS NULL AND ${IDS_ARE_ADDRESSES}))`;

/** Uses the code, and finds or makes its person: one transaction, so of several uses at the same moment one makes somebody. */
export async function signInByCode(session: Session, rightCode: RightCode): Promise<PagePerson> {
  const right = { ...rightCode, untagged: withoutTag(rightCode.email) };
  const may = `${IS_GOOD} AND NOT ${IS_BLOCKED}`;
  const rows = await session.batch({
    state: prepare<{ good: number; blocked: number }>(`SELECT ${IS_GOOD} AS good, ${IS_BLOCKED} AS blocked`, right),
    joined: prepare(
      `UPDATE panelists SET email = :email, email_verified = 1, mailbox = :mailbox
       WHERE ${BY_EXTERNAL_ID} AND email_verified = 0 AND NOT EXISTS (SELECT 1 FROM panelists WHERE ${BY_ADDRESS}) AND ${may}`,
      right,
    ),
    made: prepare(
      `INSERT INTO panelists (id, account_id, external_id, display_name, created_at, tokens_issued, email, email_verified, mailbox, language)
       SELECT :newPanelistId, :accountId, NULL, :name, :now, 1, :email, 1, :mailbox, :language
       WHERE ${may} AND NOT EXISTS (SELECT 1 FROM panelists WHERE ${BY_ADDRESS}) ON CONFLICT DO NOTHING`,
      right,
    ),
    // A tenant's own person keeps the name that the tenant gave.
    named: prepare(
      `UPDATE panelists SET display_name = :name WHERE ${BY_ADDRESS} AND :name IS NOT NULL AND display_name IS NOT :name
         AND (external_id IS NULL OR display_name IS NULL) AND ${may}`,
      right,
    ),
    // A code arrived, so the address can be reached.
    spoken: prepare(
      `UPDATE panelists SET language = :language, unreachable_at = NULL WHERE ${BY_ADDRESS}
         AND (language IS NOT :language OR unreachable_at IS NOT NULL) AND ${may}`,
      right,
    ),
    used: prepare(USE_CODE, right),
    found: prepare<{ id: string; name: string | null }>(
      `SELECT id, display_name AS name FROM panelists WHERE ${BY_ADDRESS}`,
      right,
    ),
  });
  const [state] = rows.state;
  const [person] = rows.found;
  if (state?.good !== 1) return { kind: "ended" };
  if (state.blocked === 1) return { kind: "blocked" };
  return person === undefined ? { kind: "ended" } : { kind: "found", panelistId: person.id, name: person.name };
}

/** The addresses and the names of the people who answer as the team: whoever made the account, and its members. */
export async function teamOf(session: Session, accountId: string): Promise<readonly string[]> {
  const rows = await session.all(
    prepare<{ email: string; name: string | null }>(
      `SELECT owner_email AS email, owner_name AS name FROM accounts WHERE id = :accountId
       UNION ALL SELECT email, name FROM (SELECT email, name FROM members WHERE account_id = :accountId LIMIT 100)`,
      { accountId },
    ),
  );
  return rows.flatMap(({ email, name }) => (name === null ? [email] : [email, name]));
}

/** Null for a panelist without a name, and for one without a row. */
export const nameOfPanelist = async (
  session: Session,
  panelist: { readonly accountId: string; readonly panelistId: string },
): Promise<string | null> =>
  (
    await session.first(
      prepare<{ name: string | null }>(
        "SELECT display_name AS name FROM panelists WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL",
        panelist,
      ),
    )
  )?.name ?? null;
