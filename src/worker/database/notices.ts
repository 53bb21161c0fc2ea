/** Events that members are told of by e-mail, each once. */
import type { AuditEvent } from "../model/audit-event.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./audit-events.ts";

/** Of one database, in a run of the job: at most 50 members each are told. */
const AT_A_TIME = 10;
/** They are chosen among the newest of this number, in turns of the accounts: no account makes another one wait. */
const CANDIDATES = 500;
/** Older ones are not told any more: they waited for a binding that was missing. */
const FRESH_MS = 86_400_000;

export type Notice = { readonly event: AuditEvent; readonly members: readonly string[] };

/** Each account's newest first. From then on they count as told, whatever becomes of the e-mails: nobody is told twice. */
export async function takeNotices(session: Session, now: number): Promise<readonly Notice[]> {
  const rows = await session.all(
    prepare<EventRow & { members: string }>(
      `UPDATE audit_events SET notice = 0
       WHERE id IN (
         SELECT id FROM (
           SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS turn
           FROM (SELECT id, account_id, created_at FROM audit_events WHERE notice = 1 ORDER BY created_at DESC LIMIT ${CANDIDATES})
         ) ORDER BY turn, created_at DESC LIMIT ${AT_A_TIME})
       RETURNING ${EVENT_COLUMNS}, (SELECT json_group_array(email) FROM (
         SELECT owner_email AS email FROM accounts a WHERE a.id = audit_events.account_id AND owner_email <> a.id
         UNION ALL SELECT email FROM members m WHERE m.account_id = audit_events.account_id)) AS members`,
      {},
    ),
  );
  return rows
    .filter(({ created_at }) => created_at > now - FRESH_MS)
    .map((row) => ({ event: toEvent(row), members: JSON.parse(row.members) as string[] }));
}
