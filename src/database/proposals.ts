/** Rows of `proposals`, as their tenant manages them. Every function gives null, or false, for what is not the tenant's. */

import type { IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { NewProposal, Proposal, ProposalChanges, ProposalStatus } from "../model/proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, NOT_DONE_BEFORE } from "./idempotency.ts";
import { pageBindings, toPage } from "./pagination.ts";

type Row = {
  id: string;
  title: string;
  description: string;
  status: ProposalStatus;
  created_at: number;
  last_activity_at: number;
};

/** A proposal, and the idea bank that it is in. */
export type ProposalPath = { readonly ideaBankId: string; readonly proposalId: string };

const COLUMNS = "id, title, description, status, created_at, last_activity_at";

const toProposal = (row: Row): Proposal => ({
  id: row.id,
  title: row.title,
  description: row.description,
  status: row.status,
  createdAt: toTimestamp(row.created_at),
  lastActivityAt: toTimestamp(row.last_activity_at),
});

/** Those of one status, or all. */
export async function listProposals(
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  status: ProposalStatus | undefined,
  request: PageRequest,
): Promise<Page<Proposal> | null> {
  const [owned, proposals] = await session.batch([
    session.prepare("SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?2").bind(accountId, ideaBankId),
    session
      .prepare(
        `SELECT ${COLUMNS} FROM proposals
         WHERE idea_bank_id = ?2 AND account_id = ?1 AND (created_at, id) < (?3, ?4) ${status ? "AND status = ?6" : ""}
         ORDER BY created_at DESC, id DESC LIMIT ?5`,
      )
      .bind(accountId, ideaBankId, ...pageBindings(request), ...(status ? [status] : [])),
  ]);
  if (owned?.results.length !== 1) return null;
  return toPage((proposals?.results ?? []) as Row[], request, toProposal);
}

export function createProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  { title, description, status }: NewProposal,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<Proposal>> {
  const proposal = toProposal({ id: proposalId, title, description, status, created_at: now, last_activity_at: now });
  const insert = session
    .prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?8, ?8
       WHERE EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?4) AND ${NOT_DONE_BEFORE}
       RETURNING id`,
    )
    .bind(accountId, idempotencyKey?.key ?? null, proposalId, ideaBankId, title, description, status, now);
  return insertOnce(session, accountId, idempotencyKey, insert, proposal);
}

export async function loadProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
): Promise<Proposal | null> {
  const row = await session
    .prepare(`SELECT ${COLUMNS} FROM proposals WHERE account_id = ?1 AND idea_bank_id = ?2 AND id = ?3`)
    .bind(accountId, ideaBankId, proposalId)
    .first<Row>();
  return row && toProposal(row);
}

/** An edit or a change of status is activity; sending what already stands is not. */
export async function updateProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  changes: ProposalChanges,
  now: number,
): Promise<Proposal | null> {
  const row = await session
    .prepare(
      `UPDATE proposals SET title = coalesce(?4, title), description = coalesce(?5, description),
         status = coalesce(?6, status),
         last_activity_at = iif(
           coalesce(?4, title) = title AND coalesce(?5, description) = description AND coalesce(?6, status) = status,
           last_activity_at, max(last_activity_at, ?7))
       WHERE account_id = ?1 AND idea_bank_id = ?2 AND id = ?3 RETURNING ${COLUMNS}`,
    )
    .bind(
      accountId,
      ideaBankId,
      proposalId,
      changes.title ?? null,
      changes.description ?? null,
      changes.status ?? null,
      now,
    )
    .first<Row>();
  return row && toProposal(row);
}

/** Its comments go with it. */
export async function deleteProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
): Promise<boolean> {
  const row = await session
    .prepare("DELETE FROM proposals WHERE account_id = ?1 AND idea_bank_id = ?2 AND id = ?3 RETURNING id")
    .bind(accountId, ideaBankId, proposalId)
    .first();
  return row !== null;
}
