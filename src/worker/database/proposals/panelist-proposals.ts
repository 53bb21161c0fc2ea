/** Rows of `proposals`, for the panelist API. Each function is one round trip, including the access check. */
import type { Created, IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import {
  PanelistProposal,
  type PanelistProposalFilter,
  type Sort,
  type Submission,
  type SubmissionChanges,
} from "../../model/panelist-proposal.ts";
import type { ProposalStatus } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { insertOnce, notDoneBefore, toInserted } from "../idempotency.ts";
import { countWritten, mayWriteMore, selectWait } from "../pages/new-people.ts";
import { FIT, FITTING_ROWS, fitOf, pageValues, toPage } from "../pagination.ts";
import {
  type AccessRow,
  makePanelist,
  type PanelistAccess,
  permitted,
  selectAccess,
  type TokenClaims,
  toAccess,
  tokenValues,
  VISIBLE,
  visible,
} from "../panelists/panelist-access.ts";
import { deleteOfIdeaBank } from "./deletions.ts";
import { mergeStatuses } from "./merge-statuses.ts";
import { proposalStays, targetOf, votesOnTheWay } from "./merges.ts";
import {
  type FieldsRow,
  inOrder,
  PANELISTS_COLUMNS,
  PANELISTS_INITIAL,
  PROPOSAL_BYTES,
  toPanelistsFields,
} from "./proposal-fields.ts";
import { hasTag, latestTagged, selectTagged } from "./tags.ts";
import { FOUND_AT_MOST, NEW_TERMS, SET_TERMS, type Search, searchFor, TERM_COLUMNS, termsOf } from "./words.ts";

type ProposalRow = FieldsRow & {
  id: string;
  votes: number;
  comments: number;
  voted: number;
  mine: number;
  by_tenant: number;
  author: string | null;
  visibility: PanelistProposal["visibility"];
  merged: number;
  duplicate_of: string | null;
  created_at: number;
  last_activity_at: number;
  sort_key: number;
  fit?: number;
  stays?: number;
  follows?: number;
};

/** If no index has the order of a list of `mine`, it contains at most this many of the panelist's latest proposals or votes. */
const MINE_AT_MOST = 100;
/** If no index has the order of a list by tag, it contains at most this many of the latest proposals with the tag. */
const TAGGED_AT_MOST = 200;
/** A page of `mine` looks at this many proposals or votes. Hidden proposals are skipped, and those with another status. */
const LOOKED_AT = 1_000;

const SORT_KEYS: Record<Sort, string> = { new: "created_at", top: "votes", hot: "hot", active: "last_activity_at" };

const COLUMNS = `p.id, ${PANELISTS_COLUMNS}, p.votes, p.comments, p.responded_at,
  p.duplicate_of IS NOT NULL AS merged,
  (SELECT d.id FROM proposals d WHERE d.id = ${targetOf("p")} AND ${visible("d")}) AS duplicate_of,
  p.created_at, p.last_activity_at, coalesce(p.author_id = :panelistId, 0) AS mine, p.by_tenant, w.display_name AS author,
  EXISTS (SELECT 1 FROM votes v WHERE v.proposal_id = p.id AND v.panelist_id = :panelistId)
    OR EXISTS (SELECT 1 ${votesOnTheWay("p.id")}) AS voted`;

const ordered = inOrder(PanelistProposal);

const toProposal = (row: ProposalRow): PanelistProposal =>
  ordered({
    ...{ id: row.id, ...toPanelistsFields(row), votes: row.votes, comments: row.comments },
    voted: row.voted === 1,
    mine: row.mine === 1,
    by: row.by_tenant === 1 ? "tenant" : "panelist",
    author: row.author,
    visibility: row.visibility,
    duplicateOf: row.duplicate_of,
    createdAt: toTimestamp(row.created_at),
    lastActivityAt: toTimestamp(row.last_activity_at),
  });

/**
 * Lists public proposals; with `mine` the panelist's own (including pending ones) or those that the panelist votes for. Merged
 * ones are left out. With `q` there is one page, of proposals whose titles or descriptions have its words; with `similar`, enough of them.
 */
export async function listForPanelist(
  session: Session,
  {
    token,
    filter,
    request: { limit, after },
  }: { readonly token: TokenClaims; readonly filter: PanelistProposalFilter; readonly request: PageRequest },
): Promise<{ access: PanelistAccess; page: Page<PanelistProposal> }> {
  const { q } = filter;
  const search = q === undefined ? undefined : searchFor(q);
  const request = { limit: search ? Math.min(limit, FOUND_AT_MOST) : limit, after };
  const { access, listed } = await session.batch({
    access: selectAccess(token),
    listed: prepare<ProposalRow>(
      `WITH page AS MATERIALIZED (${search ? selectFound(search, filter) : selectIds(filter)} ORDER BY sort_key DESC, id DESC LIMIT :rows),
         ${fitOf("SELECT bytes FROM page")}
       SELECT ${COLUMNS}, page.sort_key, ${FIT}, w.deletes_content IS NOT 1 AS stays
       FROM (SELECT * FROM page ORDER BY sort_key DESC, id DESC LIMIT ${FITTING_ROWS}) page
       JOIN proposals p ON p.id = page.id LEFT JOIN panelists w ON w.id = p.author_id
       ORDER BY page.sort_key DESC, page.id DESC`,
      { ...tokenValues(token), ...pageValues(request), tag: filter.tag, ...search?.values },
    ),
  });
  const page = toPage(listed, { request, toItem: toProposal, keyOf: ({ sort_key }) => sort_key });
  return { access: toAccess(access), page: search ? { items: page.items, next: undefined } : page };
}

/** Among the panelist's own proposals, only the latest are searched. The public ones have an index of terms, so all are. */
function selectFound(search: Search, { status, mine, tag, similar }: PanelistProposalFilter): string {
  const from = mine === undefined ? ({ listed: "1" } as const) : { among: `SELECT id FROM (${ownIds(mine)})` };
  const ofStatus = status === undefined ? "" : ` AND p.status = '${status}'`;
  const ofTag = tag === undefined ? "" : ` AND ${hasTag("p")}`;
  const listed = mine === undefined ? "p.listed = 1" : LISTED_FOR_VOTER;
  return search.select(from, { bytes: PROPOSAL_BYTES, condition: listed + ofStatus + ofTag, similar });
}

/** The filter's values come from a schema's enumerations, so they can be part of the SQL. */
function selectIds({ sort, status, mine, tag }: PanelistProposalFilter): string {
  const key = SORT_KEYS[sort];
  if (mine === undefined && tag !== undefined) {
    const bytes = PROPOSAL_BYTES;
    if (sort === "new")
      return selectTagged({ status: status && [status], visibility: "public" }, bytes, "p.idea_bank_id = :ideaBankId");
    return `SELECT p.id AS id, p.${key} AS sort_key, ${bytes} AS bytes
      FROM (${latestTagged(status, TAGGED_AT_MOST)}) tagged CROSS JOIN proposals p ON p.id = tagged.id
      WHERE p.idea_bank_id = :ideaBankId AND (p.${key}, p.id) < (:afterKey, :afterId)`;
  }
  if (mine === undefined) {
    const select = (each: ProposalStatus) =>
      `SELECT id, ${key} AS sort_key, ${PROPOSAL_BYTES} AS bytes FROM proposals
       WHERE idea_bank_id = :ideaBankId AND ${sort === "new" ? NEW : "listed = 1"} AND status = '${each}'
         AND (${key}, id) < (:afterKey, :afterId)`;
    return status === undefined ? mergeStatuses(select) : select(status);
  }
  if (mine === "submitted" && sort === "new" && tag === undefined)
    return `SELECT p.id AS id, own.sort_key, ${PROPOSAL_BYTES} AS bytes FROM (
        SELECT id, created_at AS sort_key FROM proposals WHERE author_id = :panelistId AND idea_bank_id = :ideaBankId AND (created_at, id) < (:afterKey, :afterId)
        ORDER BY created_at DESC, id DESC LIMIT ${LOOKED_AT}) own
      CROSS JOIN proposals p ON p.id = own.id
      WHERE ${LISTED_FOR_VOTER} ${status === undefined ? "" : `AND p.status = '${status}'`}`;
  if (mine === "voted" && sort === "new" && status === undefined && tag === undefined)
    return `SELECT p.id AS id, v.sort_key, ${PROPOSAL_BYTES} AS bytes FROM (
        SELECT proposal_id, created_at AS sort_key FROM votes WHERE panelist_id = :panelistId AND idea_bank_id = :ideaBankId
          AND (created_at, proposal_id) < (:afterKey, :afterId)
        ORDER BY created_at DESC, proposal_id DESC LIMIT ${LOOKED_AT}) v
      CROSS JOIN proposals p ON p.id = v.proposal_id WHERE ${LISTED_FOR_VOTER}`;
  const ownKey = sort === "new" ? "own.since" : `p.${key}`;
  return `SELECT p.id AS id, ${ownKey} AS sort_key, ${PROPOSAL_BYTES} AS bytes
    FROM (${ownIds(mine)}) own CROSS JOIN proposals p ON p.id = own.id
    WHERE ${LISTED_FOR_VOTER} ${status === undefined ? "" : `AND p.status = '${status}'`} ${tag === undefined ? "" : `AND ${hasTag("p")}`}
      AND (${ownKey}, p.id) < (:afterKey, :afterId)`;
}

const ownIds = (mine: "submitted" | "voted"): string =>
  mine === "submitted"
    ? `SELECT id, created_at AS since FROM proposals WHERE author_id = :panelistId AND idea_bank_id = :ideaBankId
       ORDER BY created_at DESC, id DESC LIMIT ${MINE_AT_MOST}`
    : `SELECT proposal_id AS id, created_at AS since FROM votes WHERE panelist_id = :panelistId AND idea_bank_id = :ideaBankId
       ORDER BY created_at DESC, proposal_id DESC LIMIT ${MINE_AT_MOST}`;

const LISTED_FOR_VOTER = `p.idea_bank_id = :ideaBankId AND p.duplicate_of IS NULL AND ${VISIBLE}`;

/** The condition `listed = 1`, written so that SQLite uses the index `proposals_by_visibility`. */
const NEW = "visibility = 'public' AND duplicate_of IS NULL";

const FOLLOWS = "EXISTS (SELECT 1 FROM follows f WHERE f.proposal_id = p.id AND f.panelist_id = :panelistId)";
const VISIBLE_ONE = `SELECT ${COLUMNS}, 0 AS sort_key, ${FOLLOWS} AS follows FROM proposals p LEFT JOIN panelists w ON w.id = p.author_id
  WHERE p.id = :proposalId AND p.idea_bank_id = :ideaBankId AND ${VISIBLE} AND ${proposalStays("p")}`;

/** Selects one proposal that the panelist may see. */
export const selectVisible = (token: TokenClaims, proposalId: string) =>
  prepare<ProposalRow>(VISIBLE_ONE, { ...tokenValues(token), proposalId });

/**
 * `proposal` is null when the panelist can see none with this id. `merged`: it was merged into another one; `duplicateOf` is null
 * if the panelist may not see that one. `following` is undefined for a merged one, and for a panelist who cannot be told of it.
 */
export type SeenProposal = {
  readonly access: PanelistAccess;
  readonly proposal: PanelistProposal | null;
  readonly merged: boolean;
  readonly following: boolean | undefined;
};

/** The rows of `selectAccess` and of `selectVisible`. */
type SeenRows = { readonly access: readonly AccessRow[]; readonly seen: readonly ProposalRow[] };

export function toSeen(rows: SeenRows): SeenProposal {
  const [row] = rows.seen;
  const access = toAccess(rows.access);
  const merged = row?.merged === 1;
  const following = access.canBeTold && !merged ? row?.follows === 1 : undefined;
  return { access, proposal: row ? toProposal(row) : null, merged, following };
}

export async function loadForPanelist(session: Session, token: TokenClaims, proposalId: string): Promise<SeenProposal> {
  return toSeen(await session.batch({ access: selectAccess(token), seen: selectVisible(token, proposalId) }));
}

/** `voted`: the author voted for it. An outcome of 1.0.0 has none. */
export type Submitted = Created & Pick<PanelistProposal, "visibility"> & { readonly voted?: 0 | 1 };

/** A submission as it is answered. */
export const toSubmitted = (
  { id, at, visibility, voted = 0 }: Submitted,
  { title, description }: Submission,
  author: string | null,
): PanelistProposal =>
  ordered({
    ...{ id, ...PANELISTS_INITIAL, title, description, visibility, votes: voted, comments: 0 },
    ...{ voted: voted === 1, mine: true, by: "panelist", author, duplicateOf: null },
    ...{ createdAt: toTimestamp(at), lastActivityAt: toTimestamp(at) },
  });

/** `now` is in Unix milliseconds. */
type NewSubmission = Submission & {
  readonly id: string;
  readonly now: number;
  readonly idempotencyKey: IdempotencyKey | undefined;
};

/**
 * Submits a proposal, and votes for it if the panelist may vote: it has this vote from the beginning, because counting it afterwards would
 * write three rows again. It is pending if the idea bank requires approval. `refused` when the capability is closed.
 */
export async function submitProposal(
  session: Session,
  token: TokenClaims,
  { id, title, description, now, idempotencyKey }: NewSubmission,
): Promise<{ access: PanelistAccess; result: IdempotentResult<Submitted>; waitSeconds: number | undefined }> {
  const insert = prepare(
    `INSERT INTO proposals
       (id, account_id, idea_bank_id, author_id, title, description, visibility, votes, created_at, last_activity_at, panelist_writes, ${TERM_COLUMNS})
     SELECT :id, b.account_id, b.id, w.id, :title, :description, iif(b.approval_required = 1, 'pending', 'public'),
       EXISTS (SELECT 1 ${permitted("canVote")}), :now, :now, 1, ${NEW_TERMS}
     ${permitted("canSubmitProposals")} AND ${mayWriteMore("proposals")} AND ${notDoneBefore("b.account_id")}
     RETURNING id`,
    {
      ...tokenValues(token),
      ...termsOf({ title, description }),
      id,
      title,
      description,
      now,
      idempotencyKey: idempotencyKey?.key,
    },
  );
  const created: Submitted = { id, at: now, visibility: "public" };
  const { ideaBankId } = token;
  const details = {
    select: "SELECT json_object('visibility', visibility, 'voted', votes) FROM proposals WHERE id = :id",
    values: { id },
  };
  const rows = await session.batch({
    made: makePanelist(token, { capability: "canSubmitProposals", now }),
    access: selectAccess(token),
    waits: selectWait(token, "proposals", now),
    ...insertOnce({ ideaBankId }, idempotencyKey, { insert, outcome: created, details }),
    counted: countWritten(token, "proposals", { id, now }),
    voted: prepare(
      `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT id, author_id, account_id, idea_bank_id, created_at FROM proposals WHERE id = :id AND votes = 1`,
      { id },
    ),
  });
  const result = toInserted(rows, idempotencyKey, created);
  return { access: toAccess(rows.access), result, waitSeconds: rows.waits[0]?.seconds };
}

/** The condition of an edit: the panelist's own proposal, with the status `submitted`. */
const OWN_SUBMITTED = `id = :proposalId AND idea_bank_id = :ideaBankId AND author_id = :panelistId AND status = 'submitted'
  AND visibility <> 'hidden' AND duplicate_of IS NULL AND EXISTS (SELECT 1 ${permitted("canSubmitProposals")})`;

/**
 * Edits a proposal. `proposal` is its state afterwards; `changed` tells whether this request was allowed to change it. An edit is
 * activity. If the idea bank requires approval, the proposal waits for it again, so that nobody sees a text that the tenant has
 * not approved.
 */
export async function editProposal(
  session: Session,
  {
    token,
    proposalId,
    changes: { title, description },
    now,
  }: {
    readonly token: TokenClaims;
    readonly proposalId: string;
    readonly changes: SubmissionChanges;
    readonly now: number;
  },
): Promise<SeenProposal & { changed: boolean }> {
  /** Apart where it waits for approval, because assigning the visibility costs a row in each index with it. */
  const edit = (also: string, not: "" | "NOT") =>
    prepare(
      `UPDATE proposals SET title = coalesce(:title, title), description = coalesce(:description, description),
         ${SET_TERMS}, panelist_writes = panelist_writes + 1,
         last_activity_at = iif(${UNCHANGED}, last_activity_at, max(last_activity_at, :now)) ${also}
       WHERE ${OWN_SUBMITTED} AND ${not} (SELECT approval_required FROM idea_banks WHERE id = :ideaBankId) RETURNING id`,
      { ...tokenValues(token), ...termsOf({ title, description }), proposalId, title, description, now },
    );
  const rows = await session.batch({
    access: selectAccess(token),
    edited: edit("", "NOT"),
    waiting: edit(`, visibility = iif(${UNCHANGED}, visibility, 'pending')`, ""),
    seen: selectVisible(token, proposalId),
  });
  return { ...toSeen(rows), changed: rows.edited.length + rows.waiting.length === 1 };
}

const UNCHANGED = "coalesce(:title, title) = title AND coalesce(:description, description) = description";

/** Withdraws a proposal. `proposal` is its state before. A proposal into which others were merged is not deleted. */
export async function withdrawProposal(
  session: Session,
  token: TokenClaims,
  proposalId: string,
): Promise<SeenProposal & { changed: boolean }> {
  const rows = await session.batch({
    access: selectAccess(token),
    seen: selectVisible(token, proposalId),
    withdrawn: prepare(
      `UPDATE proposals SET idea_bank_id = id, panelist_writes = panelist_writes + 1
       WHERE ${OWN_SUBMITTED} AND NOT EXISTS (SELECT 1 FROM proposals d WHERE d.duplicate_of = :proposalId) RETURNING id`,
      { ...tokenValues(token), proposalId },
    ),
    slice: deleteOfIdeaBank({ ideaBankId: token.ideaBankId }, proposalId),
  });
  return { ...toSeen(rows), changed: rows.withdrawn.length === 1 };
}
