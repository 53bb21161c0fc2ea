/**
 * Rows of `invitations`, in their account's database: people who were asked to be members. `invited` in database 0 says which accounts
 * to ask; it may list too many, as `memberships` does (members.ts).
 */
import type { Identifier } from "../../credentials/id.ts";
import type { Owner } from "../../model/account-key.ts";
import type { IdempotencyKey } from "../../model/idempotency-key.ts";
import { INVITED_MS, type Invitation, MAX_MEMBERS, type Member } from "../../model/member.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import { type Role, toRole } from "../../model/role.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditChange } from "../activity/audit-events.ts";
import { notDoneBefore } from "../idempotency.ts";
import { pageValues, toPage } from "../pagination.ts";
import { changeOnce, type Repeated, toRepeated } from "../repeated-changes.ts";
import { type DirectoryEntry, IS_RECENT, LISTED, type MemberRow, toMember } from "./members.ts";
import { IS_ADMIN, isMember, membersOf } from "./membership.ts";

/**
 * Invites a person, also one who has declined, or whose invitation has ended. For a member or an invited person nothing changes.
 * `"full"`: there is the maximum of members and invited people. A repeated request succeeds too, even if the person was removed
 * meanwhile.
 */
export async function inviteMember(
  session: Session,
  {
    owner,
    accountId,
    member,
    stamp,
    idempotencyKey,
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly member: { readonly id: string; readonly email: string; readonly role: Role };
    readonly stamp: AuditStamp;
    readonly idempotencyKey?: IdempotencyKey | undefined;
  },
): Promise<Member | Repeated | "full"> {
  const values = {
    ...{ ...owner, ...stamp, accountId, memberId: member.id, member: member.email, role: member.role },
    idempotencyKey: idempotencyKey?.key,
  };
  const { before, after } = changeOnce(owner.email, idempotencyKey, member.id);
  const { recalled, members } = await session.batch({
    ...before,
    invited: prepare(
      `INSERT INTO invitations (id, account_id, email, added_by, created_at, role)
       SELECT :memberId, :accountId, :member, :actor, :now, :role WHERE ${IS_ADMIN} AND ${notDoneBefore()}
         AND NOT ${isMember(":accountId", ":member")}
         AND ${MAX_MEMBERS} > (SELECT count(*) FROM (${LISTED}) WHERE email <> :member AND state <> 'declined')
       ON CONFLICT (account_id, email) DO UPDATE SET added_by = excluded.added_by, created_at = excluded.created_at, declined_at = NULL, role = excluded.role
         WHERE declined_at IS NOT NULL OR NOT ${IS_RECENT}`,
      values,
    ),
    audited: auditChange(values, {
      before: { invited: null },
      after: { invited: member.email, role: member.role },
    }),
    ...after,
    members: prepare<MemberRow>(`SELECT * FROM (${LISTED}) WHERE email = :member`, values),
  });
  const done = toRepeated(recalled, idempotencyKey);
  const [row] = members;
  // A person who has declined is invited again, unless there is no seat.
  const isDone = row !== undefined && (row.state !== "declined" || done !== undefined);
  if (isDone && done !== "key-reused") return toMember(row);
  return done ?? "full";
}

/** Not answered, and not ended. */
const IS_OPEN = `declined_at IS NULL AND ${IS_RECENT}`;

/** An invitation that the person has not answered. Null when there is none. */
export async function findInvitation(
  session: Session,
  { accountId, person, now }: { readonly accountId: Identifier; readonly person: string; readonly now: number },
): Promise<Invitation | null> {
  const sql = `SELECT id, (SELECT owner_email FROM accounts WHERE id = :accountId) AS name, added_by, created_at, role FROM invitations
    WHERE account_id = :accountId AND email = :person AND ${IS_OPEN}`;
  const row = await session.first(
    prepare<{ id: string; name: string; added_by: string; created_at: number; role: string }>(sql, {
      ...{ accountId, person, now },
    }),
  );
  if (row === null) return null;
  return {
    id: row.id,
    accountId,
    name: row.name,
    invitedBy: row.added_by,
    role: toRole(row.role),
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.created_at + INVITED_MS),
  };
}

