/** Finds what a compound token names: an idea bank and a panelist of the same tenant. One round trip. */
import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";
import { clearExpired, notDoneBefore, recall, toResult } from "./idempotency.ts";

/** `issuedAt` is in Unix seconds, and after the panelist's last "revoke all tokens". It holds no credential. */
export type TokenIssue = { readonly panelistId: string; readonly issuedAt: number };

/** `just-revoked`: a token of this second would be one that was revoked in it. */
export type NotIssued = { readonly kind: "inactive" } | { readonly kind: "just-revoked" };

/** By id, or by the tenant's own id for the person. If no panelist has that id yet, one is created with the id `newPanelistId`. */
export type NamedPanelist = (
  | { readonly panelistId: string }
  | { readonly externalId: string; readonly newPanelistId: string }
) & {
  /** The new display name, null to remove it, undefined to leave it. */
  readonly displayName: string | null | undefined;
};

export type TokenRequest = {
  readonly accountId: string;
  readonly ideaBankId: string;
  readonly panelist: NamedPanelist;
  /** Unix milliseconds. */
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * Finds the panelist, or creates the one that `externalId` names. `refused` when the idea bank or the panelist is not the
 * tenant's; `inactive` when the panelist is not active.
 */
export async function findTokenIssue(
  session: Session,
  { accountId, ideaBankId, panelist, now, idempotencyKey }: TokenRequest,
): Promise<IdempotentResult<TokenIssue> | NotIssued> {
  const [column, value] = "panelistId" in panelist ? ["id", panelist.panelistId] : ["external_id", panelist.externalId];
  const values = {
    accountId,
    ideaBankId,
    named: value,
    displayName: panelist.displayName,
    now,
    idempotencyKey: idempotencyKey?.key,
  };
  const permitted = `EXISTS (SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId) AND ${notDoneBefore()}`;
  const found = `FROM panelists p WHERE p.account_id = :accountId AND p.${column} = :named AND p.deleted_at IS NULL AND ${permitted}`;
  const issuedAt = "max(unixepoch(), coalesce(p.tokens_revoked_at, 0) / 1000 + 1)";
  const issuable = `p.active = 1 AND ${issuedAt} <= unixepoch() + 1`;

  const created =
    "newPanelistId" in panelist
      ? prepare(
          `INSERT INTO panelists (id, account_id, external_id, display_name, created_at, tokens_issued)
           SELECT :newPanelistId, :accountId, :named, :displayName, :now, 1 WHERE ${permitted}
           ON CONFLICT (account_id, external_id) DO NOTHING`,
          { ...values, newPanelistId: panelist.newPanelistId },
        )
      : undefined;
  // A row is written for the first token, and for a new display name. A refused request changes nothing.
  const renames = panelist.displayName !== undefined;
  const noted = prepare(
    `UPDATE panelists AS p SET tokens_issued = 1 ${renames ? ", display_name = :displayName" : ""}
     WHERE p.account_id = :accountId AND p.${column} = :named AND p.deleted_at IS NULL AND ${issuable} AND ${permitted}
       AND (p.tokens_issued = 0 ${renames ? "OR p.display_name IS NOT :displayName" : ""})`,
    values,
  );
  const issue = prepare<IssueRow>(
    `SELECT p.id AS panelistId, p.active, ${issuedAt} AS issuedAt, ${issuedAt} > unixepoch() + 1 AS ahead ${found}`,
    values,
  );
  if (idempotencyKey === undefined) {
    const rows = await session.batch({ created, noted, issue });
    return toIssue(rows.issue) ?? { kind: "refused" };
  }
  const account = { accountId };
  const rows = await session.batch({
    cleared: clearExpired(account, idempotencyKey),
    created,
    noted,
    issue,
    remembered: prepare(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
       SELECT :accountId, :idempotencyKey, :requestHash,
         json_object('panelistId', p.id, 'issuedAt', ${issuedAt}), :rememberedAt ${found}
         AND ${issuable}`,
      { ...values, requestHash: idempotencyKey.requestHash, rememberedAt: idempotencyKey.now },
    ),
    recalled: recall(account, idempotencyKey),
  });
  return toIssue(rows.issue) ?? toResult(rows.recalled, idempotencyKey);
}

type IssueRow = TokenIssue & { readonly active: number; readonly ahead: number };

function toIssue([row]: readonly IssueRow[]): IdempotentResult<TokenIssue> | NotIssued | undefined {
  if (row === undefined) return undefined;
  if (row.active === 0) return { kind: "inactive" };
  if (row.ahead === 1) return { kind: "just-revoked" };
  return { kind: "done", outcome: { panelistId: row.panelistId, issuedAt: row.issuedAt } };
}
