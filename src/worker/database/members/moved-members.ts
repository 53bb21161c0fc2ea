/**
 * Gives a person's memberships to another e-mail address, because an address may change. The directory in database 0 gets the new
 * address first, then each account's own database decides, then the directory forgets the old one. Repeating completes it.
 */
import type { Identifier } from "../../credentials/id.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditMove } from "../activity/audit-events.ts";
import { selectActive } from "../keys/api-key-rows.ts";
import { isMember, membersOf } from "./membership.ts";
import { type NewAddress, reserveAddress } from "./subjects.ts";

/** Two addresses, in lower case. */
export type Move = { readonly from: string; readonly to: string };

/** The directory's entries before a move: the old address's accounts, and the account that each address has made. */
type Movable = {
  readonly accountIds: readonly Identifier[];
  readonly madeByOld: Identifier | undefined;
  readonly madeByNew: Identifier | undefined;
};

export async function loadMovable(directory: Session, { from, to }: Move): Promise<Movable> {
  const made = (email: string) =>
    prepare<{ account_id: Identifier }>("SELECT account_id FROM owners WHERE email = :email", { email });
  const rows = await directory.batch({
    all: prepare<{ account_id: Identifier }>(
      `SELECT account_id FROM owners WHERE email = :from UNION SELECT account_id FROM memberships WHERE email = :from`,
      { from },
    ),
    old: made(from),
    new: made(to),
  });
  return {
    accountIds: rows.all.map(({ account_id }) => account_id),
    madeByOld: rows.old[0]?.account_id,
    madeByNew: rows.new[0]?.account_id,
  };
}

/**
 * Lets the new address find the accounts. An address that has made an account keeps that one as its own. With `newAddress`, only if the
 * address can be reserved for that subject, in the same transaction. False when it cannot.
 */
export async function announceMove(
  directory: Session,
  { to }: Move,
  { accountIds, madeByOld, newAddress }: Movable & { readonly newAddress: NewAddress | undefined },
): Promise<boolean> {
  const { reserved, condition, values } = newAddress
    ? reserveAddress(newAddress)
    : { reserved: undefined, condition: "TRUE", values: {} };
  const { may } = await directory.batch({
    reserved,
    memberships: prepare(
      `INSERT INTO memberships (email, account_id) SELECT :to, value FROM json_each(:accountIds) WHERE ${condition} ON CONFLICT DO NOTHING`,
      { ...values, to, accountIds: JSON.stringify(accountIds) },
    ),
    owner:
      madeByOld &&
      prepare(
        `INSERT INTO owners (email, account_id) SELECT :to, :madeByOld WHERE ${condition} ON CONFLICT DO NOTHING`,
        { ...values, to, madeByOld },
      ),
    may: prepare(`SELECT 1 WHERE ${condition}`, values),
  });
  return may.length > 0;
}

/** Records the event first, with the condition. The move is made only if the event was recorded. */
const IS_RECORDED = "EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)";
const IS_NEW_MEMBER = isMember(":accountId", ":to");
/** Both addresses, where they are members. Together they have the role with more rights (role.ts), so the last admin stays. */
const BOTH = `SELECT email, name, role FROM (${membersOf()}) WHERE email IN (:from, :to)`;
const TOGETHER = {
  name: `(SELECT name FROM (${BOTH}) WHERE name IS NOT NULL ORDER BY email = :to DESC LIMIT 1)`,
  role: `(SELECT min(role) FROM (${BOTH}))`,
};

/**
 * Moves the person in one account. The new address of its creator is its creator, unless that address has made another account: then
 * it is a member. Two members become one. Returns whether the new address is a member afterwards.
 */
