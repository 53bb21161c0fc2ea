/** The comments on all idea banks of an account, the newest first, as its team works through them; and up to which a member has seen them. */
import type { Page, PageRequest } from "../../model/pagination.ts";
import type { Visibility } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { authorStays } from "../proposals/deletions.ts";
import { mergeSelects } from "../proposals/merge-statuses.ts";
import { ACCESSIBLE_PROPOSAL } from "../proposals/proposals.ts";

/** A list shows this much of a comment. */
const BEGINNING = 1_000;
/** A page of those that wait looks at this many. It skips those of a deleted idea bank or person; the next page continues after them. */
const LOOKED_AT = 1_000;

export type RecentComment = {
  readonly id: string;
  readonly ideaBankId: string;
  readonly proposalId: string;
  /** Of the proposal. */
  readonly title: string;
  readonly beginning: string;
  /** The text is longer. */
  readonly isCut: boolean;
  readonly byTeam: boolean;
  readonly visibility: Visibility;
  /** Null for the team's, and for somebody who has neither a name nor an id of the tenant. */
  readonly author: string | null;
  /** Null for the team's, and for somebody who was deleted. */
  readonly authorId: string | null;
  readonly isBlocked: boolean;
  readonly createdAt: string;
};

type Row = {
  id: string;
  idea_bank_id: string;
  proposal_id: string;
  title: string;
  beginning: string;
  is_cut: number;
  by_tenant: number;
  visibility: Visibility;
  author: string | null;
  author_id: string | null;
  active: number | null;
  created_at: number;
  stays: number;
};

const toComment = (row: Row): RecentComment => ({
  ...{ id: row.id, ideaBankId: row.idea_bank_id, proposalId: row.proposal_id, title: row.title },
  ...{ beginning: row.beginning, isCut: row.is_cut === 1, byTeam: row.by_tenant === 1, visibility: row.visibility },
  ...{ author: row.author, authorId: row.author_id, isBlocked: row.active === 0 },
  createdAt: toTimestamp(row.created_at),
});

/** The rows of a SELECT of `id`, the newest first. */
const shown = (ids: string) =>
  `WITH page AS MATERIALIZED (SELECT id AS page_id FROM (${ids}))
   SELECT c.id, c.idea_bank_id, c.proposal_id, proposals.title, substr(c.body, 1, ${BEGINNING}) AS beginning, length(c.body) > ${BEGINNING} AS is_cut,
     c.by_tenant, c.visibility, c.created_at, coalesce(w.display_name, w.external_id) AS author, w.id AS author_id, w.active,
     ${authorStays("c.panelist_id")} AND ${ACCESSIBLE_PROPOSAL} AS stays
   FROM page CROSS JOIN comments c ON c.id = page_id CROSS JOIN proposals ON proposals.id = c.proposal_id
     LEFT JOIN panelists w ON w.id = c.panelist_id AND w.deleted_at IS NULL
   WHERE c.account_id = :accountId ORDER BY c.created_at DESC, c.id DESC`;

/** SQL: up to when the member `:person` has seen the comments; NULL for somebody who is none. Whoever has never looked begins with joining. */
export const SEEN_UP_TO = `coalesce((SELECT coalesce(comments_seen_at, created_at) FROM accounts WHERE id = :accountId AND owner_email = :person),
  (SELECT coalesce(comments_seen_at, created_at) FROM members WHERE account_id = :accountId AND email = :person))`;

type Asked = {
  readonly accountId: string;
  /** The member's address. */
  readonly person: string;
  /** Another account's have no comments here. */
  readonly ideaBankIds: readonly string[];
  /** The list is all there is, from the newest on: who sees it has seen them. */
  readonly isAll: boolean;
};

/** A page of them, and up to when (Unix milliseconds) the member had seen them before. One round trip. */
export async function listRecentComments(
  session: Session,
  { accountId, person, ideaBankIds, isAll }: Asked,
  request: PageRequest,
): Promise<Page<RecentComment> & { readonly seenUpTo: number | null }> {
  if (ideaBankIds.length === 0) return { items: [], next: undefined, seenUpTo: null };
  const values = {
    ...{ accountId, person, ...pageValues(request) },
    ...Object.fromEntries(ideaBankIds.map((id, bank) => [`bank${bank}`, id])),
  };
  const merged = mergeSelects(
    ideaBankIds.map(
      (_, bank) =>
        `SELECT id, created_at AS sort_key, 0 AS bytes FROM comments
         WHERE idea_bank_id = :bank${bank} AND (created_at, id) < (:afterKey, :afterId)`,
    ),
  );
  const newest = `(SELECT sort_key FROM (${merged} ORDER BY sort_key DESC, id DESC LIMIT 1))`;
  const mark = (table: string, which: string) =>
    isAll
      ? prepare(
          `UPDATE ${table} SET comments_seen_at = ${newest} WHERE ${which} AND coalesce(comments_seen_at, created_at) < ${newest}`,
          values,
        )
      : undefined;
  const rows = await session.batch({
    seen: prepare<{ at: number | null }>(`SELECT ${SEEN_UP_TO} AS at`, values),
    listed: prepare<Row>(shown(`${merged} ORDER BY sort_key DESC, id DESC LIMIT :rows`), values),
    creator: mark("accounts", "id = :accountId AND owner_email = :person"),
    member: mark("members", "account_id = :accountId AND email = :person"),
  });
  return {
    ...toPage(rows.listed, { request, toItem: toComment, keyOf: byCreation }),
    seenUpTo: rows.seen[0]?.at ?? null,
  };
}

const WAITS = "account_id = :accountId AND visibility = 'pending'";

/** A page of those that wait for approval, on every idea bank or on one, the newest first. */
export async function listWaitingComments(
  session: Session,
  { accountId, ideaBankId }: { readonly accountId: string; readonly ideaBankId: string | undefined },
  request: PageRequest,
): Promise<Page<RecentComment>> {
  const inOrder = (columns: string, limit: string) =>
    `SELECT ${columns} FROM comments WHERE ${WAITS} AND (created_at, id) < (:afterKey, :afterId) ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const ids = `SELECT c.id FROM (${inOrder("*", `${LOOKED_AT}`)}) c CROSS JOIN idea_banks b ON b.id = c.idea_bank_id
    WHERE c.idea_bank_id = coalesce(:ideaBankId, c.idea_bank_id) AND ${authorStays("c.panelist_id")}
    ORDER BY c.created_at DESC, c.id DESC LIMIT :rows`;
  const values = { accountId, ideaBankId, ...pageValues(request) };
  const { listed, lastLookedAt } = await session.batch({
    listed: prepare<Row>(shown(ids), values),
    lastLookedAt: prepare<Pick<Row, "id" | "created_at">>(
      inOrder("created_at, id", `1 OFFSET ${LOOKED_AT - 1}`),
      values,
    ),
  });
  const [last] = lastLookedAt;
  const { items, next } = toPage(listed, { request, toItem: toComment, keyOf: byCreation });
  return { items, next: next ?? (last && { key: last.created_at, id: last.id }) };
}

/** SQL: how many comments wait, counted up to `:most`. */
export const COUNT_WAITING_COMMENTS = `SELECT count(*) FROM (SELECT idea_bank_id, panelist_id FROM comments WHERE ${WAITS}
    ORDER BY created_at, id LIMIT :most) c
  CROSS JOIN idea_banks b ON b.id = c.idea_bank_id WHERE ${authorStays("c.panelist_id")}`;
