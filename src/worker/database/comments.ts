/** Rows of `comments`, for the tenant API. Every function returns null or false for what is not the tenant's. */
import type { Comment, NewComment } from "../model/comment.ts";
import type { Created, IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, mapOnce, NOT_DONE_BEFORE } from "./idempotency.ts";
import { byCreation, pageBindings, toPage } from "./pagination.ts";
import { OWN_IDEA_BANK, type ProposalPath } from "./proposals.ts";

type Row = { id: string; by_tenant: number; panelist_id: string | null; body: string; created_at: number };

const toComment = (row: Row): Comment => ({
  id: row.id,
  by: row.by_tenant === 1 ? "tenant" : "panelist",
  panelistId: row.panelist_id,
  body: row.body,
  createdAt: toTimestamp(row.created_at),
});

const OWN_PROPOSAL = `SELECT id FROM proposals WHERE account_id = ?1 AND idea_bank_id = ${OWN_IDEA_BANK} AND id = ?3`;

export async function listComments(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  request: PageRequest,
): Promise<Page<Comment> | null> {
  const [owned, comments] = await session.batch([
    session.prepare(OWN_PROPOSAL).bind(accountId, ideaBankId, proposalId),
    session
      .prepare(
        `SELECT id, by_tenant, panelist_id, body, created_at FROM comments
         WHERE proposal_id = ?2 AND account_id = ?1 AND (created_at, id) < (?3, ?4)
         ORDER BY created_at DESC, id DESC LIMIT ?5`,
      )
      .bind(accountId, proposalId, ...pageBindings(request)),
  ]);
  if (owned?.results.length !== 1) return null;
  return toPage((comments?.results ?? []) as Row[], request, toComment, byCreation);
}

/** Creates a comment written by the tenant. */
export async function createComment(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  id: string,
  { body }: NewComment,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<Comment>> {
  const insert = session
    .prepare(
      `INSERT INTO comments (id, account_id, proposal_id, body, created_at, by_tenant)
       SELECT ?3, ?1, ?5, ?6, ?7, 1
       FROM idea_banks b JOIN proposals p ON p.idea_bank_id = b.id AND p.id = ?5
       WHERE b.account_id = ?1 AND b.id = ?4 AND ${NOT_DONE_BEFORE}
       RETURNING id`,
    )
    .bind(accountId, idempotencyKey?.key ?? null, id, ideaBankId, proposalId, body, now);
  const created: Created = { id, at: now };
  const { once } = await insertOnce(session, { accountId }, idempotencyKey, insert, created);
  return mapOnce(once, ({ id, at }) => toComment({ id, by_tenant: 1, panelist_id: null, body, created_at: at }));
}

/** Deleting a comment is not activity: it does not change the changelog. */
export async function deleteComment(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  commentId: string,
): Promise<boolean> {
  const row = await session
    .prepare(
      `DELETE FROM comments WHERE account_id = ?1 AND id = ?4
         AND proposal_id = (${OWN_PROPOSAL})
       RETURNING id`,
    )
    .bind(accountId, ideaBankId, proposalId, commentId)
    .first();
  return row !== null;
}
