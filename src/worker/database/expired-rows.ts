/**
 * Deletes rows that are kept for a limited time, in slices, for the scheduled job. Safe to repeat, and to run twice at the same
 * time.
 */
import { INVITED_MS } from "../model/member.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { isOfTypes } from "./changes/changes.ts";
import { OUTCOME_KEPT_MS } from "./idempotency.ts";
import { SIGNED_IN_MS } from "./members/sign-ins.ts";
import { UNDO_TEXTS_KEPT_MS } from "./proposals/decisions.ts";

/** A slice deletes this many rows, so that no statement blocks the database for long. */
const SLICE = 500;
const DAY_MS = 86_400_000;
/** A panelist's token lives for at most 90 days, so a revocation at an older time concerns no valid token. */
const REVOCATION_KEPT_MS = 91 * DAY_MS;

type Kind = {
  readonly table: string;
  readonly key: string;
  /** The column with the beginning of a row's time, in Unix milliseconds; its index gives the oldest row. */
  readonly since: string;
};

export const EXPIRING = [
  { table: "idempotency_keys", key: "account_id, key", since: "created_at", keptMs: OUTCOME_KEPT_MS },
  { table: "undo_texts", key: "event_id", since: "created_at", keptMs: UNDO_TEXTS_KEPT_MS },
  { table: "sign_ins", key: "id", since: "created_at", keptMs: SIGNED_IN_MS + 3_600_000 },
  { table: "sign_in_codes", key: "id", since: "created_at", keptMs: DAY_MS },
  { table: "invitations", key: "id", since: "created_at", keptMs: INVITED_MS },
  { table: "member_outbox", key: "account_id, member_id, subject_id", since: "created_at", keptMs: 3 * DAY_MS },
  { table: "invited", key: "email, account_id", since: "invited_at", keptMs: INVITED_MS },
] as const satisfies readonly (Kind & { readonly keptMs: number })[];

/** A setting of the deployment says how long these are kept. */
export const RETAINED = [
  { table: "api_key_usage", key: "api_key_id, hour", since: "hour", setting: "USAGE_DAYS" },
  { table: "audit_events", key: "id", since: "created_at", setting: "AUDIT_EVENT_DAYS" },
] as const satisfies readonly (Kind & { readonly setting: string })[];

/** Deletes one slice of the oldest rows from before `expired` (Unix milliseconds). False when none was left. */
export async function deleteExpired(session: Session, { table, key, since }: Kind, expired: number): Promise<boolean> {
  const deleted = await session.run(
    prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} WHERE ${since} < :expired ORDER BY ${since} LIMIT ${SLICE})`,
      { expired },
    ),
  );
  return deleted > 0;
}

/**
 * Deletes old token revocations. One that refuses an inactive panelist is never deleted, because the tenant's server can sign a
 * token at any time. Its `revoked_at` is the maximum; the index on `recorded_at` gives the age.
 */
export async function deleteOldRevocations(session: Session, now: number): Promise<boolean> {
  const deleted = await session.run(
    prepare(
      `DELETE FROM token_revocations WHERE seq IN (
         SELECT seq FROM token_revocations WHERE recorded_at < :expired AND revoked_at < :expired
         ORDER BY recorded_at LIMIT ${SLICE})`,
      { expired: now - REVOCATION_KEPT_MS },
    ),
  );
  return deleted > 0;
}

const OLD_CHANGES = `WITH
  slice AS MATERIALIZED (SELECT number, changed_at FROM change_log WHERE account_id = :id ORDER BY number LIMIT ${SLICE}),
  old AS MATERIALIZED (SELECT number FROM slice
    WHERE number < coalesce((SELECT min(number) FROM slice WHERE changed_at >= :expired), (SELECT max(number) + 1 FROM slice)) - 1)`;

/**
 * Deletes old changes of the account that is due first. The last of them stays, which proves that a reader who has read it has
 * missed none. A webhook that is behind misses those of its types, and goes on after them. The account is due again when the next
 * change will be too old, but not within a day. False when no account is due.
 */
export async function deleteOldChanges(session: Session, now: number, keptMs: number): Promise<boolean> {
  const account = await session.first(
    prepare<{ id: string; oldest: number | null }>(
      `SELECT a.id, (SELECT changed_at FROM change_log WHERE account_id = a.id ORDER BY number LIMIT 1 OFFSET 1) AS oldest
         FROM accounts a WHERE changes_due_at <= :now ORDER BY changes_due_at LIMIT 1`,
      { now },
    ),
  );
  if (account === null) return false;
  const { id, oldest } = account;
  if (oldest === null || oldest >= now - keptMs) {
    const due = Math.max(now + DAY_MS, (oldest ?? now) + keptMs);
    await session.run(prepare("UPDATE accounts SET changes_due_at = :due WHERE id = :id", { id, due }));
    return true;
  }
  const values = { id, expired: now - keptMs };
  await session.batch({
    missed: prepare(
      `${OLD_CHANGES} UPDATE webhooks SET number = (SELECT max(number) FROM old), missed = missed + (SELECT count(*) FROM change_log
         WHERE account_id = :id AND number IN (SELECT number FROM old) AND number > webhooks.number AND ${isOfTypes("webhooks.types")})
       WHERE account_id = :id AND number < (SELECT max(number) FROM old)`,
      values,
    ),
    deleted: prepare(
      `${OLD_CHANGES} DELETE FROM change_log WHERE account_id = :id AND number IN (SELECT number FROM old)`,
      values,
    ),
  });
  return true;
}
