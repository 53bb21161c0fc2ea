/**
 * Prevents a restore from bringing ended credentials back to life. From an export of the state before the restore it makes
 * statements that end in the restored database everything that was ended after the restored moment. Applying them again changes
 * nothing. If the restored trail already has an event, its effect is not repeated: it is there already, and may have been
 * changed since. The trail has what 1.0.0 has ended; what was ended since is read from rows that nobody can push out
 * (end-again-by-rows.ts).
 *
 * - API keys: revoked ones are revoked; rotated ones get the secrets that they had; an old secret that had ended has ended.
 * - Tokens: those that were revoked for a panelist are revoked, whether the panelist was restored, is missing or was deleted
 *   since. Visitors' tokens of an idea bank, what its old signing secrets have signed, and all tokens of an account that had ended
 *   them are refused again.
 * - A restored panelist counts as one who has had a token: deleting it leaves a revocation (`revocation_panelist_removed` in
 *   schema.sql).
 * - Deactivated panelists and suspended accounts are deactivated and suspended again.
 * - Accounts have the quota that they had, and do the same with keys that are found in public. Links of e-mails work on.
 * - API keys whose settings were changed get those settings: names, pauses, limits, addresses, and the mark that they were found
 *   in public.
 * - Members whose address was changed have the new one. Members who were removed are removed again. Members whose role or name was changed
 *   have the present one. An account that then has no admin gets those from before the restore.
 * - Webhooks that were deleted are deleted; the others get the URL and the secrets that they had, and their state if it was not
 *   `active`.
 * - Owners who had signed out are signed out.
 * - E-mails about ideas that were waiting are not sent, as most of them were. Who had unsubscribed gets none.
 * - The audit trail keeps its events.
 */
import type { DatabaseSync } from "node:sqlite";
import { hasTable } from "../databases/read-export.ts";
import {
  KEY_SETTINGS,
  KEYS_AND_WEBHOOKS_BY_ROWS,
  MARKS,
  MEMBERS_BY_ROWS,
  WEBHOOK_SETTINGS,
} from "./end-again-by-rows.ts";

/** `revoked_at` of a panelist who is inactive or deleted. */
const FOR_GOOD = 9_007_199_254_740_991;
/** `recorded_at` is this much later then. */
const KEPT_FOR_GOOD = 4_503_599_627_370_496;
/** The number for an account, which the trigger `audit_event_added` enforces. */
const EVENTS_KEPT = 10_000;

/**
 * Until when a panelist's tokens are revoked. A deleted panelist left only the second of the deletion, and a token that was issued
 * in that second, after a revocation, bears the next one.
 */
const REVOKED_UNTIL = `SELECT r.panelist_id, CASE
    WHEN p.id IS NOT NULL THEN p.tokens_revoked_at
    WHEN r.revoked_at = ${FOR_GOOD} THEN r.recorded_at % ${KEPT_FOR_GOOD} + 1000
    ELSE r.revoked_at END AS at
  FROM token_revocations r LEFT JOIN panelists p ON p.id = r.panelist_id`;

/** The condition that the restored database does not have the event `e` yet, for a statement that is made from it. */
const IS_NEW = "' AND NOT EXISTS (SELECT 1 FROM audit_events WHERE id = ' || quote(e.id) || ');'";

/** The settings of the state before, unless the restored key's last change is known. */
const CHANGED_KEYS = `SELECT 'UPDATE api_keys SET ' || ${KEY_SETTINGS}
     || iif(k.leaked_at IS NULL, '', ', leaked_at = ' || quote(k.leaked_at)) || ' WHERE id = ' || quote(k.id) || ${IS_NEW} AS sql
   FROM api_keys k JOIN audit_events e ON e.id = (
     SELECT id FROM audit_events WHERE account_id = k.account_id AND api_key_id = k.id AND changes IS NOT NULL
     ORDER BY created_at DESC, id DESC LIMIT 1)`;

