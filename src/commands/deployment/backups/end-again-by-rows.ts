/**
 * What a restore ends again by rows that live as long as their account, whatever the activity still has: each a SELECT of
 * statements as texts, as in end-again.ts.
 *
 * A key and a webhook have the time of their last change. An account has the times of its last removals (`member_removed_at` and
 * so on). A row from before such a time that is restored, but missing in the state before the restore, was removed. An account
 * that never removed anything gets lost rows back.
 *
 * A restored row or account with the same time or a later one stays as it is: the removal is in it, and it may have changed since.
 */

/** A row can be of an isolate whose clock is ahead. */
const CLOCKS_DIFFER_MS = 60_000;

/** Deletes or ends the restored rows of `table` that are missing in the state before. `key` names a row in its account. */
const missingSince = (mark: string, table: string, key: string, does: string) =>
  `SELECT '${does} WHERE account_id = ' || quote(a.id) || ' AND created_at <= ' || quote(a.${mark} + ${CLOCKS_DIFFER_MS})
     || ' AND ${key} NOT IN (SELECT value FROM json_each(' || quote((SELECT json_group_array(${key}) FROM ${table} t WHERE t.account_id = a.id))
     || ')) AND (SELECT coalesce(${mark}, 0) FROM accounts WHERE id = ' || quote(a.id) || ') < ' || quote(a.${mark}) || ';' AS sql
   FROM accounts a WHERE a.${mark} IS NOT NULL`;

/** The settings of a key in the state before, as the assignments of an UPDATE. */
export const KEY_SETTINGS = `'name = ' || quote(k.name) || ', scopes = ' || quote(k.scopes) || ', rate_limit = ' || quote(k.rate_limit)
     || ', rate_window_seconds = ' || quote(k.rate_window_seconds) || ', expires_at = ' || quote(k.expires_at)
     || ', expiry_notice_at = ' || quote(k.expiry_notice_at) || ', paused_at = ' || quote(k.paused_at) || ', allowed_addresses = ' || quote(k.allowed_addresses)`;
/** The settings of a webhook, without its state if it delivers: no webhook is switched on. */
export const WEBHOOK_SETTINGS = `'url = ' || quote(w.url) || ', types = ' || quote(w.types) || ', secret = ' || quote(w.secret)
     || ', previous_secret = ' || quote(w.previous_secret) || ', previous_until = ' || quote(w.previous_until)
     || ', older_secrets = ' || quote(w.older_secrets)
     || iif(w.state = 'active', '', ', due_at = NULL, state = ' || quote(w.state))`;

const changedSince = (row: string) =>
  `' WHERE id = ' || quote(${row}.id) || ' AND coalesce(changed_at, 0) < ' || quote(${row}.changed_at) || ';'`;

export const KEYS_AND_WEBHOOKS_BY_ROWS = [
  missingSince(
    "keys_deleted_at",
    "api_keys",
    "id",
    "UPDATE api_keys SET revoked_at = coalesce(revoked_at, created_at)",
  ),
  `SELECT 'UPDATE api_keys SET ' || ${KEY_SETTINGS} || ', changed_at = ' || quote(k.changed_at) || ${changedSince("k")} AS sql
   FROM api_keys k WHERE k.changed_at IS NOT NULL`,
  // A rotation takes the mark away.
  `SELECT 'UPDATE api_keys SET leaked_at = ' || quote(leaked_at) || ' WHERE id = ' || quote(id) || ' AND leaked_at IS NULL AND coalesce(rotated_at, 0) <= '
     || quote(coalesce(rotated_at, 0)) || ';' AS sql FROM api_keys WHERE leaked_at IS NOT NULL`,
  missingSince("webhook_deleted_at", "webhooks", "id", "DELETE FROM webhooks"),
  `SELECT 'UPDATE webhooks SET ' || ${WEBHOOK_SETTINGS} || ', changed_at = ' || quote(w.changed_at) || ${changedSince("w")} AS sql
   FROM webhooks w WHERE w.changed_at IS NOT NULL`,
];

export const MEMBERS_BY_ROWS = [
  missingSince("member_removed_at", "members", "email", "DELETE FROM members"),
  // The account's creator is in the account's row.
  `SELECT 'UPDATE accounts SET owner_email = id WHERE id = ' || quote(id) || ' AND coalesce(member_removed_at, 0) < ' || quote(member_removed_at)
     || ';' AS sql FROM accounts WHERE member_removed_at IS NOT NULL AND owner_email = id`,
];

/** These come last: from then on the restored accounts have had these removals. */
export const MARKS = ["member_removed_at", "webhook_deleted_at", "keys_deleted_at"].map(
  (mark) =>
    `SELECT 'UPDATE accounts SET ${mark} = ' || quote(${mark}) || ' WHERE id = ' || quote(id) || ' AND coalesce(${mark}, 0) < ' || quote(${mark})
     || ';' AS sql FROM accounts WHERE ${mark} IS NOT NULL`,
);
