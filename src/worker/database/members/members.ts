/**
 * Rows of `members`, in their account's database: the people who may act for it, in addition to its creator, whose address is in
 * the account's row. `memberships` in database 0 says which accounts to ask. It may list too many; such an entry is found there,
 * and deleted.
 */
import type { Identifier } from "../../credentials/id.ts";
import type { Owner } from "../../model/account-key.ts";
import { INVITED_MS, type Member } from "../../model/member.ts";
import { type Role, type Standing, toRole } from "../../model/role.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type AuditStamp, auditChange } from "../activity/audit-events.ts";
import { ACTIVE } from "../keys/api-key-rows.ts";
import { handOver } from "../proposals/assignment.ts";
import { ADMINS, IS_ADMIN, isMember, membersOf, STANDING, type StandingRow, toStanding } from "./membership.ts";

export type MemberRow = {
  id: string;
  email: string;
  added_by: string | null;
  created_at: number;
  state: Member["state"];
  name: string | null;
  role: string;
};

/** At most this many accounts of a person are found. */
const MAX_ACCOUNTS = 20;

/** The account, if the person is its member, with the address that finds its rows. Undefined otherwise. */
export async function findMembership(session: Session, accountId: Identifier, person: string) {
  const sql = `SELECT owner_email FROM accounts WHERE id = :accountId AND ${isMember()}`;
  return (await session.first(prepare<{ owner_email: string }>(sql, { accountId, person })))?.owner_email;
}

/** The same, with what the person, or the script `actor`, is in the account. Null for no member. */
export async function findMember(
  session: Session,
  { accountId, person, actor }: { readonly accountId: Identifier; readonly person: string; readonly actor: string },
): Promise<{ readonly email: string; readonly standing: Standing } | null> {
  const sql = `SELECT a.owner_email, m.role, m.name, ${STANDING} FROM accounts a CROSS JOIN (${membersOf()}) m
    WHERE a.id = :accountId AND m.email = :person`;
  const row = await session.first(prepare<StandingRow & { owner_email: string }>(sql, { accountId, person }));
  return row && { email: row.owner_email, standing: toStanding(row, actor) };
}