/** Members who have another address since, by `account -- move-member`, or by the subject of a sign-in. The first moves come first. */
const MOVED = `FROM audit_events e WHERE e.changes ->> '$.before.member' IS NOT NULL AND e.changes ->> '$.after.member' IS NOT NULL
   ORDER BY e.created_at, e.id`;
const MOVED_MEMBERS = `SELECT 'UPDATE OR IGNORE members SET email = ' || quote(e.changes ->> '$.after.member') || ' WHERE account_id = ' || quote(e.account_id)
     || ' AND email = ' || quote(e.changes ->> '$.before.member') || ${IS_NEW} AS sql ${MOVED}`;
/** If the new address has made another account, it becomes a member below, as it was. */
const MOVED_OWNERS = `SELECT 'UPDATE accounts SET owner_email = ' || quote(e.changes ->> '$.after.member') || ' WHERE id = ' || quote(e.account_id)
     || ' AND owner_email = ' || quote(e.changes ->> '$.before.member') || ' AND NOT EXISTS (SELECT 1 FROM accounts WHERE owner_email = '
     || quote(e.changes ->> '$.after.member') || ')' || ${IS_NEW} AS sql ${MOVED}`;

/** Members who were removed. In the restored database, the account's creator is found by the address. */
const REMOVED = `FROM audit_events e WHERE e.changes ->> '$.before.member' IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM members m WHERE m.account_id = e.account_id AND m.email = e.changes ->> '$.before.member')`;
const REMOVED_MEMBERS = `SELECT 'DELETE FROM members WHERE account_id = ' || quote(e.account_id) || ' AND email = '
     || quote(e.changes ->> '$.before.member') || ${IS_NEW} AS sql ${REMOVED}`;
const REMOVED_OWNERS = `SELECT 'UPDATE accounts SET owner_email = id WHERE id = ' || quote(e.account_id) || ' AND owner_email = '
     || quote(e.changes ->> '$.before.member') || ${IS_NEW} AS sql ${REMOVED}
   AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = e.account_id AND a.owner_email = a.id)`;
/** The last change of a member's role or name. The member is found by the address: these follow the moves. */
const LAST_OF_MEMBER = (account: string, email: string) => `audit_events e ON e.id = (
     SELECT id FROM audit_events WHERE account_id = ${account} AND changes ->> '$.after.colleague' = ${email} ORDER BY created_at DESC, id DESC LIMIT 1)`;
const CHANGED_MEMBERS = [
  `SELECT 'UPDATE members SET role = ' || quote(m.role) || ', name = ' || quote(m.name) || ' WHERE account_id = ' || quote(m.account_id)
     || ' AND email = ' || quote(m.email) || ${IS_NEW} AS sql FROM members m JOIN ${LAST_OF_MEMBER("m.account_id", "m.email")}`,
  `SELECT 'UPDATE accounts SET owner_role = ' || quote(a.owner_role) || ', owner_name = ' || quote(a.owner_name) || ' WHERE id = ' || quote(a.id)
     || ' AND owner_email = ' || quote(a.owner_email) || ${IS_NEW} AS sql FROM accounts a JOIN ${LAST_OF_MEMBER("a.id", "a.owner_email")}`,
];
/**
 * These follow the removals and the roles. Only an account without any admin gets members, and those who are admins, so a member who was
 * added since gives no removed one back.
 */
const LAST_MEMBERS = `SELECT 'INSERT INTO members (id, account_id, email, added_by, created_at, name, role) SELECT value ->> 0, ' || quote(account_id)
     || ', value ->> 1, value ->> 2, value ->> 3, value ->> 4, ''admin'' FROM json_each(' || quote(json_group_array(json_array(id, email, added_by, created_at, name)))
     || ') WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ' || quote(account_id)
     || ' AND (owner_email = id OR owner_role <> ''admin'')) AND NOT EXISTS (SELECT 1 FROM members WHERE account_id = ' || quote(account_id)
     || ' AND role = ''admin'') ON CONFLICT DO UPDATE SET role = ''admin'';' AS sql
   FROM members WHERE role = 'admin' AND account_id IN (SELECT e.account_id ${REMOVED} UNION ALL SELECT id FROM accounts WHERE member_removed_at IS NOT NULL
     UNION ALL SELECT account_id FROM audit_events WHERE changes ->> '$.after.role' IS NOT NULL) GROUP BY account_id`;
