/**
 * Rows of `members`, in their account's database: who may act for it besides whoever has made it, whose address the account's row has.
 * `memberships`, in database 0, says where to look; what it says too much is found out there, and deleted.
 */
import type { Identifier } from "../credentials/id.ts";
import type { Owner } from "../model/account.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { MAX_MEMBERS, type Member } from "../model/member.ts";
import { toTimestamp } from "../model/text.ts";
import { type AuditStamp, auditChange } from "./audit-events.ts";
import { IS_MEMBER, notDoneBefore } from "./idempotency.ts";
import { changeOnce, type Repeated } from "./repeated-changes.ts";
import { prepare, rowsOf } from "./statement.ts";

type Row = { id: string; email: string; added_by: string | null; created_at: number };

/** Of one person, so many accounts are found. */
const MAX_ACCOUNTS = 20;

/** Whoever has made the account, unless removed since, is its member too: with the account's id. */
const EVERY_MEMBER = `SELECT id, owner_email AS email, NULL AS added_by, created_at FROM accounts
    WHERE id = :accountId AND owner_email <> id
  UNION ALL SELECT id, email, added_by, created_at FROM members WHERE account_id = :accountId`;

const IS_LAST = `(SELECT count(*) FROM (${EVERY_MEMBER})) = 1`;

/** The account, if the person is its member: the address that its rows are found by. Undefined otherwise, and when there is none. */
export async function findMembership(database: D1Database, accountId: Identifier, person: string) {
  const sql = `SELECT owner_email FROM accounts WHERE id = :accountId AND EXISTS (
    SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :person)`;
  return (await prepare(database, sql, { accountId, person }).first<string>("owner_email")) ?? undefined;
}

/** The accounts that the directory knows of a person: the own one first. */
export async function listMemberships(directory: D1Database, person: string): Promise<readonly Identifier[]> {
  const sql = `SELECT account_id FROM (SELECT account_id, 0 AS place FROM owners WHERE email = :person
    UNION ALL SELECT account_id, 1 FROM memberships WHERE email = :person)
    GROUP BY account_id ORDER BY min(place), account_id LIMIT ${MAX_ACCOUNTS}`;
  const result = await prepare(directory, sql, { person }).all<{
    account_id: Identifier;
  }>();
  return result.results.map(({ account_id }) => account_id);
}

export const rememberMembership = (directory: D1Database, accountId: string, person: string) =>
  directory.prepare("INSERT INTO memberships VALUES (?1, ?2) ON CONFLICT DO NOTHING").bind(person, accountId).run();

/** Of whom the account's `database` knows nothing; unless somebody has added the person meanwhile. */
export async function forgetMembership(
  directory: D1Database,
  database: D1Database,
  accountId: Identifier,
  person: string,
) {
  await directory.prepare("DELETE FROM memberships WHERE email = ?1 AND account_id = ?2").bind(person, accountId).run();
  if ((await findMembership(database, accountId, person)) !== undefined)
    await rememberMembership(directory, accountId, person);
}

export async function listMembers(session: D1DatabaseSession, accountId: string): Promise<readonly Member[]> {
  const sql = `SELECT * FROM (${EVERY_MEMBER}) ORDER BY added_by IS NOT NULL, created_at, id`;
  return (await prepare(session, sql, { accountId }).all<Row>()).results.map(toMember);
}

/** Adding a member again changes nothing. `"full"`: there are as many as may be. Repeated is also who was removed after the request was done. */
export async function addMember(
  session: D1DatabaseSession,
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
  const insert = prepare(
    session,
    `INSERT INTO members (id, account_id, email, added_by, created_at)
     SELECT :memberId, :accountId, :member, :actor, :now WHERE ${IS_MEMBER} AND ${notDoneBefore()}
       AND NOT EXISTS (SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :member)
       AND ${MAX_MEMBERS} > (SELECT count(*) FROM (${EVERY_MEMBER}))`,
    values,
  );
  const { results, done } = await changeOnce(session, owner.email, idempotencyKey, member.id, {
    change: [insert, auditChange(session, values, { before: { member: null }, after: { member: member.email } })],
    after: [prepare(session, `SELECT * FROM (${EVERY_MEMBER}) WHERE email = :member`, values)],
  });
  const [row] = rowsOf<Row>(results[2]);
  if (row !== undefined && done !== "key-reused") return toMember(row);
  return done ?? "full";
}

/**
 * Removes a member, unless it is the last. Returns the address, null when there is no such member. An account without the one who has
 * made it keeps its rows under its identifier in the place of the address. `owners` keeps its entry: nobody makes a second account by
 * giving the first one away.
 */
export async function removeMember(
  session: D1DatabaseSession,
  owner: Owner,
  accountId: string,
  id: string,
  stamp: AuditStamp,
): Promise<{ readonly removed: string } | "last" | null> {
  const values = { ...owner, ...stamp, accountId, id };
  const found = await prepare(session, `SELECT * FROM (${EVERY_MEMBER}) WHERE id = :id`, values).first<Row>();
  if (found === null) return null;
  const mayRemove = `NOT ${IS_LAST} AND ${IS_MEMBER}`;
  const change =
    id === accountId
      ? `UPDATE accounts SET owner_email = id WHERE id = :accountId AND owner_email <> id AND ${mayRemove}`
      : `DELETE FROM members WHERE id = :id AND account_id = :accountId AND ${mayRemove}`;
  const [, , left] = await session.batch([
    prepare(session, change, values),
    auditChange(session, values, { before: { member: found.email }, after: { member: null } }),
    prepare(session, `SELECT 1 FROM (${EVERY_MEMBER}) WHERE id = :id`, values),
  ]);
  return rowsOf(left).length > 0 ? "last" : { removed: found.email };
}

const toMember = ({ id, email, added_by, created_at }: Row): Member => ({
  id,
  email,
  addedBy: added_by,
  createdAt: toTimestamp(created_at),
});
