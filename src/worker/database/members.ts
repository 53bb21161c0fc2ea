/**
 * Rows of `members`, in their account's database: the people who may act for it, in addition to its creator, whose address is in
 * the account's row. `memberships` in database 0 says which accounts to ask. It may list too many; such an entry is found there,
 * and deleted.
 */
import type { Identifier } from "../credentials/id.ts";
import type { Owner } from "../model/account.ts";
import type { IdempotencyKey } from "../model/idempotency-key.ts";
import { type Invitation, MAX_MEMBERS, type Member } from "../model/member.ts";
import { toTimestamp } from "../model/text.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { ACTIVE } from "./api-key-rows.ts";
import { type AuditStamp, auditChange } from "./audit-events.ts";
import { IS_MEMBER, notDoneBefore } from "./idempotency.ts";
import { changeOnce, type Repeated, toRepeated } from "./repeated-changes.ts";

type Row = { id: string; email: string; added_by: string | null; created_at: number; state: Member["state"] };

/** At most this many accounts of a person are found. */
const MAX_ACCOUNTS = 20;

/** The account's creator is a member too, with the account's id, unless removed since. */
const EVERY_MEMBER = `SELECT id, owner_email AS email, NULL AS added_by, created_at FROM accounts
    WHERE id = :accountId AND owner_email <> id
  UNION ALL SELECT id, email, added_by, created_at FROM members WHERE account_id = :accountId`;

const IS_LAST = `(SELECT count(*) FROM (${EVERY_MEMBER})) = 1`;

/** The account, if the person is its member, with the address that finds its rows. Undefined otherwise. */
export async function findMembership(session: Session, accountId: Identifier, person: string) {
  const sql = `SELECT owner_email FROM accounts WHERE id = :accountId AND EXISTS (
    SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :person)`;
  return (await session.first(prepare<{ owner_email: string }>(sql, { accountId, person })))?.owner_email;
}

/** The accounts that the directory knows of a person, the person's own first. */
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

/** An entry of the directory. `session` is of the account's database. */
type DirectoryEntry = { readonly session: Session; readonly accountId: Identifier; readonly person: string };

/**
 * Deletes the directory's entry when the account's database (`session`) does not know the person; not if the person was added
 * meanwhile.
 */
export async function forgetMembership(directory: Session, { session, accountId, person }: DirectoryEntry) {
  await directory.run(
    prepare("DELETE FROM memberships WHERE email = :person AND account_id = :accountId", { person, accountId }),
  );
  if ((await findMembership(session, accountId, person)) !== undefined)
    await rememberMembership(directory, accountId, person);
}

/** Everybody in the list, including invited people. */
const LISTED = `SELECT id, email, added_by, created_at, 'accepted' AS state FROM (${EVERY_MEMBER})
  UNION ALL SELECT id, email, added_by, created_at, iif(declined_at IS NULL, 'invited', 'declined') FROM invitations
    WHERE account_id = :accountId`;

/** The members, then the invited people. */
export async function listMembers(session: Session, accountId: string): Promise<readonly Member[]> {
  const sql = `SELECT * FROM (${LISTED}) ORDER BY state <> 'accepted', added_by IS NOT NULL, created_at, id`;
  return (await session.all(prepare<Row>(sql, { accountId }))).map(toMember);
}