/** The directory: it says where to look, and too much does no harm. */
const MEMBERSHIPS = `SELECT 'INSERT OR IGNORE INTO memberships (email, account_id) VALUES (' || quote(email) || ', ' || quote(account_id) || ');' AS sql
   FROM memberships`;
/** An invitation that was answered since, or taken back, is none. */
const INVITATIONS = `SELECT 'DELETE FROM invitations WHERE id NOT IN (SELECT value FROM json_each(' || quote(json_group_array(id)) || '));' AS sql
   FROM invitations WHERE declined_at IS NULL`;
/**
 * Settings of an account that the operator or a member has changed since: the quota, what is done with keys that were found in
 * public, whether its identifiers are addresses, whether people are told by e-mail, and what viewers and service tokens may. The present value is that of the last such change.
 */
const accountSetting = (column: string, change: string) =>
  `SELECT 'UPDATE accounts SET ${column} = ' || quote(a.${column}) || ' WHERE id = ' || quote(a.id) || ${IS_NEW} AS sql
   FROM accounts a JOIN audit_events e ON e.id = (
     SELECT id FROM audit_events WHERE account_id = a.id AND changes ->> '$.after.${change}' IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 1)`;
const ACCOUNT_SETTINGS = [
  accountSetting("max_bytes", "maxBytes"),
  accountSetting("marks_leaked_keys", "leakedKeys"),
  accountSetting("external_ids_are_emails", "externalIdsAreEmails"),
  accountSetting("notifies_people", "notifiesPeople"),
  accountSetting("viewers_export", "viewersExport"),
  accountSetting("service_token_roles", "serviceTokenRoles"),
  // The links of e-mails that were sent since are signed with it.
  `SELECT 'UPDATE accounts SET mail_key = ' || quote(mail_key) || ' WHERE id = ' || quote(id) || ' AND mail_key IS NULL;' AS sql
   FROM accounts WHERE mail_key IS NOT NULL`,
];
const LAST_OF_WEBHOOK = `audit_events e ON e.id = (
     SELECT id FROM audit_events WHERE account_id = w.account_id AND webhook_id = w.id ORDER BY created_at DESC, id DESC LIMIT 1)`;
const WEBHOOKS = [
  `SELECT 'DELETE FROM webhooks WHERE id = ' || quote(webhook_id) || ';' AS sql FROM audit_events
   WHERE event = 'webhook-deleted'`,
  // One that is older than the trail and is missing was deleted so long ago that the trail has not even that.
  `SELECT 'DELETE FROM webhooks WHERE created_at < ' || quote(min(created_at)) || ' AND id NOT IN (SELECT value FROM json_each('
     || quote((SELECT json_group_array(id) FROM webhooks)) || '));' AS sql
   FROM audit_events HAVING EXISTS (SELECT 1 FROM webhooks) OR EXISTS (SELECT 1 FROM audit_events WHERE webhook_id IS NOT NULL)`,
  // If an account's trail is full, the webhooks that are older than its oldest event.
  `SELECT 'DELETE FROM webhooks WHERE account_id = ' || quote(e.account_id) || ' AND created_at < ' || quote(min(e.created_at))
     || ' AND id NOT IN (SELECT value FROM json_each(' || quote((SELECT json_group_array(id) FROM webhooks w WHERE w.account_id = e.account_id))
     || '));' AS sql
   FROM audit_events e GROUP BY e.account_id HAVING max(e.number) >= ${EVENTS_KEPT}`,
  `SELECT 'UPDATE webhooks SET ' || ${WEBHOOK_SETTINGS} || ' WHERE id = ' || quote(w.id) || ${IS_NEW} AS sql
   FROM webhooks w JOIN ${LAST_OF_WEBHOOK}`,
  // Failures and the receiver's 410 leave no event.
  `SELECT 'UPDATE webhooks SET due_at = NULL, state = ' || quote(w.state) || ' WHERE id = ' || quote(w.id) || ' AND state = ''active'' AND NOT EXISTS (
       SELECT 1 FROM audit_events WHERE account_id = ' || quote(w.account_id) || ' AND webhook_id = ' || quote(w.id)
     || ' AND created_at > ' || quote(coalesce(e.created_at, 0)) || ');' AS sql
   FROM webhooks w LEFT JOIN ${LAST_OF_WEBHOOK} WHERE w.state <> 'active'`,
];

