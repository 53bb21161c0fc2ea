/** Events that members get an e-mail about, each once. */
import type { AuditEvent } from "../../model/audit-event.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "../activity/audit-events.ts";
import { membersOf } from "../members/membership.ts";

/** Notices per database per run; each goes to at most 50 members. */
const AT_A_TIME = 10;
/** Chosen among this many of the newest, one account after another, so that no account makes another wait. */
const CANDIDATES = 500;
/** Older ones are not sent: they waited for a missing binding. */
const FRESH_MS = 86_400_000;

/** SQL: the event is about an invitation, which only the invited person gets, while it is there. */
const IS_INVITATION = "changes ->> '$.after.invited' IS NOT NULL";

/**
 * SQL: a member may see now what the event is about. Admins do, and whoever joined or has another address; whoever sees the page of a
 * board's code sees when its token ends.
 */
const MAY_SEE = `(role = 'admin' OR email = changes ->> '$.after.member' OR event = 'visitor-token-expiring' AND role = 'member')`;

/** `to`: the members who may see it, or the person who is invited. `account` is the address of the account's creator. */
export type Notice = {
  readonly event: AuditEvent;
  readonly to: readonly string[];
  readonly accountId: string;
  readonly account: string;
  /** Who did it: the member's name, or without one the address. */
  readonly by: string | null;
};

/** Each account's newest first. Marks them sent first: at most once, even if the e-mail fails. */
export async function takeNotices(session: Session, now: number): Promise<readonly Notice[]> {
  const rows = await session.all(
    prepare<EventRow & { recipients: string; account_id: string; account: string; actor_name: string | null }>(
      `UPDATE audit_events SET notice = 0
       WHERE id IN (
         SELECT id FROM (
           SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS turn
           FROM (SELECT id, account_id, created_at FROM audit_events WHERE notice = 1 ORDER BY created_at DESC LIMIT ${CANDIDATES})
         ) ORDER BY turn, created_at DESC LIMIT ${AT_A_TIME})
       RETURNING ${EVENT_COLUMNS}, account_id, (SELECT owner_email FROM accounts a WHERE a.id = audit_events.account_id) AS account,
         (SELECT name FROM (${membersOf("audit_events.account_id")}) WHERE email = actor) AS actor_name,
         (SELECT json_group_array(email) FROM (
           SELECT email FROM (${membersOf("audit_events.account_id")}) WHERE ${MAY_SEE} AND NOT ${IS_INVITATION}
           UNION ALL SELECT email FROM invitations i WHERE i.account_id = audit_events.account_id AND declined_at IS NULL
             AND ${IS_INVITATION} AND email = changes ->> '$.after.invited')) AS recipients`,
      {},
    ),
  );
  return rows
    .filter(({ created_at }) => created_at > now - FRESH_MS)
    .map((row) => ({
      event: toEvent(row),
      to: JSON.parse(row.recipients) as string[],
      accountId: row.account_id,
      account: row.account,
      by: row.actor_name ?? row.actor,
    }));
}
