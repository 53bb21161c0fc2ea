/** Tells accounts of API keys that expire: an event 30, 7 and 1 days before. The log of changes and members' e-mail have it from there. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { nextNotice } from "../changes/next-notice.ts";

/** How many days before a key expires its account is notified. */
const TOLD_DAYS_BEFORE = [1, 7, 30];

/** `nextNotice` for a key. */
export const nextExpiryNotice = (expiresAt: string): string => nextNotice(expiresAt, TOLD_DAYS_BEFORE);

const SLICE = 50;
const DAY_MS = 86_400_000;

const DUE = `SELECT id FROM api_keys WHERE expiry_notice_at <= :now ORDER BY expiry_notice_at LIMIT ${SLICE}`;

/** The keys that are due, each once: the next time is set in the transaction of the event. False when none was due. */
export async function tellOfExpiry(session: Session, now: number): Promise<boolean> {
  const { told } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, changes)
       SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), account_id, 'expiring', id, name, :now,
         json_object('before', NULL, 'after', json_object('expiresAt', expires_at))
       FROM api_keys WHERE id IN (${DUE}) AND revoked_at IS NULL AND expires_at > :now AND expires_at <= :now + ${30 * DAY_MS}`,
      { now },
    ),
    told: prepare<{ id: string }>(
      `UPDATE api_keys SET expiry_notice_at = iif(revoked_at IS NULL, ${nextExpiryNotice("expires_at")}, NULL)
       WHERE id IN (${DUE}) RETURNING id`,
      { now },
    ),
  });
  return told.length > 0;
}