/** The admins of the account, the first one first, by name or address: at most three, whom others can ask. */
export async function listAdmins(session: Session, accountId: string) {
  const sql = `SELECT email, name FROM (${membersOf()}) WHERE role = 'admin' ORDER BY added_by IS NOT NULL, created_at, id LIMIT 3`;
  return session.all(prepare<{ email: string; name: string | null }>(sql, { accountId }));
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
export type DirectoryEntry = { readonly session: Session; readonly accountId: Identifier; readonly person: string };

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

/** An invitation that has not ended. */
export const IS_RECENT = `created_at > :now - ${INVITED_MS}`;

/** Everybody in the list, including invited people. */
export const LISTED = `SELECT id, email, added_by, created_at, 'accepted' AS state, name, role FROM (${membersOf()})
  UNION ALL SELECT id, email, added_by, created_at, iif(declined_at IS NULL, 'invited', 'declined'), NULL, role FROM invitations
    WHERE account_id = :accountId AND ${IS_RECENT}`;

/** The members, then the invited people. */
export async function listMembers(session: Session, accountId: string, now: number): Promise<readonly Member[]> {
  const sql = `SELECT * FROM (${LISTED}) ORDER BY state <> 'accepted', added_by IS NOT NULL, created_at, id`;
  return (await session.all(prepare<MemberRow>(sql, { accountId, now }))).map(toMember);
}

/**
 * The invitations that end with a removal or with a lesser role: what these actors have sent, but for those in `kept`, and with `above` only
 * those to a role with more rights than this one.
 */
type SentInvitations = {
  readonly actors: readonly string[];
  readonly kept: readonly string[];
  readonly above?: Role | undefined;
};

const IS_SENT = `account_id = :accountId AND declined_at IS NULL
  AND added_by IN (SELECT value FROM json_each(:actors)) AND id NOT IN (SELECT value FROM json_each(:kept))`;
/** The change was recorded, so it is made. */
const IS_RECORDED = "EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)";

/** The first ones in the alphabet have most rights. */
const IS_ABOVE = "(:above IS NULL OR role < :above)";

/** The statements that cancel the invitations in the transaction of the change, each with its event. */
const cancelInvitations = (
  values: Omit<Owner, "accountId"> & AuditStamp & { readonly accountId: string },
  sent: SentInvitations,
) => {
  const { actors, kept, above } = sent;
  const parameters = { ...values, actors: JSON.stringify(actors), kept: JSON.stringify(kept), above };
  return {
    cancellations: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), account_id, 'changed', NULL, '', :actor, :address, :now,
         json_object('before', json_object('invited', email), 'after', json_object('invited', NULL))
       FROM invitations WHERE ${IS_SENT} AND ${IS_ABOVE} AND ${IS_RECENT} AND ${IS_RECORDED}`,
      parameters,
    ),
    canceled: prepare(`DELETE FROM invitations WHERE ${IS_SENT} AND ${IS_ABOVE} AND ${IS_RECORDED}`, parameters),
  };
};

/**
 * Removes a member, unless it is the last admin, with the invitations that the person has sent; or withdraws an invitation. Only an admin
 * removes others. Returns the address; null when there is no such member. Without its creator, an account keeps its rows under its identifier in the place of the
 * address. The entry in `owners` stays, so that nobody gets a second account by giving the first one away.
 */
export async function removeMember(
  session: Session,
  {
    owner,
    accountId,
    id,
    stamp,
    sentBy,
    takenBy,
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly id: string;
    readonly stamp: AuditStamp;
    readonly sentBy: (email: string) => SentInvitations;
    /** The member who gets the removed one's ideas. Without one they have no assignee. */
    readonly takenBy?: string | undefined;
  },
): Promise<{ readonly removed: string; readonly isInvited: boolean } | "last" | null> {
  const values = { ...owner, ...stamp, accountId, id };
  const found = await session.first(prepare<MemberRow>(`SELECT * FROM (${LISTED}) WHERE id = :id`, values));
  if (found === null) return null;
  const isInvited = found.state !== "accepted";
  const isSelf = !isInvited && found.email === owner.person && owner.actor === owner.person;
  const staysLed = `(${ADMINS} > 1 OR NOT EXISTS (SELECT 1 FROM (${membersOf()}) WHERE id = :id AND role = 'admin'))`;
  const mayRemove = `${isInvited ? "TRUE" : staysLed} AND ${isSelf ? isMember() : IS_ADMIN}`;
  const change = isInvited
    ? `DELETE FROM invitations WHERE id = :id AND account_id = :accountId AND ${mayRemove}`
    : id === accountId
      ? `UPDATE accounts SET owner_email = id, owner_name = NULL, owner_role = 'admin' WHERE id = :accountId AND owner_email <> id AND ${mayRemove}`
      : `DELETE FROM members WHERE id = :id AND account_id = :accountId AND ${mayRemove}`;
  const { left } = await session.batch({
    removed: prepare(change, values),
    audited: auditChange(
      values,
      isInvited
        ? { before: { invited: found.email }, after: { invited: null } }
        : { before: { member: found.email }, after: { member: null } },
    ),
    ...(!isInvited && cancelInvitations(values, sentBy(found.email))),
    ...(takenBy !== undefined && handOver(takenBy, { values, condition: IS_RECORDED })),
    // So a restore from a backup knows that a missing member was removed.
    marked: isInvited
      ? undefined
      : prepare(
          `UPDATE accounts SET member_removed_at = :now
           WHERE id = :accountId AND EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)`,
          values,
        ),
    left: prepare(`SELECT 1 FROM (${LISTED}) WHERE id = :id`, values),
  });
  return left.length > 0 ? "last" : { removed: found.email, isInvited };
}

/**
 * Gives a member, or somebody who was invited, another role. Only an admin does, and the last admin keeps theirs. What the member's `actors`
 * have sent of invitations to a role above the new one ends with it. Returns the member as it is then; null when there is no such member.
 */
export async function setRole(
  session: Session,
  {
    owner,
    accountId,
    id,
    role,
    actors,
    stamp,
  }: {
    readonly owner: Owner;
    readonly accountId: string;
    readonly id: string;
    readonly role: Role;
    readonly actors: readonly string[];
    readonly stamp: AuditStamp;
  },
): Promise<Member | null> {
  const values = { ...owner, ...stamp, accountId, id, role };
  const staysLed = `(:role = 'admin' OR ${ADMINS} > 1 OR NOT EXISTS (SELECT 1 FROM (${membersOf()}) WHERE id = :id AND role = 'admin'))`;
  const may = `${IS_ADMIN} AND ${staysLed}`;
  const { members } = await session.batch({
    // The event comes first, because it has the role before.
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT :eventId, :accountId, 'changed', NULL, '', :actor, :address, :now,
         json_object('before', json_object('role', role), 'after', json_object('role', :role, 'colleague', email))
       FROM (${LISTED}) WHERE id = :id AND state <> 'declined' AND role <> :role AND ${may}`,
      values,
    ),
    member: prepare(
      `UPDATE members SET role = :role WHERE id = :id AND account_id = :accountId AND ${IS_RECORDED}`,
      values,
    ),
    creator: prepare(
      `UPDATE accounts SET owner_role = :role WHERE id = :id AND id = :accountId AND owner_email <> id AND ${IS_RECORDED}`,
      values,
    ),
    invited: prepare(
      `UPDATE invitations SET role = :role WHERE id = :id AND account_id = :accountId AND ${IS_RECORDED}`,
      values,
    ),
    ...cancelInvitations(values, { actors, kept: [], above: role }),
    members: prepare<MemberRow>(`SELECT * FROM (${LISTED}) WHERE id = :id`, values),
  });
  const [row] = members;
  return row === undefined ? null : toMember(row);
}

