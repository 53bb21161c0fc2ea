/** Exports of members, in the activity: each one, with its filter and its rows. So they are bounded, too. */
import type { Owner } from "../../model/account-key.ts";
import type { Exported } from "../../model/export.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { isMember } from "../members/membership.ts";
import { type AuditStamp, isRecordable, selectWait } from "./audit-events.ts";

/** An account's exports have this many rows in ten minutes, and then one more: other tenants use the database, too. */
const ROWS_IN_TEN_MINUTES = 200_000;
const TEN_MINUTES_MS = 600_000;
const LOOKED_AT = 1_000;
const IS_EXPORT = "event = 'exported'";
const WHOSE = { accountId: ":accountId", now: ":now" };

/** `panelistId`: of the file of one person. */
type NewExport = AuditStamp & {
  readonly accountId: string;
  readonly owner: Owner;
  readonly exported: Exported;
  readonly filter: string;
  readonly rows: number;
  readonly panelistId?: string;
};

/** Why an export must not begin, and in how many milliseconds it may. */
export type Refused = { readonly because: "rows" | "files"; readonly waitMs: number };

/**
 * Records the export before its first row is read. It must not begin when there were too many rows in ten minutes, or 100 exports in a
 * day, or when the person is no longer a member.
 */
export async function recordExport(
  session: Session,
  { eventId, now, accountId, owner: { person, actor, address }, exported, filter, rows, panelistId }: NewExport,
): Promise<Refused | undefined> {
  const none = { exported: null, filter: null, rows: null };
  const after = { exported, filter: filter || null, rows, ...(panelistId !== undefined && { panelistId }) };
  const recent = `(SELECT coalesce(sum(changes ->> '$.after.rows'), 0) FROM (
    SELECT event, changes FROM audit_events WHERE account_id = :accountId AND created_at > :now - ${TEN_MINUTES_MS}
    ORDER BY created_at DESC LIMIT ${LOOKED_AT}) WHERE ${IS_EXPORT})`;
  const recorded = await session.all(
    prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
       SELECT :eventId, :accountId, 'exported', NULL, '', :actor, :address, :now, :changes
       WHERE ${isMember()} AND ${recent} < ${ROWS_IN_TEN_MINUTES}
         AND ${isRecordable(IS_EXPORT, WHOSE)} RETURNING id`,
      { eventId, accountId, person, actor, address, now, changes: JSON.stringify({ before: none, after }) },
    ),
  );
  if (recorded.length > 0) return undefined;
  const [day] = await session.all(prepare<{ wait_ms: number }>(selectWait(IS_EXPORT, WHOSE), { accountId, now }));
  return day === undefined ? { because: "rows", waitMs: TEN_MINUTES_MS } : { because: "files", waitMs: day.wait_ms };
}
