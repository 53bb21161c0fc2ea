/** Rows of `comments`, as their tenant moderates them. Every function gives null, or false, for what is not the tenant's. */

import type { Comment } from "../model/comment.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import { pageBindings, toPage } from "./pagination.ts";
import type { ProposalPath } from "./proposals.ts";

type Row = { id: string; panelist_id: string | null; body: string; created_at: number };

const toComment = (row: Row): Comment => ({
  id: row.id,
  panelistId: row.panelist_id,
  body: row.body,
  createdAt: toTimestamp(row.created_at),
});

export async function listComments(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  request: PageRequest,
): Promise<Page<Comment> | null> {
  const [owned, comments] = await session.batch([
    session
      .prepare("SELECT 1 FROM proposals WHERE account_id = ?1 AND idea_bank_id = ?2 AND id = ?3")
      .bind(accountId, ideaBankId, proposalId),
    session
      .prepare(
        `SELECT id, panelist_id, body, created_at FROM comments
         WHERE proposal_id = ?2 AND account_id = ?1 AND (created_at, id) < (?3, ?4)
         ORDER BY created_at DESC, id DESC LIMIT ?5`,
      )
      .bind(accountId, proposalId, ...pageBindings(request)),
  ]);
  if (owned?.results.length !== 1) return null;
  return toPage((comments?.results ?? []) as Row[], request, toComment);
}

/** Taking a comment away is moderation, not activity: the changelog does not move. */
export async function deleteComment(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  commentId: string,
): Promise<boolean> {
  const row = await session
    .prepare(
      `DELETE FROM comments WHERE account_id = ?1 AND id = ?4
         AND proposal_id = (SELECT id FROM proposals WHERE account_id = ?1 AND idea_bank_id = ?2 AND id = ?3)
       RETURNING id`,
    )
    .bind(accountId, ideaBankId, proposalId, commentId)
    .first();
  return row !== null;
}