/**
 * Gives the member who asks another name; null for none. A script does so only if it may change something here. Returns the member as it is
 * then; null for a person who is none any more.
 */
export async function setOwnName(
  session: Session,
  {
    owner,
    accountId,
    name,
    stamp,
  }: { readonly owner: Owner; readonly accountId: string; readonly name: string | null; readonly stamp: AuditStamp },
): Promise<Member | null> {
  const values = { ...owner, ...stamp, accountId, name };
  const { members } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT :eventId, :accountId, 'changed', NULL, '', :actor, :address, :now,
         json_object('before', json_object('memberName', name), 'after', json_object('memberName', :name, 'colleague', email))
       FROM (${membersOf()}) WHERE email = :person AND name IS NOT :name AND (:actor = :person OR ${isMember(":accountId", ":person", "member")})`,
      values,
    ),
    member: prepare(
      `UPDATE members SET name = :name WHERE account_id = :accountId AND email = :person AND ${IS_RECORDED}`,
      values,
    ),
    creator: prepare(
      `UPDATE accounts SET owner_name = :name WHERE id = :accountId AND owner_email = :person AND ${IS_RECORDED}`,
      values,
    ),
    members: prepare<MemberRow>(`SELECT *, 'accepted' AS state FROM (${membersOf()}) WHERE email = :person`, values),
  });
  const [row] = members;
  return row === undefined ? null : toMember(row);
}

/** A key or a webhook that the person has made (`isMade`) or changed, or an invitation that the person has sent (`isMade`). */
export type Touched = {
  readonly id: string;
  readonly name: string;
  readonly isMade: boolean;
  /** Made by the person, and changed by no other member in an event that is still kept. */
  readonly isTheirs: boolean;
};

type TouchedRow = { id: string; name: string; is_made: number; is_shared: number };

/**
 * The active keys and the webhooks that one of these actors has made, or has changed in an event that is still kept, and the
 * invitations that they have sent. An actor is an e-mail address or a service token.
 */
export async function findTouched(
  session: Session,
  { accountId, actors, now }: { readonly accountId: string; readonly actors: readonly string[]; readonly now: number },
): Promise<{ readonly [Kind in "keys" | "webhooks" | "invitations"]: readonly Touched[] }> {
  const values = { accountId, actors: JSON.stringify(actors), now };
  const isActor = (column: string) => `${column} IN (SELECT value FROM json_each(:actors))`;
  const select = (
    table: string,
    { name, event }: { readonly name: string; readonly event: string },
    condition: string,
  ) =>
    prepare<TouchedRow>(
      `SELECT * FROM (
         SELECT id, ${name} AS name, coalesce(${isActor("created_by")}, 0) AS is_made, created_at,
           EXISTS (SELECT 1 FROM json_each(:actors) a JOIN audit_events e
             ON e.account_id = :accountId AND e.actor = a.value AND e.${event} = t.id) AS is_changed,
           EXISTS (SELECT 1 FROM (${membersOf()}) m JOIN audit_events e
             ON e.account_id = :accountId AND e.actor = m.email AND e.${event} = t.id AND e.subject_id IS NULL
             WHERE NOT ${isActor("m.email")}) AS is_shared
         FROM ${table} t WHERE account_id = :accountId AND ${condition})
       WHERE is_made OR is_changed ORDER BY created_at, id`,
      values,
    );
  const { keys, webhooks, invitations } = await session.batch({
    keys: select("api_keys", { name: "name", event: "api_key_id" }, ACTIVE),
    webhooks: select("webhooks", { name: "shown_url", event: "webhook_id" }, "TRUE"),
    invitations: prepare<TouchedRow>(
      `SELECT id, email AS name, 1 AS is_made, 0 AS is_shared FROM invitations WHERE ${IS_SENT} AND ${IS_RECENT} ORDER BY created_at, id`,
      { ...values, kept: "[]" },
    ),
  });
  const toTouched = ({ id, name, is_made, is_shared }: TouchedRow): Touched => ({
    ...{ id, name },
    isMade: is_made === 1,
    isTheirs: is_made === 1 && is_shared === 0,
  });
  return {
    keys: keys.map(toTouched),
    webhooks: webhooks.map(toTouched),
    invitations: invitations.map(toTouched),
  };
}

export const toMember = ({ id, email, added_by, created_at, state, name, role }: MemberRow): Member => ({
  id,
  email,
  name,
  role: toRole(role),
  state,
  addedBy: added_by,
  createdAt: toTimestamp(created_at),
  expiresAt: state === "invited" ? toTimestamp(created_at + INVITED_MS) : null,
});