/**
 * Invites a person, even after a refusal. For a member or an invited person nothing changes. `"full"`: the list has its maximum.
 * A repeated request succeeds too, even if the person was removed meanwhile.
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
    readonly member: { readonly id: string; readonly email: string };
    readonly stamp: AuditStamp;
    readonly idempotencyKey?: IdempotencyKey | undefined;
  },
): Promise<Member | Repeated | "full"> {
  const values = {
    ...{ ...owner, ...stamp, accountId, memberId: member.id, member: member.email, actor: owner.actor },
    idempotencyKey: idempotencyKey?.key,
  };
  const { before, after } = changeOnce(owner.email, idempotencyKey, member.id);
  const { recalled, members } = await session.batch({
    ...before,
    invited: prepare(
      `INSERT INTO invitations (id, account_id, email, added_by, created_at)
       SELECT :memberId, :accountId, :member, :actor, :now WHERE ${IS_MEMBER} AND ${notDoneBefore()}
         AND NOT EXISTS (SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :member)
         AND ${MAX_MEMBERS} > (SELECT count(*) FROM (${LISTED}) WHERE email <> :member)
       ON CONFLICT (account_id, email) DO UPDATE SET added_by = excluded.added_by, created_at = excluded.created_at, declined_at = NULL
         WHERE declined_at IS NOT NULL`,
      values,
    ),
    audited: auditChange(values, { before: { invited: null }, after: { invited: member.email } }),
    ...after,
    members: prepare<Row>(`SELECT * FROM (${LISTED}) WHERE email = :member`, values),
  });
  const done = toRepeated(recalled, idempotencyKey);
  const [row] = members;
  if (row !== undefined && done !== "key-reused") return toMember(row);
  return done ?? "full";
}

/** An invitation that the person has not answered. Null when there is none. */
export async function findInvitation(
  session: Session,
  accountId: Identifier,
  person: string,
): Promise<Invitation | null> {
  const sql = `SELECT i.id, a.owner_email, i.added_by, i.created_at FROM invitations i JOIN accounts a ON a.id = i.account_id
    WHERE i.account_id = :accountId AND i.email = :person AND i.declined_at IS NULL`;
  const row = await session.first(
    prepare<Omit<Row, "added_by"> & { owner_email: string; added_by: string }>(sql, { accountId, person }),
  );
  if (row === null) return null;
  return {
    id: row.id,
    accountId,
    name: row.owner_email,
    invitedBy: row.added_by,
    createdAt: toTimestamp(row.created_at),
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
 * not invited, or has declined.
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
  const open = "account_id = :accountId AND email = :person AND declined_at IS NULL";
  const change = accepts
    ? `INSERT INTO members (id, account_id, email, added_by, created_at)
       SELECT id, account_id, email, added_by, :now FROM invitations WHERE ${open}
         AND NOT EXISTS (SELECT 1 FROM (${EVERY_MEMBER}) WHERE email = :person)`
    : `UPDATE invitations SET declined_at = :now WHERE ${open}`;
  const settings = accepts
    ? { before: { invited: person, member: null }, after: { invited: null, member: person } }
    : { before: { invited: person }, after: { invited: null } };
  const is = accepts ? "accepted" : "declined";
  const { answered } = await session.batch({
    changed: prepare(change, values),
    audited: auditChange(values, settings),
    cleared: prepare(
      `DELETE FROM invitations WHERE account_id = :accountId AND EXISTS (
         SELECT 1 FROM members m WHERE m.account_id = :accountId AND m.email = invitations.email)`,
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

/** The accounts for which the directory knows invitations of a person. */
export async function listInvitees(directory: Session, person: string): Promise<readonly Identifier[]> {
  const sql = `SELECT account_id FROM invitees WHERE email = :person ORDER BY account_id LIMIT ${MAX_ACCOUNTS}`;
  const rows = await directory.all(prepare<{ account_id: Identifier }>(sql, { person }));
  return rows.map(({ account_id }) => account_id);
}

export const rememberInvitee = (directory: Session, accountId: string, person: string) =>
  directory.run(
    prepare("INSERT INTO invitees VALUES (:person, :accountId) ON CONFLICT DO NOTHING", { person, accountId }),
  );

/** Deletes the directory's entry, unless the person is invited. */
export async function forgetInvitee(directory: Session, { session, accountId, person }: DirectoryEntry) {
  await directory.run(
    prepare("DELETE FROM invitees WHERE email = :person AND account_id = :accountId", { person, accountId }),
  );
  if ((await findInvitation(session, accountId, person)) !== null) await rememberInvitee(directory, accountId, person);
}

/**
 * Removes a member, unless it is the last one, or withdraws an invitation. Returns the address; null when there is no such
 * member. Without its creator, an account keeps its rows under its identifier in the place of the address. The entry in `owners`
 * stays, so that nobody gets a second account by giving the first one away.
 */
export async function removeMember(
  session: Session,
  {
    owner,
    accountId,
    id,
    stamp,
  }: { readonly owner: Owner; readonly accountId: string; readonly id: string; readonly stamp: AuditStamp },
): Promise<{ readonly removed: string; readonly isInvited: boolean } | "last" | null> {
  const values = { ...owner, ...stamp, accountId, id };
  const found = await session.first(prepare<Row>(`SELECT * FROM (${LISTED}) WHERE id = :id`, values));
  if (found === null) return null;
  const isInvited = found.state !== "accepted";
  const mayRemove = `${isInvited ? "TRUE" : `NOT ${IS_LAST}`} AND ${IS_MEMBER}`;
  const change = isInvited
    ? `DELETE FROM invitations WHERE id = :id AND account_id = :accountId AND ${mayRemove}`
    : id === accountId
      ? `UPDATE accounts SET owner_email = id WHERE id = :accountId AND owner_email <> id AND ${mayRemove}`
      : `DELETE FROM members WHERE id = :id AND account_id = :accountId AND ${mayRemove}`;
  const { left } = await session.batch({
    removed: prepare(change, values),
    audited: auditChange(
      values,
      isInvited
        ? { before: { invited: found.email }, after: { invited: null } }
        : { before: { member: found.email }, after: { member: null } },
    ),
    left: prepare(`SELECT 1 FROM (${LISTED}) WHERE id = :id`, values),
  });
  return left.length > 0 ? "last" : { removed: found.email, isInvited };
}

/** A key or a webhook that the person has made (`isMade`) or changed. */
export type Touched = { readonly id: string; readonly name: string; readonly isMade: boolean };

/**
 * The active keys and the webhooks that one of these actors has made, or has changed in an event that is still kept. An actor is
 * an e-mail address or a service token.
 */
export async function findTouched(
  session: Session,
  { accountId, actors, now }: { readonly accountId: string; readonly actors: readonly string[]; readonly now: number },
): Promise<{ readonly keys: readonly Touched[]; readonly webhooks: readonly Touched[] }> {
  const values = { accountId, actors: JSON.stringify(actors), now };
  const isActor = (column: string) => `${column} IN (SELECT value FROM json_each(:actors))`;
  const select = (
    table: string,
    { name, event }: { readonly name: string; readonly event: string },
    condition: string,
  ) =>
    prepare<{ id: string; name: string; is_made: number }>(
      `SELECT * FROM (
         SELECT id, ${name} AS name, coalesce(${isActor("created_by")}, 0) AS is_made, created_at,
           EXISTS (SELECT 1 FROM json_each(:actors) a JOIN audit_events e
             ON e.account_id = :accountId AND e.actor = a.value AND e.${event} = t.id) AS is_changed
         FROM ${table} t WHERE account_id = :accountId AND ${condition})
       WHERE is_made OR is_changed ORDER BY created_at, id`,
      values,
    );
  const { keys, webhooks } = await session.batch({
    keys: select("api_keys", { name: "name", event: "api_key_id" }, ACTIVE),
    webhooks: select("webhooks", { name: "url", event: "webhook_id" }, "TRUE"),
  });
  const toTouched = ({ id, name, is_made }: { id: string; name: string; is_made: number }): Touched => ({
    id,
    name,
    isMade: is_made === 1,
  });
  return { keys: keys.map(toTouched), webhooks: webhooks.map(toTouched) };
}

const toMember = ({ id, email, added_by, created_at, state }: Row): Member => ({
  id,
  email,
  state,
  addedBy: added_by,
  createdAt: toTimestamp(created_at),
});
