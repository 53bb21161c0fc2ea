/** Finds what a compound token names: an idea bank and a panelist of the same tenant. One round trip. */
import type { IdempotencyKey, Once } from "../model/idempotency-key.ts";
import { clearExpired, NOT_DONE_BEFORE, recall, toOnce } from "./idempotency.ts";

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

/**
 * Finds the panelist, or creates the one that `externalId` names. `refused` when the idea bank or the panelist is not the
 * tenant's; `inactive` when the panelist is not active. `now` is in Unix milliseconds.
 */
export async function findTokenIssue(
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  panelist: NamedPanelist,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<TokenIssue> | NotIssued> {
  const [column, value] = "panelistId" in panelist ? ["id", panelist.panelistId] : ["external_id", panelist.externalId];
  // ?1 account, ?2 idempotency key, ?3 idea bank, ?4 panelist
  const found = `FROM panelists p WHERE p.account_id = ?1 AND p.${column} = ?4
    AND EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?3) AND ${NOT_DONE_BEFORE}`;
  const issuedAt = "max(unixepoch(), coalesce(p.tokens_revoked_at, 0) / 1000 + 1)";
  const bindings = [accountId, idempotencyKey?.key ?? null, ideaBankId, value];

  const inserted =
    "newPanelistId" in panelist ? [insertPanelist(session, accountId, ideaBankId, panelist, now, idempotencyKey)] : [];
  const renamed =
    panelist.displayName === undefined
      ? []
      : [
          session
            .prepare(
              `UPDATE panelists SET display_name = ?5 WHERE account_id = ?1 AND ${column} = ?4 AND display_name IS NOT ?5
                 AND EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?3) AND ${NOT_DONE_BEFORE}`,
            )
            .bind(accountId, idempotencyKey?.key ?? null, ideaBankId, value, panelist.displayName),
        ];
  const selected = session
    .prepare(
      `SELECT p.id AS panelistId, p.active, ${issuedAt} AS issuedAt, ${issuedAt} > unixepoch() + 1 AS ahead ${found}`,
    )
    .bind(...bindings);
  if (idempotencyKey === undefined) {
    const results = await session.batch<IssueRow>([...inserted, ...renamed, selected]);
    return toIssue(results.at(-1)?.results[0]) ?? { kind: "refused" };
  }
  const owner = { accountId };
  const remembered = session
    .prepare(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at)
       SELECT ?1, ?2, ?5, json_object('panelistId', p.id, 'issuedAt', ${issuedAt}), ?6 ${found}
         AND p.active = 1 AND ${issuedAt} <= unixepoch() + 1`,
    )
    .bind(...bindings, idempotencyKey.requestHash, idempotencyKey.now);
  const [issued, , recalled] = (
    await session.batch<IssueRow>([
      clearExpired(session, owner, idempotencyKey),
      ...inserted,
      ...renamed,
      selected,
      remembered,
      recall(session, owner, idempotencyKey),
    ])
  ).slice(1 + inserted.length + renamed.length);
  return toIssue(issued?.results[0]) ?? toOnce(recalled, idempotencyKey);
}

type IssueRow = TokenIssue & { readonly active: number; readonly ahead: number };

function toIssue(row: IssueRow | undefined): Once<TokenIssue> | NotIssued | undefined {
  if (row === undefined) return undefined;
  if (row.active === 0) return { kind: "inactive" };
  if (row.ahead === 1) return { kind: "just-revoked" };
  return { kind: "done", outcome: { panelistId: row.panelistId, issuedAt: row.issuedAt } };
}

const insertPanelist = (
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  { externalId, newPanelistId }: { externalId: string; newPanelistId: string },
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): D1PreparedStatement =>
  session
    .prepare(
      `INSERT INTO panelists (id, account_id, external_id, created_at)
       SELECT ?3, ?1, ?4, ?5
       WHERE EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?6) AND ${NOT_DONE_BEFORE}
       ON CONFLICT (account_id, external_id) DO NOTHING`,
    )
    .bind(accountId, idempotencyKey?.key ?? null, newPanelistId, externalId, now, ideaBankId);
