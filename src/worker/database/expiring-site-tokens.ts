/** Tells accounts of visitor tokens on their sites that end: an event 30 and 7 days before. Members' e-mail and webhooks have it from there. */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { nextNotice } from "./next-notice.ts";
import { isSiteTokenValid, SITE_TOKEN_TOLD_DAYS } from "./site-tokens.ts";

const SLICE = 50;

const DUE = `SELECT id FROM idea_banks WHERE site_token_notice_at <= :now ORDER BY site_token_notice_at LIMIT ${SLICE}`;

/** The boards that are due, each once: the next time is set in the transaction of the event. False when none was due. */
export async function tellOfSiteTokens(session: Session, now: number): Promise<boolean> {
  const { told } = await session.batch({
    audited: prepare(
      `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id, idea_bank_id, changes)
       SELECT substr(id, 1, 1) || substr(hex(randomblob(6)), 2), account_id, 'visitor-token-expiring', NULL, name, :now, id, NULL,
         json_object('before', NULL, 'after', json_object('expiresAt', site_token_expires_at * 1000))
       FROM idea_banks b WHERE id IN (${DUE}) AND ${isSiteTokenValid("b")}`,
      { now },
    ),
    told: prepare<{ id: string }>(
      `UPDATE idea_banks SET site_token_notice_at = ${nextNotice("site_token_expires_at * 1000", SITE_TOKEN_TOLD_DAYS)}
       WHERE id IN (${DUE}) RETURNING id`,
      { now },
    ),
  });
  return told.length > 0;
}