export async function moveMember(
  session: Session,
  {
    accountId,
    move,
    memberId,
    ownsAnother,
    stamp,
  }: {
    readonly accountId: Identifier;
    readonly move: Move;
    /** For a new row of `members`. */
    readonly memberId: string;
    readonly ownsAnother: boolean;
    readonly stamp: AuditStamp;
  },
): Promise<boolean> {
  const values = { ...move, ...stamp, accountId, memberId, ownsAnother };
  const { members } = await session.batch({
    recorded: auditMove({ ...stamp, accountId, move }, isMember(":accountId", ":from")),
    // So a restore from a backup knows that the old address was removed.
    marked: prepare(`UPDATE accounts SET member_removed_at = :now WHERE id = :accountId AND ${IS_RECORDED}`, values),
    creatorTogether: prepare(
      `UPDATE accounts SET owner_name = ${TOGETHER.name}, owner_role = ${TOGETHER.role}
       WHERE id = :accountId AND owner_email IN (:from, :to) AND ${IS_RECORDED}`,
      values,
    ),
    memberTogether: prepare(
      `UPDATE members SET name = ${TOGETHER.name}, role = ${TOGETHER.role}
       WHERE account_id = :accountId AND email IN (:from, :to) AND ${IS_RECORDED}`,
      values,
    ),
    creator: prepare(
      `UPDATE accounts SET owner_email = iif(:ownsAnother OR EXISTS (SELECT 1 FROM accounts WHERE owner_email = :to), id, :to)
       WHERE id = :accountId AND owner_email = :from AND ${IS_RECORDED}`,
      values,
    ),
    moved: prepare(
      `UPDATE members SET email = :to WHERE account_id = :accountId AND email = :from AND ${IS_RECORDED} AND NOT ${IS_NEW_MEMBER}`,
      values,
    ),
    merged: prepare(
      `DELETE FROM members WHERE account_id = :accountId AND ${IS_RECORDED} AND (email = :from
         OR email = :to AND EXISTS (SELECT 1 FROM accounts WHERE id = :accountId AND owner_email = :to))`,
      values,
    ),
    joined: prepare(
      `INSERT INTO members (id, account_id, email, added_by, created_at, name, role)
       SELECT :memberId, :accountId, :to, 'the operator', :now, owner_name, owner_role FROM accounts
       WHERE id = :accountId AND ${IS_RECORDED} AND NOT ${IS_NEW_MEMBER}`,
      values,
    ),
    creatorLeft: prepare(
      `UPDATE accounts SET owner_name = NULL, owner_role = 'admin' WHERE id = :accountId AND owner_email = id AND ${IS_RECORDED}`,
      values,
    ),
    answered: prepare(
      `DELETE FROM invitations WHERE account_id = :accountId AND email = :to AND ${IS_RECORDED}`,
      values,
    ),
    // The removal of a member shows what this person made and sent.
    keys: prepare(
      `UPDATE api_keys SET created_by = :to
       WHERE id IN (SELECT id FROM (${selectActive("account_id = :accountId")})) AND created_by = :from AND ${IS_RECORDED}`,
      values,
    ),
    webhooks: prepare(
      `UPDATE webhooks SET created_by = :to WHERE account_id = :accountId AND created_by = :from AND ${IS_RECORDED}`,
      values,
    ),
    sent: prepare(
      `UPDATE invitations SET added_by = :to WHERE account_id = :accountId AND added_by = :from AND ${IS_RECORDED}`,
      values,
    ),
    // The account's database repeats its entry of the directory.
    left: prepare(
      "DELETE FROM owners WHERE email = :from AND account_id = :accountId AND EXISTS (SELECT 1 FROM accounts WHERE id = :accountId AND owner_email = :to)",
      values,
    ),
    entered: prepare(
      `INSERT INTO owners (email, account_id) SELECT owner_email, id FROM accounts WHERE id = :accountId AND owner_email = :to
       ON CONFLICT DO NOTHING`,
      values,
    ),
    members: prepare(`SELECT 1 WHERE ${IS_NEW_MEMBER}`, values),
  });
  return members.length > 0;
}

/** The old address no longer finds the accounts. If it has none left, its next visit creates one. */
export const completeMove = (directory: Session, { from, to }: Move, { accountIds }: Movable) =>
  directory.batch({
    memberships: prepare(
      "DELETE FROM memberships WHERE email = :from AND account_id IN (SELECT value FROM json_each(:accountIds))",
      { from, accountIds: JSON.stringify(accountIds) },
    ),
    owner: prepare(
      "DELETE FROM owners WHERE email = :from AND account_id IN (SELECT account_id FROM owners WHERE email = :to)",
      { from, to },
    ),
    subject: prepare(
      "UPDATE subjects SET email = :to WHERE email = :from AND NOT EXISTS (SELECT 1 FROM subjects WHERE email = :to)",
      { from, to },
    ),
  });
