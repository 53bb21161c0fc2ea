/** Which visitor token a board's Embed page hands out: the same one until it is renewed, so that its expiry is known. */
import type { Owner } from "../../model/account-key.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { nextNotice } from "../changes/next-notice.ts";
import { isMember } from "../members/membership.ts";
import { endOfAccount, issuedAfter, lastEnd } from "./token-dates.ts";
import { prepareTokenIssue, VISITOR } from "./token-issues.ts";

/** Unix seconds. It contains no credential: the token is computed from it. */
export type SiteToken = { readonly issuedAt: number; readonly expiresAt: number };

/** How many days before the token on a site expires its account is told. */
const TOLD_DAYS_BEFORE = [7, 30];

/** SQL, with `:now`: the idea bank with this alias has a site token, and neither time nor anybody has ended it. */
export const isSiteTokenValid = (bank: string): string =>
  `coalesce(${bank}.site_token_expires_at * 1000 > :now AND ${issuedAfter(
    `${bank}.site_token_issued_at * 1000`,
    lastEnd(`${bank}.visitor_tokens_ended_at`, endOfAccount(`${bank}.account_id`)),
  )}, 0)`;

type Request = {
  readonly accountId: string;
  readonly ideaBankId: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** How long a new one lasts, in seconds. */
  readonly lifetime: number;
  /** Even if the previous one is valid, which it stays until it expires. */
  readonly renew: boolean;
  /** Who asks. Only for a member something is stored. */
  readonly owner: Pick<Owner, "person" | "actor">;
};

/**
 * Returns the site token. Where there is none that is valid, one is made first. Undefined in the second in which visitors' tokens were
 * ended: then none is issued; and for a viewer where there is none.
 */
export async function keepSiteToken(session: Session, request: Request): Promise<SiteToken | undefined> {
  const { accountId, ideaBankId, now, lifetime, renew, owner } = request;
  const kept = prepare<SiteToken>(
    `SELECT site_token_issued_at AS issuedAt, site_token_expires_at AS expiresAt FROM idea_banks b
     WHERE account_id = :accountId AND id = :ideaBankId AND ${isSiteTokenValid("b")}`,
    { accountId, ideaBankId, now },
  );
  const asked = { accountId, ideaBankId, now, idempotencyKey: undefined, recorded: undefined };
  // Together, because the first page of a board needs both.
  const [[found], issue] = await Promise.all([
    renew ? [] : session.all(kept),
    prepareTokenIssue(session, { ...asked, panelist: VISITOR }),
  ]);
  if (found) return found;
  if (issue.kind !== "done") return undefined;
  const { issuedAt } = issue.outcome;
  const rows = await session.batch({
    stored: prepare(
      `UPDATE idea_banks AS b SET site_token_issued_at = :issuedAt, site_token_expires_at = :expiresAt,
         site_token_notice_at = ${nextNotice(":expiresAt * 1000", TOLD_DAYS_BEFORE)}
       WHERE account_id = :accountId AND id = :ideaBankId AND (:renew OR NOT ${isSiteTokenValid("b")}) AND ${isMember(":accountId", ":person", "member")}`,
      {
        ...{ accountId, ideaBankId, now, issuedAt, expiresAt: issuedAt + lifetime, renew },
        ...{ person: owner.person, actor: owner.actor },
      },
    ),
    kept,
  });
  return rows.kept[0];
}

const SLICE = 50;

const DUE = `SELECT id FROM idea_banks WHERE site_token_notice_at <= :now ORDER BY site_token_notice_at LIMIT ${SLICE}`;

/**
 * Tells accounts of site tokens that end: an event, which members' e-mail and webhooks have from there. Each board that is due once: the
 * next time is set in the transaction of the event. False when none was due.
 */
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
      `UPDATE idea_banks SET site_token_notice_at = ${nextNotice("site_token_expires_at * 1000", TOLD_DAYS_BEFORE)}
       WHERE id IN (${DUE}) RETURNING id`,
      { now },
    ),
  });
  return told.length > 0;
}
