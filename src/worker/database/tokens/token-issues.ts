/** Finds the rows that a compound token names: an idea bank, and a panelist of the same tenant or its visitors. One round trip. */
import type { IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { type DailyAct, recordOnceADay } from "../activity/daily-events.ts";
import type { TokenRevocation } from "../idea-banks/idea-bank-view.ts";
import { clearExpired, deleteOnce, notDoneBefore, recall, toDeleted, toResult } from "../idempotency.ts";
import { ADDRESS_FOLLOWS, addressValues } from "../panelists/address.ts";
import { canBeDated, dateAfter, LAST_END_OF, VISITORS_ENDED_NOW } from "./token-dates.ts";

/**
 * `issuedAt` is in Unix seconds, and later than every end of tokens that covers it (token-dates.ts). `panelistId` is null for a visitor.
 * It contains no credential.
 */
type TokenIssue = { readonly panelistId: string | null; readonly issuedAt: number };

/** `just-revoked`: tokens were ended so often in this second that a new one would be dated too far ahead. */
type NotIssued = { readonly kind: "inactive" } | { readonly kind: "just-revoked" };

export const VISITOR = "visitor";

/** By id, or by the tenant's own id for the person. If no panelist has that id yet, one is created with the id `newPanelistId`. */
export type NamedPanelist = (
  | { readonly panelistId: string }
  | { readonly externalId: string; readonly newPanelistId: string }
) & {
  /** The new display name, null to remove it, undefined to leave it. */
  readonly displayName: string | null | undefined;
  /** The same of the address, in plain form. */
  readonly email: string | null | undefined;
};

type TokenRequest = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly panelist: NamedPanelist | typeof VISITOR;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** The key that issues a token which is worth an event. */
  readonly recorded: DailyAct | undefined;
};

/**
 * Finds the panelist, or creates the one that `externalId` names. `refused` when the idea bank or the panelist is not the
 * tenant's; `inactive` when the panelist is not active.
 */