const MAILS = [
  "SELECT 'UPDATE outbox SET started_at = coalesce(started_at, starts_at), finished_at = coalesce(finished_at, starts_at), found_after = NULL WHERE finished_at IS NULL;' AS sql",
  "SELECT 'UPDATE recipients SET state = ''skipped'' WHERE state IN (''waiting'', ''sending'');' AS sql",
  "SELECT 'DELETE FROM member_outbox;' AS sql",
  `SELECT 'INSERT OR IGNORE INTO mutes (account_id, email, scope_id, created_at) SELECT ' || quote(account_id) || ', ' || quote(email) || ', '
     || quote(scope_id) || ', ' || quote(created_at) || ' WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ' || quote(account_id) || ');' AS sql FROM mutes`,
];

const EVENTS = `SELECT 'INSERT OR IGNORE INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes, webhook_id, subject_id, idea_bank_id, author_id, notice) SELECT '
     || quote(id) || ', ' || quote(account_id) || ', ' || quote(event) || ', ' || quote(api_key_id) || ', ' || quote(api_key_name) || ', '
     || quote(actor) || ', ' || quote(address) || ', ' || quote(created_at) || ', ' || quote(changes) || ', ' || quote(webhook_id) || ', '
     || quote(subject_id) || ', ' || quote(idea_bank_id) || ', ' || quote(author_id) || ', 0'
     || ' WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ' || quote(account_id) || ');' AS sql FROM audit_events ORDER BY created_at, number`;

