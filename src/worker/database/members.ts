/**
 * Rows of `members`, in their account's database: who may act for it besides whoever has made it, whose address the account's row has.
 * `memberships`, in database 0, says where to look; what it says too much is found out there, and deleted.
 */
import type { Identifier } from "../credentials/id.ts";
import type { Owner } from "../model/account.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { MAX_MEMBERS, type Member } from "../model/member.ts";
import { toTimestamp } from "../model/text.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { type AuditStamp, auditChange } from "./audit-events.ts";
import { IS_MEMBER, notDoneBefore } from "./idempotency.ts";
import { changeOnce, type Repeated, toRepeated } from "./repeated-changes.ts";

type Row = { id: string; email: string; added_by: string | null; created_at: number };

/** Of one person, so many accounts are found. */
const MAX_ACCOUNTS = 20;

/** Whoever has made the account, unless removed since, is its member too: with the account's id. */
const EVERY_MEMBER = `SELECT id, owner_email AS email, NULL AS added_by, created_at FROM accounts
    WHERE id = :accountId AND owner_email <> id
  UNION ALL SELECT id, email, added_by, created_at FROM members WHERE account_id = :accountId`;

const IS_LAST = `(SELECT count(*) FROM (${EVERY_MEMBER})) = 1`;

/** The account, if the person is its member: the address that its rows are found by. Undefined otherwise, and when there is none. */
export async function findMembership(session: Session, accountId: Identifier, person: string) {
  const sql = `SELECT owner_email FROM accounts WHERE id = :accountId AND EXISTS (
    SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :person)`;
  return (await session.first(prepare<{ owner_email: string }>(sql, { accountId, person })))?.owner_email;
}

/** The accounts that the directory knows of a person: the own one first. */
export async function listMemberships(directory: Session, person: string): Promise<readonly Identifier[]> {
  const sql = `SELECT account_id FROM (SELECT account_id, 0 AS place FROM owners WHERE email = :person
    UNION ALL SELECT account_id, 1 FROM memberships WHERE email = :person)
    GROUP BY account_id ORDER BY min(place), account_id LIMIT ${MAX_ACCOUNTS}`;
  const rows = await directory.all(prepare<{ account_id: Identifier }>(sql, { person }));
  return rows.map(({ account_id }) => account_id);
}

export const rememberMembership = (directory: Session, accountId: string, person: string) =>
  directory.run(
    prepare("INSERT INTO memberships VALUES (:person, :accountId) ON CONFLICT DO NOTHING", { person, accountId }),
  );

/** Of whom the account's database (`session`) knows nothing; unless somebody has added the person meanwhile. */
export async function forgetMembership(directory: Session, session: Session, accountId: Identifier, person: string) {
  await directory.run(
    prepare("DELETE FROM memberships WHERE email = :person AND account_id = :accountId", { person, accountId }),
  );
  if ((await findMembership(session, accountId, person)) !== undefined)
    await rememberMembership(directory, accountId, person);
}

export async function listMembers(session: Session, accountId: string): Promise<readonly Member[]> {
  const sql = `SELECT * FROM (${EVERY_MEMBER}) ORDER BY added_by IS NOT NULL, created_at, id`;
  return (await session.all(prepare<Row>(sql, { accountId }))).map(toMember);
}

/** Adding a member again changes nothing. `"full"`: there are as many as may be. Repeated is also who was removed after the request was done. */
export async function addMember(
  session: Session,
  owner: Owner,
  accountId: string,
  member: { readonly id: string; readonly email: string },
  stamp: AuditStamp,
  idempotencyKey?: IdempotencyKey,
): Promise<Member | Repeated | "full"> {
  const values = {
    ...{ ...owner, ...stamp, accountId, memberId: member.id, member: member.email, actor: owner.actor },
    idempotencyKey: idempotencyKey?.key,
  };
  const { before, after } = changeOnce(owner.email, idempotencyKey, member.id);
  const { recalled, members } = await session.batch({
    ...before,
    inserted: prepare(
      `INSERT INTO members (id, account_id, email, added_by, created_at)
       SELECT :memberId, :accountId, :member, :actor, :now WHERE ${IS_MEMBER} AND ${notDoneBefore()}
         AND NOT EXISTS (SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :member)
         AND ${MAX_MEMBERS} > (SELECT count(*) FROM (${EVERY_MEMBER}))`,
      values,
    ),
    audited: auditChange(values, { before: { member: null }, after: { member: member.email } }),
    ...after,
    members: prepare<Row>(`SELECT * FROM (${EVERY_MEMBER}) WHERE email = :member`, values),
  });
  const done = toRepeated(recalled, idempotencyKey);
  const [row] = members;
  if (row !== undefined && done !== "key-reused") return toMember(row);
  return done ?? "full";
}

/**
 * Removes a member, unless it is the last. Returns the address, null when there is no such member. An account without the one who has
 * made it keeps its rows under its identifier in the place of the address. `owners` keeps its entry: nobody makes a second account by
 * giving the first one away.
 */
export async function removeMember(
  session: Session,
  owner: Owner,
  accountId: string,
  id: string,
  stamp: AuditStamp,
): Promise<{ readonly removed: string } | "last" | null> {
  const values = { ...owner, ...stamp, accountId, id };
  const found = await session.first(prepare<Row>(`SELECT * FROM (${EVERY_MEMBER}) WHERE id = :id`, values));
  if (found === null) return null;
  const mayRemove = `NOT ${IS_LAST} AND ${IS_MEMBER}`;
  const change =
    id === accountId
      ? `UPDATE accounts SET owner_email = id WHERE id = :accountId AND owner_email <> id AND ${mayRemove}`
      : `DELETE FROM members WHERE id = :id AND account_id = :accountId AND ${mayRemove}`;
  const { left } = await session.batch({
    removed: prepare(change, values),
    audited: auditChange(values, { before: { member: found.email }, after: { member: null } }),
    left: prepare(`SELECT 1 FROM (${EVERY_MEMBER}) WHERE id = :id`, values),
  });
  return left.length > 0 ? "last" : { removed: found.email };
}

const toMember = ({ id, email, added_by, created_at }: Row): Member => ({
  id,
  email,
  addedBy: added_by,
  createdAt: toTimestamp(created_at),
});
