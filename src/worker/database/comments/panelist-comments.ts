/** Rows of `comments`, for the panelist API. Each function is one round trip, including the access check. */
import type { NewComment } from "../../model/comment.ts";
import type { Created, IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { PanelistComment } from "../../model/panelist-proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { insertOnce, notDoneBefore, toInserted } from "../idempotency.ts";
import { countWritten, mayWriteMore, selectWait } from "../pages/new-people.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "../pagination.ts";
import {
  makePanelist,
  permitted,
  SEEN_PROPOSAL,
  selectAccess,
  type TokenClaims,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { authorStays } from "../proposals/deletions.ts";
import { type SeenProposal, selectVisible, toSeen } from "../proposals/panelist-proposals.ts";

type Row = {
  id: string;
  by_tenant: number;
  mine: number;
  author: string | null;
  body: string;
  created_at: number;
  fit?: number;
  stays: number;
};

const selectPage = (columns: string, rows: string) =>
  `SELECT ${columns} FROM comments c LEFT JOIN panelists w ON w.id = c.panelist_id
   WHERE c.proposal_id = :proposalId AND (c.created_at, c.id) > (:afterKey, :afterId) AND EXISTS (${SEEN_PROPOSAL})
   ORDER BY c.created_at, c.id LIMIT ${rows}`;
const SIZES = selectPage(`octet_length(c.body) + ${ITEM_BYTES} AS bytes`, ":rows");
const COLUMNS = `c.id, c.by_tenant, coalesce(c.panelist_id = :panelistId, 0) AS mine, w.display_name AS author, c.body, c.created_at,
  w.deletes_content IS NOT 1 AS stays`;

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
  session: Session,
  {
    token,
    proposalId,
    request,
  }: { readonly token: TokenClaims; readonly proposalId: string; readonly request: PageRequest },
): Promise<SeenProposal & { page: Page<PanelistComment> }> {
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    listed: prepare<Row>(`WITH ${fitOf(SIZES)} ${selectPage(`${COLUMNS}, ${FIT}`, FITTING_ROWS)}`, {
      ...tokenValues(token),
      ...pageValues(request, "ascending"),
      proposalId,
    }),
  });
  return { ...toSeen(rows), page: toPage(rows.listed, { request, toItem: toComment, keyOf: byCreation }) };
}

/** `now` is in Unix milliseconds. */
type AddedComment = NewComment & {
  readonly id: string;
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** `refused` when commenting is closed, or the proposal cannot be seen or was merged. */
export async function addComment(
  session: Session,
  {
    token,
    proposalId,
    comment: { id, body, now, idempotencyKey },
  }: { readonly token: TokenClaims; readonly proposalId: string; readonly comment: AddedComment },
): Promise<SeenProposal & { result: IdempotentResult<Created>; waitSeconds: number | undefined }> {
  const open = `EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)`;
  const insert = prepare(
    `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at)
     SELECT :id, b.account_id, b.id, :proposalId, w.id, :body, :now ${permitted("canComment")}
       AND ${open} AND ${mayWriteMore("comments")} AND ${notDoneBefore("b.account_id")}
     RETURNING id`,
    { ...tokenValues(token), id, proposalId, body, now, idempotencyKey: idempotencyKey?.key },
  );
  const created: Created = { id, at: now };
  const { ideaBankId } = token;
  const rows = await session.batch({
    made: makePanelist(token, {
      capability: "canComment",
      now,
      also: { sql: open, values: { ...tokenValues(token), proposalId } },
    }),
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    waits: selectWait(token, "comments", now),
    ...insertOnce({ ideaBankId }, idempotencyKey, { insert, outcome: created }),
    counted: countWritten(token, "comments", { id, now }),
  });
  const result = toInserted(rows, idempotencyKey, created);
  return { ...toSeen(rows), result, waitSeconds: rows.waits[0]?.seconds };
}

/**
 * Changes the text of the panelist's own comment. This is no activity, because writing the comment was. `comment` is its state
 * afterwards, null when it does not exist.
 */
export async function editComment(
  session: Session,
  {
    token,
    proposalId,
    commentId,
    comment: { body },
  }: {
    readonly token: TokenClaims;
    readonly proposalId: string;
    readonly commentId: string;
    readonly comment: NewComment;
  },
): Promise<SeenProposal & { comment: PanelistComment | null }> {
  const values = { ...tokenValues(token), proposalId, commentId, body };
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    edited: prepare(
      `UPDATE comments SET body = :body WHERE id = :commentId AND proposal_id = :proposalId AND panelist_id = :panelistId
         AND body <> :body AND EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL) AND EXISTS (SELECT 1 ${permitted("canComment")})`,
      values,
    ),
    found: prepare<Row>(
      `SELECT ${COLUMNS} FROM comments c LEFT JOIN panelists w ON w.id = c.panelist_id
       WHERE c.id = :commentId AND c.proposal_id = :proposalId AND w.deletes_content IS NOT 1`,
      values,
    ),
  });
  const [row] = rows.found;
  return { ...toSeen(rows), comment: row === undefined ? null : toComment(row) };
}

/**
 * Writes the log's entry for a comment that its panelist deletes. It comes before the deletion, which the trigger would log as
 * the tenant's.
 */
const logRemoval = (removable: string): string =>
  `INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
   SELECT account_id, coalesce((SELECT max(number) FROM change_log l WHERE l.account_id = comments.account_id), 0) + 1, 'comment.deleted',
     :ideaBankId, proposal_id, id, 'panelist', CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM comments WHERE ${removable}`;

/** Deletes the panelist's own comment. `comment` is null when it does not exist; `mine` tells whether the panelist wrote it. */
export async function removeComment(
  session: Session,
  {
    token,
    proposalId,
    commentId,
  }: { readonly token: TokenClaims; readonly proposalId: string; readonly commentId: string },
): Promise<SeenProposal & { comment: { mine: boolean } | null }> {
  const values = { ...tokenValues(token), proposalId, commentId };
  const removable = `id = :commentId AND proposal_id = :proposalId AND panelist_id = :panelistId
    AND EXISTS (${SEEN_PROPOSAL}) AND EXISTS (SELECT 1 ${permitted("canComment")})`;
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    found: prepare<Pick<Row, "mine">>(
      `SELECT coalesce(panelist_id = :panelistId, 0) AS mine FROM comments
       WHERE id = :commentId AND proposal_id = :proposalId AND ${authorStays("panelist_id")}`,
      values,
    ),
    logged: prepare(logRemoval(removable), values),
    deleted: prepare(`DELETE FROM comments WHERE ${removable}`, values),
  });
  const [row] = rows.found;
  return { ...toSeen(rows), comment: row === undefined ? null : { mine: row.mine === 1 } };
}