export async function prepareTokenIssue(
  session: Session,
  { accountId, ideaBankId, panelist, now, idempotencyKey, recorded: act }: TokenRequest,
): Promise<IdempotentResult<TokenIssue> | NotIssued> {
  const isOwn = `EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId) AND ${notDoneBefore()}`;
  const common = { accountId, ideaBankId, now, idempotencyKey: idempotencyKey?.key };
  const { values, holder, ...preparing } =
    panelist === VISITOR ? { values: common, holder: VISITORS } : prepareHolder(panelist, common, isOwn);
  const issuedAt = dateAfter("h.ended_at");
  const found = `FROM (${holder}) h WHERE ${isOwn}`;
  const issue = prepare<IssueRow>(
    `SELECT h.id AS panelistId, h.active, ${issuedAt} AS issuedAt, NOT (${canBeDated("h.ended_at")}) AS ahead ${found}`,
    values,
  );
  const isIssued = `h.active = 1 AND ${canBeDated("h.ended_at")}`;
  const recorded =
    act &&
    recordOnceADay({ ...act, event: "long-token-issued" }, `EXISTS (SELECT 1 ${found} AND ${isIssued})`, {
      ...values,
      accountId,
    });
  if (idempotencyKey === undefined) {
    const rows = await session.batch({ ...preparing, recorded, issue });
    return toIssue(rows.issue) ?? { kind: "refused" };
  }
  const account = { accountId };
  const rows = await session.batch({
    cleared: clearExpired(account, idempotencyKey),
    ...preparing,
    recorded,
    issue,
    remembered: prepare(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
       SELECT :accountId, :idempotencyKey, :requestHash,
         json_object('panelistId', h.id, 'issuedAt', ${issuedAt}), :rememberedAt ${found}
         AND ${isIssued}`,
      { ...values, requestHash: idempotencyKey.requestHash, rememberedAt: idempotencyKey.now },
    ),
    recalled: recall(account, idempotencyKey),
  });
  return toIssue(rows.issue) ?? toResult(rows.recalled, idempotencyKey);
}

/** The visitors of an idea bank, as a holder of tokens: with the time at which their tokens were ended. */
const VISITORS = `SELECT NULL AS id, 1 AS active, ${LAST_END_OF.idea_banks} AS ended_at FROM idea_banks
  WHERE account_id = :accountId AND id = :ideaBankId`;

type Values = Parameters<typeof prepare>[1];

/** The panelist as the holder, and the writes to it that come first. */
function prepareHolder(panelist: NamedPanelist, common: Values, isOwn: string) {
  const [column, named] = "panelistId" in panelist ? ["id", panelist.panelistId] : ["external_id", panelist.externalId];
  const newPanelistId = "newPanelistId" in panelist ? panelist.newPanelistId : undefined;
  const { displayName, email } = panelist;
  const values = { ...common, named, newPanelistId, displayName, ...addressValues(email) };
  const isNamed = `account_id = :accountId AND ${column} = :named AND deleted_at IS NULL`;
  // A panelist that is still being deleted has the same identifier, and is not active.
  const orDeleted =
    "newPanelistId" in panelist
      ? "OR (id = :newPanelistId AND account_id = :accountId AND deleted_at IS NOT NULL)"
      : "";
  const created =
    "newPanelistId" in panelist
      ? prepare(
          `INSERT INTO panelists (id, account_id, external_id, display_name, email, mailbox, created_at, tokens_issued)
           SELECT :newPanelistId, :accountId, :named, :displayName, :email, :mailbox, :now, 1 WHERE ${isOwn}
           ON CONFLICT DO NOTHING`,
          values,
        )
      : undefined;
  // A row is written for the first token, a new display name and a new address. A refused request changes nothing.
  const set = ["tokens_issued = 1"];
  const changed = ["tokens_issued = 0"];
  if (displayName !== undefined) {
    set.push("display_name = :displayName");
    changed.push("display_name IS NOT :displayName");
  }
  if (email !== undefined) {
    set.push("email = :email", ...ADDRESS_FOLLOWS);
    changed.push("email IS NOT :email");
  }
  const noted = prepare(
    `UPDATE panelists SET ${set.join(", ")}
     WHERE ${isNamed} AND active = 1 AND ${canBeDated(LAST_END_OF.panelists)} AND ${isOwn} AND (${changed.join(" OR ")})`,
    values,
  );
  const holder = `SELECT id, active, ${LAST_END_OF.panelists} AS ended_at FROM panelists WHERE ${isNamed} ${orDeleted}`;
  return { values, holder, created, noted };
}

/** Ends every visitor's token of the idea bank that was issued until now. A repeated request returns the first one's revocation. */
export async function endVisitorTokens(
  session: Session,
  {
    accountId,
    ideaBankId,
    idempotencyKey,
  }: { readonly accountId: string; readonly ideaBankId: string; readonly idempotencyKey: IdempotencyKey | undefined },
): Promise<{ readonly result: IdempotentResult<null>; readonly revocation: TokenRevocation | undefined }> {
  const sql = `UPDATE idea_banks SET visitor_tokens_ended_at = ${VISITORS_ENDED_NOW}
    WHERE account_id = :accountId AND id = :ideaBankId AND ${notDoneBefore()} RETURNING id`;
  const { ended, ...results } = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { ideaBankId } }),
    ended: prepare<TokenRevocation>(
      `SELECT visitor_tokens_ended_at AS seq, visitor_tokens_ended_at AS revokedAt, id AS panelistId FROM idea_banks
       WHERE account_id = :accountId AND id = :ideaBankId AND visitor_tokens_ended_at IS NOT NULL`,
      { accountId, ideaBankId },
    ),
  });
  return { result: toDeleted(results, idempotencyKey), revocation: ended[0] };
}

type IssueRow = TokenIssue & { readonly active: number; readonly ahead: number };

function toIssue([row]: readonly IssueRow[]): IdempotentResult<TokenIssue> | NotIssued | undefined {
  if (row === undefined) return undefined;
  if (row.active === 0) return { kind: "inactive" };
  if (row.ahead === 1) return { kind: "just-revoked" };
  return { kind: "done", outcome: { panelistId: row.panelistId, issuedAt: row.issuedAt } };
}
