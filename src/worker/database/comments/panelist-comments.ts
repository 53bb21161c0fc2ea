/** Rows of `comments`, for the panelist API. Each function is one round trip, including the access check. */
import type { NewComment } from "../../model/comment.ts";
import type { Created, IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { CommentOrder, PanelistComment } from "../../model/panelist-proposal.ts";
import type { Visibility } from "../../model/proposal.ts";
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
import { mergeSelects } from "../proposals/merge-statuses.ts";
import { type SeenProposal, selectVisible, toSeen } from "../proposals/panelist-proposals.ts";

type Row = {
  id: string;
  by_tenant: number;
  mine: number;
  author: string | null;
  body: string;
  visibility: Visibility;
  created_at: number;
  fit?: number;
  stays: number;
};

/** The comments that a panelist sees: the public ones, and those of the panelist that wait for approval. Each has an index. */
const VISIBLE_ONES = ["visibility = 'public'", "visibility = 'pending' AND panelist_id = :panelistId"];
const VISIBLE = (c: string) =>
  `(${c}.visibility = 'public' OR (${c}.visibility = 'pending' AND ${c}.panelist_id = :panelistId))`;

/** The comment `:from`, where the panelist sees it. */
const FROM = `SELECT c.created_at, c.id FROM comments c
  WHERE c.id = :from AND c.proposal_id = :proposalId AND ${VISIBLE("c")} AND ${authorStays("c.panelist_id")}`;
const COLUMNS = `c.id, c.by_tenant, coalesce(c.panelist_id = :panelistId, 0) AS mine, w.display_name AS author, c.body, c.visibility, c.created_at,
  w.deletes_content IS NOT 1 AS stays`;
/** `beginning` is where the page begins: after a position, or with a comment. */
function selectPage(order: CommentOrder["order"], beginning: "after" | "from"): string {
  const [after, direction] = order === "oldest" ? [">", "ASC"] : ["<", "DESC"];
  const sorted = (key: string, id: string) => `${key} ${direction}, ${id} ${direction}`;
  const where = beginning === "from" ? `${after}= (${FROM})` : `${after} (:afterKey, :afterId)`;
  const page = mergeSelects(
    VISIBLE_ONES.map(
      (which) => `SELECT id, created_at AS sort_key, octet_length(body) + ${ITEM_BYTES} AS bytes FROM comments
        WHERE proposal_id = :proposalId AND ${which} AND (created_at, id) ${where} AND EXISTS (${SEEN_PROPOSAL})`,
    ),
  );
  const inOrder = sorted("sort_key", "id");
  return `WITH page AS MATERIALIZED (${page} ORDER BY ${inOrder} LIMIT :rows), ${fitOf("SELECT bytes FROM page")} SELECT ${COLUMNS}, ${FIT}
    FROM comments c LEFT JOIN panelists w ON w.id = c.panelist_id
    WHERE c.id IN (SELECT id FROM page ORDER BY ${inOrder} LIMIT ${FITTING_ROWS}) ORDER BY ${sorted("c.created_at", "c.id")}`;
}

const toComment = (row: Row): PanelistComment => ({
  id: row.id,
  by: row.by_tenant === 1 ? "tenant" : "panelist",
  author: row.author,
  mine: row.mine === 1,
  body: row.body,
  ...(row.visibility === "pending" && { visibility: row.visibility }),
  createdAt: toTimestamp(row.created_at),
});

/** `page` is null where the panelist sees no comment `from`, with which it should begin. */
export async function listCommentsForPanelist(
  session: Session,
  {
    token,
    proposalId,
    request,
    order = "oldest",
    from,
  }: Partial<CommentOrder> & {
    readonly token: TokenClaims;
    readonly proposalId: string;
    readonly request: PageRequest;
  },
): Promise<SeenProposal & { page: Page<PanelistComment> | null }> {
  // Later pages begin where the one before ended.
  const isFrom = from !== undefined && request.after === undefined;
  const values = { ...tokenValues(token), proposalId, from };
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    from: isFrom ? prepare(FROM, values) : undefined,
    listed: prepare<Row>(selectPage(order, isFrom ? "from" : "after"), {
      ...values,
      ...pageValues(request, order === "oldest" ? "ascending" : "descending"),
    }),
  });
  const page = toPage(rows.listed, { request, toItem: toComment, keyOf: byCreation });
  return { ...toSeen(rows), page: rows.from?.length === 0 ? null : page };
}

