/** Rows of `comments`, for the tenant API. Every function returns null or false for a row that is not the tenant's. */
import type { Comment, CommentChanges, NewComments, TenantComment } from "../../model/comment.ts";
import type { Created, IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import { VISIBILITIES, type Visibility } from "../../model/proposal.ts";
import type { Seen, Stored } from "../../model/stored-state.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { FIRST_UNKNOWN, NAMED_LIST, NOBODY, namedPanelist, namedValues, panelistExists } from "../acting-for.ts";
import { deleteOnce, insertOnce, mapResult, notDoneBefore, toDeleted, toInserted } from "../idempotency.ts";
import { byCreation, FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "../pagination.ts";
import { existingPanelist, notBlockedSince } from "../panelists/panelists.ts";
import { authorStays } from "../proposals/deletions.ts";
import { ACCESSIBLE_PROPOSAL, OWN_PROPOSAL, type ProposalPath } from "../proposals/proposals.ts";
import { asSeen, withState } from "../stored-state.ts";

/** Comments of merged proposals, and such proposals, that are read at once. */
const MERGED_AT_MOST = 50;

type CommentRow = {
  id: string;
  proposal_id: string;
  by_tenant: number;
  panelist_id: string | null;
  body: string;
  visibility: Visibility;
  created_at: number;
  fit?: number;
  stays?: number;
};

/** The size of a comment on a page, in bytes. */
export const COMMENT_BYTES = `octet_length(body) + ${ITEM_BYTES}`;
const BEFORE = "account_id = :accountId AND (created_at, id) < (:afterKey, :afterId)";
/** The query of a page of comments that fulfil `where`. */
function selectPage(columns: string, where: string): string {
  const select = (selected: string, rows: string) =>
    `SELECT ${selected} FROM comments WHERE ${where} AND ${BEFORE} ORDER BY created_at DESC, id DESC LIMIT ${rows}`;
  return `WITH ${fitOf(select(`${COMMENT_BYTES} AS bytes`, ":rows"))} ${select(`${columns}, ${FIT}`, FITTING_ROWS)}`;
}
/**
 * The same for the comments on one proposal. Their index has each visibility apart; it is merged row by row, so no more is read. (The + keeps
 * SQLite from reading all that wait in the account.)
 */
function selectPageOfProposal(columns: string): string {
  const merged = (selected: string, rows: string) =>
    `${VISIBILITIES.map(
      (visibility) =>
        `SELECT ${selected} FROM comments WHERE proposal_id = :proposalId AND visibility = '${visibility}' AND +${BEFORE}`,
    ).join(" UNION ALL ")} ORDER BY created_at DESC, id DESC LIMIT ${rows}`;
  const sizes = `SELECT bytes FROM (${merged(`created_at, id, ${COMMENT_BYTES} AS bytes`, ":rows")})`;
  const texts = merged("id, proposal_id, by_tenant, panelist_id, body, visibility, created_at", FITTING_ROWS);
  return `WITH ${fitOf(sizes)} SELECT ${columns}, ${FIT} FROM (${texts}) comments ORDER BY created_at DESC, id DESC`;
}
const COLUMNS = `id, proposal_id, by_tenant, ${existingPanelist("panelist_id")} AS panelist_id, body, visibility, created_at`;

const toComment = (row: CommentRow): Comment => ({
  id: row.id,
  proposalId: row.proposal_id,
  by: row.by_tenant === 1 ? "tenant" : "panelist",
  panelistId: row.panelist_id,
  body: row.body,
  visibility: row.visibility,
  createdAt: toTimestamp(row.created_at),
});

const COMMENT_STAYS = authorStays("comments.panelist_id");
const ON_ACCESSIBLE = `EXISTS (SELECT 1 FROM proposals WHERE id = comments.proposal_id AND ${ACCESSIBLE_PROPOSAL})`;

/** Of the account's comments with `ids`, a SELECT of identifiers, those that do not wait. (The + makes SQLite use the primary key.) */
export const selectComments = (ids: string): string =>
  `SELECT ${COLUMNS} FROM comments WHERE id IN (${ids}) AND +account_id = :accountId
     AND +visibility <> 'pending' AND ${COMMENT_STAYS} AND ${ON_ACCESSIBLE}`;
export const toComments = (rows: readonly CommentRow[]) => rows.map(toComment);

export async function listComments(
  session: Session,
  {
    accountId,
    path,
    request,
  }: { readonly accountId: string; readonly path: ProposalPath; readonly request: PageRequest },
): Promise<Page<Comment> | null> {
  const values = { ...path, accountId, ...pageValues(request) };
  const { owned, listed } = await session.batch({
    owned: prepare(`SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL}`, values),
    listed: prepare<CommentRow>(selectPageOfProposal(`${COLUMNS}, ${COMMENT_STAYS} AS stays`), values),
  });
  if (owned.length !== 1) return null;
  return toPage(listed, { request, toItem: toComment, keyOf: byCreation });
}

/** A comment on a proposal that was merged. `author` is null for the team, and for somebody who has neither a name nor an id. */
export type MergedComment = Pick<Comment, "id" | "proposalId" | "by" | "body" | "visibility" | "createdAt"> & {
  readonly author: string | null;
};

/** SQL: the newest comments on the proposal `m`. Their index has each visibility apart; it is merged row by row, so no more is read. */
const NEWEST_OF_MERGED = `SELECT id FROM (${VISIBILITIES.map(
  (visibility) => `SELECT created_at, id FROM comments WHERE proposal_id = m.id AND visibility = '${visibility}'`,
).join(" UNION ALL ")} ORDER BY created_at DESC, id DESC LIMIT ${MERGED_AT_MOST})`;

/** The newest 50 comments on proposals that were merged into this one, the oldest first. */
export async function listMergedComments(
  session: Session,
  of: { readonly accountId: string; readonly proposalId: string },
): Promise<readonly MergedComment[]> {
  const newest = `SELECT c.id, c.proposal_id, c.by_tenant, c.body, c.visibility, c.created_at, c.panelist_id
    FROM (SELECT id FROM proposals WHERE duplicate_of = :proposalId AND +account_id = :accountId LIMIT ${MERGED_AT_MOST}) m
    CROSS JOIN comments c ON c.id IN (${NEWEST_OF_MERGED})
    WHERE ${authorStays("c.panelist_id")} ORDER BY c.created_at DESC, c.id DESC LIMIT ${MERGED_AT_MOST}`;
  const sql = `SELECT n.*, coalesce(w.display_name, w.external_id) AS author
    FROM (${newest}) n LEFT JOIN panelists w ON w.id = n.panelist_id AND w.deleted_at IS NULL ORDER BY n.created_at, n.id`;
  type Row = Omit<CommentRow, "panelist_id" | "fit" | "stays"> & { author: string | null };
  const rows = await session.all(prepare<Row>(sql, of));
  return rows.map(({ id, proposal_id, by_tenant, body, visibility, created_at, author }) => ({
    ...{ id, proposalId: proposal_id, by: by_tenant === 1 ? "tenant" : "panelist", body, visibility, author },
    createdAt: toTimestamp(created_at),
  }));
}

/**
 * All comments of the idea bank, or those of one panelist. While proposals or panelists are being deleted, a page has less than its
 * limit, because their comments are read and skipped.
 */
export async function listIdeaBankComments(
  session: Session,
  of: { readonly accountId: string; readonly ideaBankId: string; readonly panelistId: string | undefined },
  request: PageRequest,
): Promise<Page<Comment> | null> {
  const values = { ...of, ...pageValues(request) };
  const where = `idea_bank_id = :ideaBankId ${of.panelistId === undefined ? "" : `AND panelist_id = :panelistId AND ${EXISTING}`}`;
  const columns = `${COLUMNS}, ${COMMENT_STAYS} AND ${ON_ACCESSIBLE} AS stays`;
  const { owned, listed } = await session.batch({
    owned: prepare("SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId", values),
    listed: prepare<CommentRow>(selectPage(columns, where), values),
  });
  if (owned.length !== 1) return null;
  return toPage(listed, { request, toItem: toComment, keyOf: byCreation });
}

/** True when the panelist is not deleted. */
const EXISTING =
  "EXISTS (SELECT 1 FROM panelists WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL)";

/** Creates a comment of the tenant, or for a panelist. `obstacle` is the reason when the result is `refused`. */
export async function createComment(
  session: Session,
  {
    accountId,
    path,
    id,
    comment,
    now,
    idempotencyKey,
  }: {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly id: string;
    readonly comment: TenantComment;
    readonly now: number;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<{ readonly result: IdempotentResult<Comment>; readonly obstacle: "not-owned" | "no-panelist" }> {
  const { body, createdAt } = comment;
  const at = createdAt === undefined ? now : Date.parse(createdAt);
  const panelist = namedPanelist(comment);
  const isTenants = panelist === NOBODY;
  const values = {
    ...path,
    accountId,
    ...namedValues(comment),
    id,
    body,
    at,
    isTenants,
    idempotencyKey: idempotencyKey?.key,
  };
  const insert = prepare(
    `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant, on_behalf)
     SELECT :id, account_id, idea_bank_id, id, ${panelist}, :body, :at, :isTenants, NOT :isTenants FROM proposals
     WHERE ${OWN_PROPOSAL} AND ${panelistExists(comment)} AND ${notDoneBefore()}
     RETURNING id`,
    values,
  );
  const created: Created & { readonly panelistId?: string | null } = { id, at };
  const details = {
    select: "SELECT json_object('panelistId', panelist_id) FROM comments WHERE id = :id",
    values: { id },
  };
  const rows = await session.batch({
    owned: prepare(`SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL}`, values),
    ...insertOnce({ accountId }, idempotencyKey, { insert, outcome: created, details }),
  });
  return {
    obstacle: rows.owned.length === 1 ? "no-panelist" : "not-owned",
    result: mapResult(toInserted(rows, idempotencyKey, created), ({ id, at, panelistId = null }) =>
      toComment({
        id,
        proposal_id: path.proposalId,
        by_tenant: isTenants ? 1 : 0,
        panelist_id: panelistId,
        body,
        visibility: "public",
        created_at: at,
      }),
    ),
  };
}

/**
 * Creates all `comments` with `ids`, or none when one of them names a panelist who does not exist: then `obstacle` is its place among
 * them when the result is `refused`.
 */
export async function createComments(
  session: Session,
  {
    accountId,
    path,
    ids,
    comments,
    now,
    idempotencyKey,
  }: {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly ids: readonly string[];
    readonly comments: readonly TenantComment[];
    readonly now: number;
    readonly idempotencyKey: IdempotencyKey | undefined;
  },
): Promise<{ readonly result: IdempotentResult<NewComments>; readonly obstacle: "not-owned" | number }> {
  const list = comments.map(({ createdAt, ...comment }, index) => ({
    ...comment,
    id: ids[index],
    at: createdAt === undefined ? now : Date.parse(createdAt),
  }));
  const values = { ...path, accountId, list: JSON.stringify(list), idempotencyKey: idempotencyKey?.key };
  const insert = prepare(
    `WITH ${NAMED_LIST}
     INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant, on_behalf)
     SELECT value ->> 'id', p.account_id, p.idea_bank_id, p.id, panelist, value ->> 'body', value ->> 'at', is_nobody, NOT is_nobody
     FROM (SELECT * FROM proposals WHERE ${OWN_PROPOSAL}) p CROSS JOIN named
     WHERE (${FIRST_UNKNOWN}) IS NULL AND ${notDoneBefore()} RETURNING id`,
    values,
  );
  const outcome = { ids };
  const rows = await session.batch({
    owned: prepare<{ unknown: number | null }>(
      `WITH ${NAMED_LIST} SELECT (${FIRST_UNKNOWN}) AS unknown FROM proposals WHERE ${OWN_PROPOSAL}`,
      values,
    ),
    ...insertOnce({ accountId }, idempotencyKey, { insert, outcome }),
  });
  return {
    obstacle: rows.owned[0]?.unknown ?? "not-owned",
    result: toInserted(rows, idempotencyKey, outcome),
  };
}

/** The path's comment, if the account has it. */
const OWN_COMMENT = `account_id = :accountId AND id = :commentId AND ${COMMENT_STAYS} AND proposal_id = (SELECT id FROM proposals WHERE ${OWN_PROPOSAL})`;

/** A comment of a path. */
type CommentPath = { readonly accountId: string; readonly path: ProposalPath; readonly commentId: string };

/** What a change can set. */
const STATE = "json_array(body, visibility)";

/** For `If-Match`. */
export const loadStoredComment = async (
  session: Session,
  { accountId, path, commentId }: CommentPath,
): Promise<Stored | null> =>
  withState(
    await session.first(
      prepare<CommentRow & { state: string }>(
        `SELECT ${COLUMNS}, ${STATE} AS state FROM comments WHERE ${OWN_COMMENT}`,
        {
          ...path,
          accountId,
          commentId,
        },
      ),
    ),
    toComment,
  );

/**
 * Changes a comment: its visibility, and the text of the tenant's own. This is no activity, because writing the comment was; but the first
 * approval is. `panelists`: the text is a panelist's, and nothing was changed. `was`: the comment must still be so.
 */
export async function updateComment(
  session: Session,
  {
    accountId,
    path,
    commentId,
    comment: { body, visibility },
    was,
    seen,
  }: CommentPath &
    Seen & {
      readonly comment: CommentChanges;
      readonly was?: Partial<Pick<Comment, "body" | "visibility">> | undefined;
    },
): Promise<Comment | "panelists" | null> {
  const values = { ...path, accountId, commentId, body, visibility, seen, wasBody: was?.body, was: was?.visibility };
  const isSame = `${asSeen(STATE)} AND (:was IS NULL OR visibility = :was) AND (:wasBody IS NULL OR replace(body, char(13), '') = replace(:wasBody, char(13), ''))`;
  // A column that is assigned costs a row in each index with it.
  const set = [...(body === undefined ? [] : ["body"]), ...(visibility === undefined ? [] : ["visibility"])];
  const { asSeenBefore, found } = await session.batch({
    asSeenBefore: prepare(`SELECT 1 FROM comments WHERE ${OWN_COMMENT} AND ${isSame}`, values),
    updated:
      set.length === 0
        ? undefined
        : prepare(
            `UPDATE comments SET ${set.map((column) => `${column} = :${column}`).join(", ")}
             WHERE ${OWN_COMMENT} AND (by_tenant = 1 OR :body IS NULL) AND ${isSame}
               AND (${set.map((column) => `${column} <> :${column}`).join(" OR ")})`,
            values,
          ),
    found: prepare<CommentRow>(`SELECT ${COLUMNS} FROM comments WHERE ${OWN_COMMENT}`, values),
  });
  if (asSeenBefore.length === 0) return null;
  const [row] = found;
  if (row === undefined) return null;
  return row.by_tenant === 1 || body === undefined ? toComment(row) : "panelists";
}

/** Deletes a comment. This is no activity, so the changelog does not change. */
export async function deleteComment(
  session: Session,
  {
    accountId,
    path,
    commentId,
    seen,
    idempotencyKey,
  }: CommentPath & Seen & { readonly idempotencyKey?: IdempotencyKey | undefined },
): Promise<IdempotentResult<null>> {
  const sql = `DELETE FROM comments WHERE ${OWN_COMMENT} AND ${asSeen(STATE)} AND ${notDoneBefore()} RETURNING id`;
  const deletion = deleteOnce(accountId, { idempotencyKey, sql, values: { ...path, commentId, seen } });
  return toDeleted(await session.batch(deletion), idempotencyKey);
}

/** A comment's row in `undo_texts`. */
export type KeptComment = Readonly<Record<"proposalId" | "body", string>> &
  Readonly<Record<"createdAt" | "byTenant" | "onBehalf", number>> & {
    readonly panelistId: string | null;
    readonly visibility: Visibility;
    readonly shownAt: number | null;
  };

/**
 * Undoes a decision about a comment, from what it was (`before`) and what it became (`after`): writes it again, takes it away, or gives
 * it its text and visibility back. False when somebody has changed it since, or its proposal or its author is gone; and where people would
 * read the words of somebody who was blocked since the decision (`since`, Unix milliseconds).
 */
export async function undoComment(
  session: Session,
  {
    accountId,
    id,
    before,
    after,
    since,
  }: {
    readonly accountId: string;
    readonly id: string;
    readonly before: KeptComment | null;
    readonly after: KeptComment | null;
    readonly since: number;
  },
): Promise<boolean> {
  const values = { ...(before ?? after), accountId, id, since, after: after?.body, afterVisibility: after?.visibility };
  const same = "id = :id AND account_id = :accountId AND body = :after AND visibility = :afterVisibility";
  const undo =
    after === null
      ? `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant, on_behalf, visibility, shown_at)
         SELECT :id, account_id, idea_bank_id, id, ${existingPanelist(":panelistId")}, :body, :createdAt, :byTenant, :onBehalf, coalesce(:visibility, 'public'), :shownAt FROM proposals
         WHERE id = :proposalId AND account_id = :accountId AND ${ACCESSIBLE_PROPOSAL}
           AND (:panelistId IS NULL OR ${existingPanelist(":panelistId")} IS NOT NULL) AND ${notBlockedSince(":panelistId")}
         ON CONFLICT DO NOTHING RETURNING id`
      : before === null
        ? `DELETE FROM comments WHERE ${same} RETURNING id`
        : `UPDATE comments SET body = :body, visibility = coalesce(:visibility, 'public'), shown_at = :shownAt
           WHERE ${same} AND (:visibility <> 'public' OR ${notBlockedSince("panelist_id")}) RETURNING id`;
  return (await session.all(prepare(undo, values))).length > 0;
}
