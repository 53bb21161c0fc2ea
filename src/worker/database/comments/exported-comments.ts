/** Comments for a file: of idea banks, one after the other, with the proposal and the author of each. */
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Visibility } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { authorStays } from "../proposals/deletions.ts";
import { ACCESSIBLE_PROPOSAL } from "../proposals/proposals.ts";

type Row = {
  id: string;
  proposal_id: string;
  title: string;
  body: string;
  by_tenant: number;
  visibility: Visibility;
  panelist_id: string | null;
  external_id: string | null;
  display_name: string | null;
  created_at: number;
  stays: number;
};

export type ExportedComment = {
  readonly id: string;
  readonly proposalId: string;
  readonly title: string;
  readonly body: string;
  readonly by: "team" | "person";
  readonly visibility: Visibility;
  /** Null for the team's, and for somebody who was deleted. */
  readonly author: string | null;
  readonly authorExternalId: string | null;
  readonly createdAt: string;
};

const toExported = (row: Row): ExportedComment => ({
  id: row.id,
  proposalId: row.proposal_id,
  title: row.title,
  body: row.body,
  by: row.by_tenant === 1 ? "team" : "person",
  visibility: row.visibility,
  author: row.display_name ?? row.external_id,
  authorExternalId: row.external_id,
  createdAt: toTimestamp(row.created_at),
});

type OfBank = { readonly accountId: string; readonly ideaBankId: string };

/** The newest first. Six rows are read for a comment at most. */
export async function listExportedComments(
  session: Session,
  { request, ...of }: OfBank & { readonly request: PageRequest },
): Promise<Page<ExportedComment>> {
  const rows = await session.all(
    prepare<Row>(
      `SELECT c.id, c.proposal_id, title, body, c.by_tenant, c.visibility, w.id AS panelist_id, w.external_id, w.display_name, c.created_at,
         ${authorStays("c.panelist_id")} AND ${ACCESSIBLE_PROPOSAL} AS stays
       FROM (SELECT * FROM comments WHERE idea_bank_id = :ideaBankId AND account_id = :accountId AND (created_at, id) < (:afterKey, :afterId)
         ORDER BY created_at DESC, id DESC LIMIT :rows) c
       CROSS JOIN proposals ON proposals.id = c.proposal_id
       LEFT JOIN panelists w ON w.id = c.panelist_id AND w.deleted_at IS NULL
       ORDER BY c.created_at DESC, c.id DESC`,
      { ...of, ...pageValues(request) },
    ),
  );
  return toPage(rows, { request, toItem: toExported, keyOf: byCreation });
}

/** In these idea banks of the account, counted up to `most`. */
export async function countComments(
  session: Session,
  { accountId, ideaBankIds }: { readonly accountId: string; readonly ideaBankIds: readonly string[] },
  most: number,
): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM comments WHERE idea_bank_id IN (
      SELECT id FROM idea_banks WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId) LIMIT ${most})`;
  const counted = await session.first(prepare<{ count: number }>(sql, { accountId, ids: JSON.stringify(ideaBankIds) }));
  return counted?.count ?? 0;
}