/** The account of an invitation to this person, answered or not. Null when there is none. */
export async function findInviter(session: Session, id: string, person: string): Promise<Identifier | null> {
  const sql = `SELECT account_id FROM invitations WHERE id = :id AND email = :person
    UNION ALL SELECT account_id FROM members WHERE id = :id AND email = :person`;
  return (await session.first(prepare<{ account_id: Identifier }>(sql, { id, person })))?.account_id ?? null;
}

/**
 * Accepts or declines an invitation. Repeating the answer changes nothing. Returns the account's name; null when the person was
 * not invited, or has declined. Of those who declined, the account's list has the last 50.
 */
export async function answerInvitation(
  session: Session,
  { person, actor, address }: Owner,
  {
    accountId,
    accepts,
    stamp,
  }: { readonly accountId: Identifier; readonly accepts: boolean; readonly stamp: AuditStamp },
): Promise<string | null> {
  const values = { ...stamp, accountId, person, actor, address };
  const open = `account_id = :accountId AND email = :person AND ${IS_OPEN}`;
  const change = accepts
    ? `INSERT INTO members (id, account_id, email, added_by, created_at, role)
       SELECT id, account_id, email, added_by, :now, max(role, coalesce((SELECT role FROM (${membersOf()}) WHERE email = added_by), role))
       FROM invitations WHERE ${open}
         AND NOT ${isMember()}`
    : `UPDATE invitations SET declined_at = :now WHERE ${open}`;
  const settings = accepts
    ? { before: { invited: person, member: null }, after: { invited: null, member: person } }
    : { before: { invited: person }, after: { invited: null } };
  const is = accepts ? "accepted" : "declined";
  const { answered } = await session.batch({
    changed: prepare(change, values),
    audited: auditChange(values, settings),
    cleared: prepare(
      // Those of people who have accepted: not of the account's creator.
      `DELETE FROM invitations WHERE account_id = :accountId AND EXISTS (
         SELECT 1 FROM members m WHERE m.account_id = :accountId AND m.email = invitations.email)`,
      { accountId },
    ),
    forgotten: prepare(
      `DELETE FROM invitations WHERE account_id = :accountId AND id IN (SELECT id FROM invitations
         WHERE account_id = :accountId AND declined_at IS NOT NULL ORDER BY declined_at DESC LIMIT 10 OFFSET ${MAX_MEMBERS})`,
      { accountId },
    ),
    answered: prepare<{ owner_email: string }>(
      `SELECT owner_email FROM accounts WHERE id = :accountId AND EXISTS (
         SELECT 1 FROM (${LISTED}) WHERE email = :person AND state = :is)`,
      { ...values, is },
    ),
  });
  return answered[0]?.owner_email ?? null;
}

type InvitedRow = { readonly id: Identifier; readonly invited_at: number };

/** A page of the accounts for which the directory lists invitations of a person, newest first. Some may be gone. */
export async function listInvited(directory: Session, person: string, request: PageRequest): Promise<Page<Identifier>> {
  const sql = `SELECT account_id AS id, invited_at FROM invited
    WHERE email = :person AND (invited_at, account_id) < (:afterKey, :afterId)
    ORDER BY invited_at DESC, account_id DESC LIMIT :rows`;
  const rows = await directory.all(prepare<InvitedRow>(sql, { person, ...pageValues(request) }));
  return toPage(rows, { request, toItem: ({ id }) => id, keyOf: ({ invited_at }) => invited_at });
}

/** `invitedAt` is in Unix milliseconds. */
export const rememberInvited = (
  directory: Session,
  { accountId, person, invitedAt }: { readonly accountId: string; readonly person: string; readonly invitedAt: number },
) =>
  directory.run(
    prepare(
      `INSERT INTO invited (email, account_id, invited_at) VALUES (:person, :accountId, :invitedAt)
       ON CONFLICT (email, account_id) DO UPDATE SET invited_at = excluded.invited_at`,
      { person, accountId, invitedAt },
    ),
  );

/** Deletes the directory's entry, unless the person is invited. */
export async function forgetInvited(
  directory: Session,
  { session, accountId, person, now }: DirectoryEntry & { readonly now: number },
) {
  await directory.run(
    prepare("DELETE FROM invited WHERE email = :person AND account_id = :accountId", { person, accountId }),
  );
  const invitation = await findInvitation(session, { accountId, person, now });
  if (invitation !== null)
    await rememberInvited(directory, { accountId, person, invitedAt: Date.parse(invitation.createdAt) });
}