/** Each a SELECT of statements as texts. Every value is quoted, numbers too: an export may hold anything in any column. */
const STATEMENTS = [
  `SELECT 'UPDATE accounts SET status = ''suspended'' WHERE id = ' || quote(id) || ' AND status <> ''suspended'';' AS sql
   FROM accounts WHERE status = 'suspended'`,
  `SELECT 'UPDATE api_keys SET secret_hash = ' || quote(secret_hash) || ', last_four = ' || quote(last_four)
     || ', previous_secret_hash = ' || quote(previous_secret_hash) || ', previous_expires_at = ' || quote(previous_expires_at)
     || ', rotated_at = ' || quote(rotated_at) || ' WHERE id = ' || quote(id) || ' AND coalesce(rotated_at, 0) < ' || quote(rotated_at)
     || ';' AS sql
   FROM api_keys WHERE rotated_at IS NOT NULL`,
  // An old secret that was found in public has ended before its time.
  `SELECT 'UPDATE api_keys SET previous_expires_at = ' || quote(previous_expires_at) || ' WHERE id = ' || quote(id)
     || ' AND previous_secret_hash = ' || quote(previous_secret_hash) || ' AND previous_expires_at > ' || quote(previous_expires_at) || ';' AS sql
   FROM api_keys WHERE previous_secret_hash IS NOT NULL AND previous_expires_at IS NOT NULL`,
  `SELECT 'UPDATE api_keys SET revoked_at = ' || quote(revoked_at) || ' WHERE id = ' || quote(id) || ' AND revoked_at IS NULL;' AS sql
   FROM api_keys WHERE revoked_at IS NOT NULL`,
  // Before the deactivations, because a trigger then revokes the tokens again, at its own time.
  `SELECT 'UPDATE panelists SET tokens_revoked_at = ' || quote(at) || ' WHERE id = ' || quote(panelist_id)
     || ' AND coalesce(tokens_revoked_at, 0) < ' || quote(at) || ';' AS sql
   FROM (${REVOKED_UNTIL}) WHERE at > 0`,
  // Recorded now: the order of `seq` is that of `recorded_at`.
  `SELECT 'INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ' || quote(account_id) || ', '
     || quote(panelist_id) || ', ' || quote(revoked_at) || ', unixepoch() * 1000' || iif(revoked_at = ${FOR_GOOD}, ' + ${KEPT_FOR_GOOD}', '')
     || ' WHERE NOT EXISTS (SELECT 1 FROM panelists WHERE id = ' || quote(panelist_id)
     || ') AND NOT EXISTS (SELECT 1 FROM token_revocations WHERE panelist_id = ' || quote(panelist_id) || ');' AS sql
   FROM token_revocations ORDER BY seq`,
  // For all of them: a token can have been issued after the export, too.
  "SELECT 'UPDATE panelists SET tokens_issued = 1 WHERE tokens_issued = 0;' AS sql FROM panelists LIMIT 1",
  `SELECT 'UPDATE panelists SET active = 0 WHERE id = ' || quote(id) || ' AND active = 1;' AS sql FROM panelists WHERE active = 0`,
  `SELECT 'UPDATE accounts SET tokens_ended_at = ' || quote(tokens_ended_at) || ', token_epoch = ' || quote(token_epoch)
     || ' WHERE id = ' || quote(id) || ' AND token_epoch < ' || quote(token_epoch) || ';' AS sql
   FROM accounts WHERE token_epoch > 0`,
  `SELECT 'UPDATE idea_banks SET visitor_tokens_ended_at = ' || quote(visitor_tokens_ended_at) || ' WHERE id = ' || quote(id)
     || ' AND coalesce(visitor_tokens_ended_at, 0) < ' || quote(visitor_tokens_ended_at) || ';' AS sql
   FROM idea_banks WHERE visitor_tokens_ended_at IS NOT NULL`,
  `SELECT 'UPDATE idea_banks SET signing_epoch = ' || quote(signing_epoch) || ', signing_previous_until = ' || quote(signing_previous_until)
     || ', signing_token_epoch = ' || quote(signing_token_epoch) || ', signing_older = ' || quote(signing_older) || ' WHERE id = ' || quote(id) || ' AND signing_epoch < ' || quote(signing_epoch) || ';' AS sql
   FROM idea_banks WHERE signing_epoch > 1`,
  ...ACCOUNT_SETTINGS,
  ...WEBHOOKS,
  CHANGED_KEYS,
  ...KEYS_AND_WEBHOOKS_BY_ROWS,
  MOVED_MEMBERS,
  MOVED_OWNERS,
  REMOVED_MEMBERS,
  REMOVED_OWNERS,
  ...MEMBERS_BY_ROWS,
  ...CHANGED_MEMBERS,
  LAST_MEMBERS,
  MEMBERSHIPS,
  INVITATIONS,
  "SELECT 'UPDATE sign_ins SET opened_at = 0 WHERE id = ' || quote(id) || ';' AS sql FROM sign_ins WHERE opened_at = 0",
  ...MAILS,
  // The marks and the events come last: a key whose last change is in the trail stays as it is.
  ...MARKS,
  EVENTS,
];

/** Whether anything can have ended in a database: not in one without tables. One that has lost some of these cannot be read. */
export const canEnd = (before: DatabaseSync): boolean =>
  ["accounts", "api_keys", "token_revocations"].some((table) => hasTable(before, table));

/** `before` is the export from before the restore. */
export const endAgain = (before: DatabaseSync): string[] =>
  canEnd(before)
    ? STATEMENTS.flatMap((select) =>
        before
          .prepare(select)
          .all()
          .map(({ sql }) => String(sql)),
      )
    : [];