/** `now` is in Unix milliseconds. */
type AddedComment = NewComment & {
  readonly id: string;
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/** What a comment's answer has besides the request. An outcome of 1.1.0 has no visibility. */
type AddedOutcome = Created & { readonly visibility?: Visibility };

/** So many of a panelist's last comments on an idea bank are compared with a new one. */
const COMPARED = 20;
const DAY_MS = 86_400_000;
/** "+1" may stand on several proposals: only a text of so many characters is compared with those on other ones. */
const SHORT = 20;
/** The place of a comment among others, as SQL: of a new one, and of the one that is edited. */
const LAST = "(9e15, '')";
const EDITED = "(SELECT created_at, id FROM comments WHERE id = :commentId)";
/**
 * SQL: the panelist `:panelistId` has written `:body` in another comment than `:commentId`: if it is long, on the idea bank within a day, or else
 * on this proposal as the comment just before or after this place. The panelist's last comments are found by an index, so it reads at most 20.
 */
const repeated = (place: string): string => {
  const [other, own] = ["(n.created_at, n.id)", "(r.created_at, r.id)"];
  return `EXISTS (WITH recent AS MATERIALIZED (SELECT id, proposal_id, body, created_at FROM comments WHERE panelist_id = :panelistId
      AND idea_bank_id = :ideaBankId ORDER BY created_at DESC, id DESC LIMIT ${COMPARED})
    SELECT 1 FROM recent r WHERE r.body = :body AND r.id IS NOT :commentId AND (length(:body) >= ${SHORT} AND r.created_at > :now - ${DAY_MS}
      OR r.proposal_id = :proposalId AND NOT EXISTS (SELECT 1 FROM recent n WHERE n.proposal_id = :proposalId AND n.id IS NOT :commentId
        AND (${other} > ${own} AND ${other} < ${place} OR ${other} < ${own} AND ${other} > ${place}))))`;
};

/**
 * `refused` when commenting is closed, the proposal cannot be seen or was merged, or the text `isRepeated`. It waits for approval if the
 * idea bank requires that.
 */
export async function addComment(
  session: Session,
  {
    token,
    proposalId,
    comment: { id, body, now, idempotencyKey },
  }: { readonly token: TokenClaims; readonly proposalId: string; readonly comment: AddedComment },
): Promise<
  SeenProposal & { result: IdempotentResult<AddedOutcome>; waitSeconds: number | undefined; isRepeated: boolean }
> {
  const open = `EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)`;
  const insert = prepare(
    `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, visibility)
     SELECT :id, b.account_id, b.id, :proposalId, w.id, :body, :now, iif(b.comment_approval_required = 1, 'pending', 'public')
       ${permitted("canComment")} AND ${open} AND ${mayWriteMore("comments")} AND NOT ${repeated(LAST)} AND ${notDoneBefore("b.account_id")}
     RETURNING id`,
    { ...tokenValues(token), ...{ id, proposalId, body, now, commentId: null }, idempotencyKey: idempotencyKey?.key },
  );
  const created: AddedOutcome = { id, at: now };
  const details = {
    select: "SELECT json_object('visibility', visibility) FROM comments WHERE id = :id",
    values: { id },
  };
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
    repeated: prepare(`SELECT 1 WHERE ${repeated(LAST)}`, {
      ...tokenValues(token),
      ...{ proposalId, body, now, commentId: null },
    }),
    ...insertOnce({ ideaBankId }, idempotencyKey, { insert, outcome: created, details }),
    counted: countWritten(token, "comments", { id, now }),
  });
  const result = toInserted(rows, idempotencyKey, created);
  return { ...toSeen(rows), result, waitSeconds: rows.waits[0]?.seconds, isRepeated: rows.repeated.length > 0 };
}

/**
 * Changes the text of the panelist's own comment. This is no activity, because writing the comment was. Where the idea bank requires
 * approval, it waits again. A text that `isRepeated` changes nothing. `comment` is its state afterwards, null when the panelist can see none.
 */
export async function editComment(
  session: Session,
  {
    token,
    proposalId,
    commentId,
    comment: { body },
    now,
  }: {
    readonly token: TokenClaims;
    readonly proposalId: string;
    readonly commentId: string;
    readonly comment: NewComment;
    readonly now: number;
  },
): Promise<SeenProposal & { comment: PanelistComment | null; isRepeated: boolean }> {
  const values = { ...tokenValues(token), proposalId, commentId, body, now };
  /** Apart where it waits for approval, because assigning the visibility costs a row in the index with it. */
  const edit = (also: string, not: "" | "NOT") =>
    prepare(
      `UPDATE comments SET body = :body${also} WHERE id = :commentId AND proposal_id = :proposalId AND panelist_id = :panelistId
         AND visibility <> 'hidden' AND body <> :body AND EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)
         AND EXISTS (SELECT 1 ${permitted("canComment")}) AND NOT ${repeated(EDITED)}
         AND ${not} (SELECT comment_approval_required FROM idea_banks WHERE id = :ideaBankId)`,
      values,
    );
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    repeated: prepare(`SELECT 1 WHERE ${repeated(EDITED)}`, values),
    edited: edit("", "NOT"),
    waits: edit(", visibility = 'pending'", ""),
    found: prepare<Row>(
      `SELECT ${COLUMNS} FROM comments c LEFT JOIN panelists w ON w.id = c.panelist_id
       WHERE c.id = :commentId AND c.proposal_id = :proposalId AND ${VISIBLE("c")} AND w.deletes_content IS NOT 1`,
      values,
    ),
  });
  const [row] = rows.found;
  return {
    ...toSeen(rows),
    comment: row === undefined ? null : toComment(row),
    isRepeated: rows.repeated.length > 0 && row?.body !== body,
  };
}

/**
 * Writes the log's entry for a comment that its panelist deletes. It comes before the deletion, which the trigger would log as
 * the tenant's. There is none for a comment that nobody else has seen.
 */
const logRemoval = (removable: string): string =>
  `INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
   SELECT account_id, coalesce((SELECT max(number) FROM change_log l WHERE l.account_id = comments.account_id), 0) + 1, 'comment.deleted',
     :ideaBankId, proposal_id, id, 'panelist', CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM comments WHERE ${removable}
     AND (visibility = 'public' OR shown_at IS NOT NULL)`;

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
    AND visibility <> 'hidden' AND EXISTS (${SEEN_PROPOSAL}) AND EXISTS (SELECT 1 ${permitted("canComment")})`;
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    found: prepare<Pick<Row, "mine">>(
      `SELECT coalesce(panelist_id = :panelistId, 0) AS mine FROM comments
       WHERE id = :commentId AND proposal_id = :proposalId AND ${VISIBLE("comments")} AND ${authorStays("panelist_id")}`,
      values,
    ),
    logged: prepare(logRemoval(removable), values),
    deleted: prepare(`DELETE FROM comments WHERE ${removable}`, values),
  });
  const [row] = rows.found;
  return { ...toSeen(rows), comment: row === undefined ? null : { mine: row.mine === 1 } };
}
