/** Which visitor token a board's Embed page hands out: the same one until it is renewed, so that its expiry is known. */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { nextNotice } from "./next-notice.ts";
import { prepareTokenIssue, VISITOR } from "./token-issues.ts";

/** Unix seconds. It contains no credential: the token is computed from it. */
export type SiteToken = { readonly issuedAt: number; readonly expiresAt: number };

export const SITE_TOKEN_TOLD_DAYS = [7, 30];

/** SQL, with `:now`: the idea bank with this alias has a site token, and neither time nor anybody has ended it. */
export const isSiteTokenValid = (bank: string): string =>
  `coalesce(${bank}.site_token_expires_at * 1000 > :now AND ${bank}.site_token_issued_at * 1000 > max(coalesce(${bank}.visitor_tokens_ended_at, 0),
    coalesce((SELECT tokens_ended_at FROM accounts WHERE id = ${bank}.account_id), 0)), 0)`;

type Request = {
  readonly accountId: string;
  readonly ideaBankId: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** How long a new one lasts, in seconds. */
  readonly lifetime: number;
  /** Even if the previous one is valid, which it stays until it expires. */
  readonly renew: boolean;
};

/**
 * Returns the site token. Where there is none that is valid, one is made first. Undefined in the second in which visitors' tokens were
 * ended: then none is issued.
 */
export async function keepSiteToken(session: Session, request: Request): Promise<SiteToken | undefined> {
  const { accountId, ideaBankId, now, lifetime, renew } = request;
  const kept = prepare<SiteToken>(
    `SELECT site_token_issued_at AS issuedAt, site_token_expires_at AS expiresAt FROM idea_banks b
     WHERE account_id = :accountId AND id = :ideaBankId AND ${isSiteTokenValid("b")}`,
    { accountId, ideaBankId, now },
  );
  const [found] = renew ? [] : await session.all(kept);
  if (found) return found;
  const asked = {
    accountId,
    ideaBankId,
    panelist: VISITOR,
    now,
    idempotencyKey: undefined,
    recorded: undefined,
  } as const;
  const issue = await prepareTokenIssue(session, asked);
  if (issue.kind !== "done") return undefined;
  const { issuedAt } = issue.outcome;
  const rows = await session.batch({
    stored: prepare(
      `UPDATE idea_banks AS b SET site_token_issued_at = :issuedAt, site_token_expires_at = :expiresAt,
         site_token_notice_at = ${nextNotice(":expiresAt * 1000", SITE_TOKEN_TOLD_DAYS)}
       WHERE account_id = :accountId AND id = :ideaBankId AND (:renew OR NOT ${isSiteTokenValid("b")})`,
      { accountId, ideaBankId, now, issuedAt, expiresAt: issuedAt + lifetime, renew: renew ? 1 : 0 },
    ),
    kept,
  });
  return rows.kept[0];
}
