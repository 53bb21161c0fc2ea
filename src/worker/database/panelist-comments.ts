/** Rows of `comments` for the panelist API. Each function is one round trip, the access check included. */
import type { NewComment } from "../model/comment.ts";
import type { Created, IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { PanelistComment } from "../model/panelist-proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce } from "./idempotency.ts";
import { byCreation, pageBindings, toPage } from "./pagination.ts";
import { bindToken, permitted, selectAccess, type TokenClaims, toAccess, VISIBLE } from "./panelist-access.ts";
import { type SeenProposal, selectVisible, toVisible } from "./panelist-proposals.ts";

type Row = {
  id: string;
  by_tenant: number;
  mine: number;
  author: string | null;
  body: string;
  created_at: number;
};

const toComment = (row: Row): PanelistComment => ({
  id: row.id,
  by: row.by_tenant === 1 ? "tenant" : "panelist",
  author: row.author,
  mine: row.mine === 1,
  body: row.body,
  createdAt: toTimestamp(row.created_at),
});

/** Oldest first. */
export async function listCommentsForPanelist(
  session: D1DatabaseSession,
  token: TokenClaims,
  proposalId: string,
  request: PageRequest,
): Promise<SeenProposal & { page: Page<PanelistComment> }> {
  const [access, seen, comments] = await session.batch([
    selectAccess(session, token),
    selectVisible(session, token, proposalId),
    session
      .prepare(
        `SELECT c.id, c.by_tenant, coalesce(c.panelist_id = ?2, 0) AS mine, w.display_name AS author, c.body, c.created_at
         FROM comments c LEFT JOIN panelists w ON w.id = c.panelist_id
         WHERE c.proposal_id = ?6 AND (c.created_at, c.id) > (?3, ?4)
           AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = ?6 AND p.idea_bank_id = ?1 AND ${VISIBLE})
         ORDER BY c.created_at, c.id LIMIT ?5`,
      )
      .bind(token.ideaBankId, token.panelistId, ...pageBindings(request, "ascending"), proposalId),
  ]);
  const rows = (comments?.results ?? []) as Row[];
  return {
    access: toAccess(access),
    proposal: toVisible(seen),
    page: toPage(rows, request, toComment, byCreation),
  };
}

/** The outcome is `refused` when commenting is closed, or the proposal cannot be seen or was merged. */
export async function addComment(
  session: D1DatabaseSession,
  token: TokenClaims,
  proposalId: string,
  id: string,
  { body }: NewComment,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<SeenProposal & { once: Once<Created> }> {
  const insert = session
    .prepare(
      `INSERT INTO comments (id, account_id, proposal_id, panelist_id, body, created_at)
       SELECT ?4, b.account_id, ?5, w.id, ?6, ?7 ${permitted("canComment")}
         AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = ?5 AND p.idea_bank_id = ?1 AND p.duplicate_of IS NULL AND ${VISIBLE})
         AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.account_id = b.account_id AND k.key = ?8)
       RETURNING id`,
    )
    .bind(...bindToken(token), id, proposalId, body, now, idempotencyKey?.key ?? null);
  const created: Created = { id, at: now };
  const { ideaBankId } = token;
  const { once, before } = await insertOnce(session, { ideaBankId }, idempotencyKey, insert, created, [
    selectAccess(session, token),
    selectVisible(session, token, proposalId),
  ]);
  return { access: toAccess(before[0]), proposal: toVisible(before[1]), once };
}

/** Deletes the panelist's own comment. `comment` is null when there is none; `mine` tells whether the panelist wrote it. */
export async function removeComment(
  session: D1DatabaseSession,
  token: TokenClaims,
  proposalId: string,
  commentId: string,
): Promise<SeenProposal & { comment: { mine: boolean } | null }> {
  const [access, seen, found] = await session.batch([
    selectAccess(session, token),
    selectVisible(session, token, proposalId),
    session
      .prepare("SELECT coalesce(panelist_id = ?1, 0) AS mine FROM comments WHERE id = ?3 AND proposal_id = ?2")
      .bind(token.panelistId, proposalId, commentId),
    session
      .prepare(
        `DELETE FROM comments WHERE id = ?5 AND proposal_id = ?4 AND panelist_id = ?2
           AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = ?4 AND p.idea_bank_id = ?1 AND ${VISIBLE})
           AND EXISTS (SELECT 1 ${permitted("canComment")})`,
      )
      .bind(...bindToken(token), proposalId, commentId),
  ]);
  const row = found?.results[0] as { mine: number } | undefined;
  return {
    access: toAccess(access),
    proposal: toVisible(seen),
    comment: row === undefined ? null : { mine: row.mine === 1 },
  };
}
