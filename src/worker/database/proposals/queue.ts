/** The ideas of an account as its team works through them: of one idea bank or of several, in seven orders. */
import type { Page, PageRequest } from "../../model/pagination.ts";
import { PROPOSAL_STATUSES, type ProposalStatus, type Visibility } from "../../model/proposal.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { membersOf } from "../members/membership.ts";
import { pageValues, toPage } from "../pagination.ts";
import { BEGINNING_OF_COMMENT, type Contribution, type ContributionRow, toContribution } from "../panelists/people.ts";
import { HAS_PRIVATE_TAG, IS_UNASSIGNED } from "./assignment.ts";
import { authorStays } from "./deletions.ts";
import { mergeSelects } from "./merge-statuses.ts";
import { ACCESSIBLE_PROPOSAL } from "./proposals.ts";
import { isRecent, leavesUncounted, RECENT_SORTS, selectRecent, withRecent } from "./recent-votes.ts";
import { hasTag, selectTagged } from "./tags.ts";
import { FOUND_AT_MOST, searchFor } from "./words.ts";

/** An account with more idea banks shows its newest ones. */
export const BANKS_AT_MOST = 40;
/** Texts and names of authors are searched in this many ideas. */
export const SEARCHED_AT_MOST = 1_000;
/** A number beside a status stops here. */
export const COUNTED_AT_MOST = 100;
/** A row has the beginning of the text. */
const BEGINNING = 500;

/** Each of them has an index. */
const INDEXED_SORTS = ["new", "top", "hot", "active"] as const;
export const QUEUE_SORTS = [...INDEXED_SORTS, ...RECENT_SORTS] as const;
export type QueueSort = (typeof QUEUE_SORTS)[number];
const SORT_KEYS: Record<(typeof INDEXED_SORTS)[number], string> = {
  new: "created_at",
  top: "votes",
  hot: "hot",
  active: "last_activity_at",
};

/** Ideas that are neither done nor declined; of these, the ones without an official response. */
export const OPEN = "open";
export const UNANSWERED = "unanswered";
export type QueueStatus = ProposalStatus | typeof OPEN | typeof UNANSWERED;
export const OPEN_STATUSES = PROPOSAL_STATUSES.filter((status) => status !== "implemented" && status !== "declined");
const statusesOf = (status: QueueStatus): readonly ProposalStatus[] =>
  status === OPEN || status === UNANSWERED ? OPEN_STATUSES : [status];
const answered = (status: QueueStatus | undefined): string => (status === UNANSWERED ? "AND p.response IS NULL" : "");
/** The condition for `p`. */
export const ofStatus = (status: QueueStatus | undefined): string =>
  status === undefined ? "" : `AND p.status IN (${statusesOf(status).map((each) => `'${each}'`)}) ${answered(status)}`;

/**
 * Of the team alone. `assignee`: a member by address; null for ideas that no member has. Lists of a member and of a private tag are sorted by
 * age.
 */
type TeamFilter = {
  readonly assignee?: { readonly person: string } | null | undefined;
  readonly privateTag?: string | undefined;
};

/** `status` undefined: all. Of one idea bank, the list of a `tag` is sorted by age. */
type QueueFilter = TeamFilter & {
  readonly status: QueueStatus | undefined;
  readonly visibility: Visibility | undefined;
  readonly tag: string | undefined;
  readonly sort: QueueSort;
};

export type QueuedIdea = {
  readonly id: string;
  readonly ideaBankId: string;
  readonly title: string;
  readonly beginning: string;
  /** The text is longer. */
  readonly isCut: boolean;
  /** How often its author has written it. */
  readonly edits: number;
  readonly status: ProposalStatus;
  readonly visibility: Visibility;
  readonly votes: number;
  readonly comments: number;
  readonly tags: readonly string[];
  readonly isAnswered: boolean;
  /** The member who has it, by id, also one who has left. */
  readonly assignee: string | null;
  readonly privateTags: readonly string[];
  /** Null for the team's, and for somebody who has neither a name nor an id of the tenant. */
  readonly author: string | null;
  /** Null for the team's, and for somebody who was deleted. */
  readonly authorId: string | null;
  readonly createdAt: string;
  /** By what its list is ordered: Unix milliseconds, or votes. */
  readonly sortKey: number;
};

export type QueuedRow = {
  id: string;
  idea_bank_id: string;
  title: string;
  beginning: string;
  is_cut: number;
  panelist_writes: number;
  status: ProposalStatus;
  visibility: Visibility;
  votes: number;
  comments: number;
  tags: string | null;
  is_answered: number;
  assignee: string | null;
  private_tags: string | null;
  author: string | null;
  present_author_id: string | null;
  created_at: number;
  sort_key: number;
  stays: number;
};

const toIdeas = (rows: readonly QueuedRow[]): readonly QueuedIdea[] =>
  rows.filter(({ stays }) => stays === 1).map(toIdea);
export const toIdea = (row: QueuedRow): QueuedIdea => ({
  id: row.id,
  ideaBankId: row.idea_bank_id,
  title: row.title,
  beginning: row.beginning,
  isCut: row.is_cut === 1,
  edits: row.panelist_writes,
  status: row.status,
  visibility: row.visibility,
  votes: row.votes,
  comments: row.comments,
  tags: JSON.parse(row.tags ?? "[]"),
  isAnswered: row.is_answered === 1,
  assignee: row.assignee,
  privateTags: JSON.parse(row.private_tags ?? "[]"),
  author: row.author,
  authorId: row.present_author_id,
  createdAt: toTimestamp(row.created_at),
  sortKey: row.sort_key,
});

/** `ideaBankIds`: another account's have no ideas here. */
type Queue = { readonly accountId: string; readonly ideaBankIds: readonly string[] };

/**
 * A page of ideas that were not merged. Other orders than `new` list public ideas, because only those have an index by votes and by
 * activity. A page reads about as many rows as it shows, and one for each idea bank and status. Ideas without a response, those that a filter
 * of the team leaves, and those of several idea banks with a tag, are those of the 1,000 that come next; the next page goes on after these.
 */
export async function listQueue(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  filter: QueueFilter,
  request: PageRequest,
): Promise<Page<QueuedIdea>> {
  if (ideaBankIds.length === 0) return { items: [], next: undefined };
  const values = {
    accountId,
    tag: filter.tag,
    ...teamValues(ideaBankIds, filter),
    ideaBankId: ideaBankIds[0],
    ...banksOf(ideaBankIds),
    ...pageValues(request),
  };
  const inOrder = `${select(ideaBankIds, filter)} ORDER BY sort_key DESC, id DESC LIMIT`;
  const looksThrough = isLookedThrough(ideaBankIds, filter);
  const ids = looksThrough
    ? `SELECT n.id, n.sort_key FROM (${inOrder} ${SEARCHED_AT_MOST}) n CROSS JOIN proposals p ON p.id = n.id
         WHERE p.account_id = :accountId ${among(filter)} ORDER BY n.sort_key DESC, n.id DESC LIMIT :rows`
    : `${inOrder} :rows`;
  const { rows, last } = await session.batch({
    rows: prepare<QueuedRow>(shown(ids), values),
    last: looksThrough
      ? prepare<{ id: string; sort_key: number }>(
          `SELECT n.id, n.sort_key FROM (${inOrder} 1 OFFSET ${SEARCHED_AT_MOST - 1}) n CROSS JOIN proposals p ON p.id = n.id
           WHERE p.account_id = :accountId`,
          values,
        )
      : undefined,
  });
  const { items, next } = toPage(rows, { request, toItem: toIdea, keyOf: ({ sort_key }) => sort_key });
  const [lookedAt] = last ?? [];
  return { items, next: next ?? (lookedAt && { key: lookedAt.sort_key, id: lookedAt.id }) };
}

/** The rows of a SELECT of `id` and `sort_key`, in its order. */
export const shown = (ids: string, order: "DESC" | "ASC" = "DESC") =>
  `WITH page AS MATERIALIZED (SELECT id AS page_id, sort_key FROM (${ids}))
   SELECT p.id, idea_bank_id, title, substr(description, 1, ${BEGINNING}) AS beginning, length(description) > ${BEGINNING} AS is_cut, panelist_writes,
     status, visibility, votes, comments, tags, p.created_at, response IS NOT NULL AS is_answered, assignee, private_tags, sort_key,
     coalesce(w.display_name, w.external_id) AS author, w.id AS present_author_id, ${authorStays("p.author_id")} AS stays
   FROM page CROSS JOIN proposals p ON p.id = page_id LEFT JOIN panelists w ON w.id = p.author_id AND w.deleted_at IS NULL
   WHERE p.account_id = :accountId ORDER BY sort_key ${order}, p.id ${order}`;

/** They are found by another index, or by looking. */
export const isOfTeam = ({ assignee, privateTag }: TeamFilter): boolean =>
  assignee !== undefined || privateTag !== undefined;

/** A tag's index is that of one idea bank. */
const hasTagIndex = (ideaBankIds: readonly string[]): boolean => ideaBankIds.length === 1;

/** Of the ideas in order only some are wanted. */
const isLookedThrough = (ideaBankIds: readonly string[], filter: QueueFilter): boolean =>
  filter.status === UNANSWERED || isOfTeam(filter) || (filter.tag !== undefined && !hasTagIndex(ideaBankIds));

const ASSIGNEE = `(SELECT id FROM (${membersOf()}) WHERE email = :assignee)`;

/** The condition for `p`, which has been found by a list that does not know all of it. */
const among = ({
  status,
  visibility,
  tag,
  assignee,
  privateTag,
}: Omit<QueueFilter, "sort">): string => `${ofStatus(status)}
  ${visibility === undefined ? "" : `AND p.visibility = '${visibility}'`}
  ${tag === undefined ? "" : `AND ${hasTag("p")}`}
  ${assignee === undefined ? "" : `AND ${assignee === null ? IS_UNASSIGNED : `p.assignee = ${ASSIGNEE}`}`}
  ${privateTag === undefined ? "" : `AND ${HAS_PRIVATE_TAG}`}
  ${isOfTeam({ assignee, privateTag }) ? "AND p.idea_bank_id IN (SELECT value FROM json_each(:ideaBankIds))" : ""}`;

const teamValues = (ideaBankIds: readonly string[], { assignee, privateTag }: TeamFilter) => ({
  ...{ assignee: assignee?.person, privateTag },
  ideaBankIds: JSON.stringify(ideaBankIds),
});

const banksOf = (ideaBankIds: readonly string[]) =>
  Object.fromEntries(ideaBankIds.map((id, bank) => [`bank${bank}`, id]));

/** Those that people see, with a vote, by their votes. */
const mostVoted = (ideaBankIds: readonly string[], status: QueueStatus | undefined): string =>
  mergeSelects(
    ideaBankIds.flatMap((_, bank) =>
      (status === undefined ? PROPOSAL_STATUSES : statusesOf(status)).map(
        (each) => `SELECT id, votes AS sort_key, 0 AS bytes FROM proposals
          WHERE idea_bank_id = :bank${bank} AND listed = 1 AND status = '${each}' AND votes > 0`,
      ),
    ),
  );

/** Whether an order by recent votes counts only some of these ideas. */
export async function isPartlyCounted(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  { status }: Pick<QueueFilter, "status">,
): Promise<boolean> {
  if (ideaBankIds.length === 0) return false;
  const sql = `${leavesUncounted(mostVoted(ideaBankIds, status))} WHERE ${ALL_OWN}`;
  const values = { accountId, ids: JSON.stringify(ideaBankIds), ...banksOf(ideaBankIds) };
  return (await session.first(prepare<{ found: number }>(sql, values)))?.found === 1;
}

/** How many ideas the queue lists, counted up to `most`. */
export async function countQueue(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  filter: QueueFilter,
  most: number,
): Promise<number> {
  if (ideaBankIds.length === 0) return 0;
  const values = {
    ...{ accountId, tag: filter.tag, ideaBankId: ideaBankIds[0], ids: JSON.stringify(ideaBankIds) },
    ...{
      ...banksOf(ideaBankIds),
      ...teamValues(ideaBankIds, filter),
      ...pageValues({ limit: most, after: undefined }),
    },
  };
  const [joined, condition] = isLookedThrough(ideaBankIds, filter)
    ? ["CROSS JOIN proposals p ON p.id = n.id", among(filter)]
    : ["", ""];
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM (${select(ideaBankIds, filter)}) n ${joined} WHERE ${ALL_OWN} ${condition} LIMIT ${most})`;
  return (await session.first(prepare<{ count: number }>(sql, values)))?.count ?? 0;
}

/** The schema's words can be part of the SQL; the identifiers are its values (`banksOf`). */
function select(
  ideaBankIds: readonly string[],
  { status, visibility, tag, sort, assignee, privateTag }: QueueFilter,
): string {
  if (isRecent(sort))
    return selectRecent(mostVoted(ideaBankIds, status), {
      sort,
      condition: `p.account_id = :accountId ${tag === undefined ? "" : `AND ${hasTag("p")}`}`,
    });
  if (tag !== undefined && hasTagIndex(ideaBankIds))
    return selectTagged(
      { status: status && statusesOf(status), visibility },
      "0",
      "p.account_id = :accountId AND p.duplicate_of IS NULL",
    );
  if (privateTag !== undefined)
    return `SELECT proposal_id AS id, created_at AS sort_key, 0 AS bytes FROM proposal_private_tags
      WHERE account_id = :accountId AND tag = :privateTag AND (created_at, proposal_id) < (:afterKey, :afterId)`;
  if (assignee)
    return `SELECT id, created_at AS sort_key, 0 AS bytes FROM proposals WHERE assignee = ${ASSIGNEE} AND duplicate_of IS NULL
      AND (created_at, id) < (:afterKey, :afterId)`;
  const key = SORT_KEYS[sort];
  const isWhole = sort === "new" && visibility === undefined && status === undefined;
  const listed = sort === "new" ? "duplicate_of IS NULL" : "listed = 1";
  const visible = visibility === undefined ? "" : `AND visibility = '${visibility}'`;
  const statuses = isWhole ? [undefined] : status === undefined ? PROPOSAL_STATUSES : statusesOf(status);
  return mergeSelects(
    ideaBankIds.flatMap((_, bank) =>
      statuses.map(
        (each) =>
          `SELECT id, ${key} AS sort_key, 0 AS bytes FROM proposals WHERE idea_bank_id = :bank${bank} AND ${listed} ${visible}
           ${each === undefined ? "" : `AND status = '${each}'`} AND (${key}, id) < (:afterKey, :afterId)`,
      ),
    ),
  );
}

/** SQL: the search `:q` stands in it. */
const stands = (column: string): string => `instr(lower(${column}), lower(:q)) > 0`;
/** SQL: the search stands in the name of the person, or in the tenant's own id of it. */
const isBy = (panelistId: string): string =>
  `EXISTS (SELECT 1 FROM panelists w WHERE w.id = ${panelistId} AND w.deleted_at IS NULL AND (${stands("w.display_name")} OR ${stands("w.external_id")}))`;

/** What it adds to the rank of a title that the search stands in it, or is the whole of it. Its words are up to 900. Votes decide between equals. */
const [STANDS, WHOLE, VOTES] = [1_000, 500, 10_000_000];

/**
 * At most 20 ideas: those whose title has the words of `q`, however old they are, and those in whose title, text or author's name `q` stands,
 * of the newest 1,000. Without a sort the best match comes first: by the title, then by votes.
 */
export async function findInQueue(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  q: string,
  { sort, ...filter }: Omit<QueueFilter, "sort"> & { readonly sort: QueueSort | undefined },
): Promise<readonly QueuedIdea[]> {
  if (ideaBankIds.length === 0) return [];
  const newest = select(ideaBankIds, { ...filter, sort: "new" });
  /** `score`: how much of the search the title's words are, up to 900. */
  const key = (score: string) =>
    sort !== undefined && !isRecent(sort)
      ? `p.${SORT_KEYS[sort]} AS sort_key`
      : `(${score} + ${STANDS} * (${stands("p.title")}) + ${WHOLE} * (lower(p.title) = lower(:q))) * ${VOTES} + min(p.votes, ${VOTES - 1}) AS sort_key`;
  const within = `SELECT p.id, ${key("0")} FROM (${newest} ORDER BY sort_key DESC, id DESC LIMIT ${SEARCHED_AT_MOST}) n
    CROSS JOIN proposals p ON p.id = n.id
    WHERE (${stands("p.title")} OR ${stands("p.description")} OR ${isBy("p.author_id")}) ${among(filter)}
    ORDER BY 2 DESC, p.id DESC LIMIT ${FOUND_AT_MOST}`;
  const search = searchFor(q, ideaBankIds.length);
  const condition = `p.account_id = :accountId AND p.duplicate_of IS NULL ${among(filter)}`;
  const titles = `SELECT p.id, ${key("f.sort_key / 10000000000000")} FROM (SELECT id, sort_key FROM (${search.select({ listed: "0, 1" }, { bytes: "0", condition })})
    ORDER BY sort_key DESC LIMIT ${FOUND_AT_MOST}) f CROSS JOIN proposals p ON p.id = f.id`;
  const ids = `SELECT id, max(sort_key) AS sort_key FROM (SELECT id, sort_key FROM (${within}) UNION ALL SELECT id, sort_key FROM (${titles})) GROUP BY id`;
  const values = {
    accountId,
    ...{ ideaBankId: ideaBankIds[0], ...teamValues(ideaBankIds, filter) },
    ...{ q, tag: filter.tag },
    ...search.values,
    ...banksOf(ideaBankIds),
    ...pageValues({ limit: FOUND_AT_MOST, after: undefined }),
  };
  const found = `SELECT id, sort_key FROM (${ids}) ORDER BY sort_key DESC, id DESC LIMIT ${FOUND_AT_MOST}`;
  const sql = shown(isRecent(sort) ? withRecent(found, sort) : found);
  return toIdeas(await session.all(prepare<QueuedRow>(sql, values)));
}

export type FoundComment = Contribution & { readonly author: string | null };

/** At most 20 comments in whose text or author's name `q` stands, of the newest 1,000, the newest first. The author is null for the team. */
export async function findComments(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  q: string,
): Promise<readonly FoundComment[]> {
  if (ideaBankIds.length === 0) return [];
  const newest = mergeSelects(
    ideaBankIds.map(
      (_, bank) => `SELECT id, created_at AS sort_key, 0 AS bytes FROM comments WHERE idea_bank_id = :bank${bank}`,
    ),
  );
  const sql = `SELECT c.idea_bank_id, proposals.id, title, status, proposals.visibility, duplicate_of, c.id AS comment_id, ${BEGINNING_OF_COMMENT}, c.created_at,
      (SELECT coalesce(display_name, external_id) FROM panelists w WHERE w.id = c.panelist_id AND w.deleted_at IS NULL) AS author
    FROM (${newest} ORDER BY sort_key DESC, id DESC LIMIT ${SEARCHED_AT_MOST}) n CROSS JOIN comments c ON c.id = n.id
    CROSS JOIN proposals ON proposals.id = c.proposal_id
    WHERE c.account_id = :accountId AND (${stands("c.body")} OR ${isBy("c.panelist_id")}) AND ${authorStays("c.panelist_id")} AND ${ACCESSIBLE_PROPOSAL}
    ORDER BY n.sort_key DESC, n.id DESC LIMIT ${FOUND_AT_MOST}`;
  const values = { accountId, q, ...banksOf(ideaBankIds) };
  const rows = await session.all(prepare<ContributionRow & { author: string | null }>(sql, values));
  return rows.map((row) => ({ ...toContribution(row), author: row.author }));
}

/** The account's ideas with these identifiers, the newest first. Those of a deleted idea bank are left out. */
export async function loadQueued(
  session: Session,
  { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<readonly QueuedIdea[]> {
  const chosen = `SELECT p.id, p.created_at AS sort_key FROM proposals p CROSS JOIN idea_banks b ON b.id = p.idea_bank_id
    WHERE p.id IN (SELECT value FROM json_each(:ids)) AND +p.account_id = :accountId`;
  return toIdeas(await session.all(prepare<QueuedRow>(shown(chosen), { accountId, ids: JSON.stringify(ids) })));
}

/** Those of the idea banks `:ids` that are the account's. */
const OWN_BANKS =
  "SELECT id FROM idea_banks WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId";
/** All of them are. */
const ALL_OWN = `(SELECT count(*) FROM (${OWN_BANKS})) = json_array_length(:ids)`;

/** Whether there is an idea with this status that only the order `new` lists. */
export async function hasUnlisted(
  session: Session,
  { accountId, ideaBankIds }: Queue,
  status: QueueStatus | undefined,
): Promise<boolean> {
  const statuses = (status === undefined ? PROPOSAL_STATUSES : statusesOf(status)).map((each) => `'${each}'`);
  const sql = `SELECT EXISTS (SELECT 1 FROM proposals p WHERE idea_bank_id IN (${OWN_BANKS})
    AND visibility IN ('hidden', 'pending') AND status IN (${statuses}) AND duplicate_of IS NULL ${answered(status)}) AS found`;
  const row = await session.first(prepare<{ found: number }>(sql, { accountId, ids: JSON.stringify(ideaBankIds) }));
  return row?.found === 1;
}

/** How many there are of those that were `looked` at. */
export type CountRow = { looked: number; count: number };

/** SQL: a `CountRow` of the open ideas that people see and that have no response. At most `most` are looked at. */
export const selectUnanswered = (banks: string, most: number): string =>
  `SELECT count(*) AS looked, coalesce(sum(response IS NULL), 0) AS count FROM (SELECT p.response FROM ${banks} b CROSS JOIN proposals p
     ON p.idea_bank_id = b.id AND p.listed = 1 ${ofStatus(OPEN)} LIMIT ${most})`;

/** The same of these idea banks, of which 1,000 ideas are looked at. */
export const countUnanswered = (session: Session, { accountId, ideaBankIds }: Queue): Promise<CountRow | null> =>
  session.first(
    prepare<CountRow>(selectUnanswered(`(${OWN_BANKS})`, SEARCHED_AT_MOST), {
      ...{ accountId, ids: JSON.stringify(ideaBankIds) },
    }),
  );

/** How many ideas have each status, counted up to 100. */
export async function countStatuses(
  session: Session,
  { accountId, ideaBankIds }: Queue,
): Promise<Readonly<Partial<Record<ProposalStatus, number>>>> {
  const counts = PROPOSAL_STATUSES.map(
    (status) =>
      `(SELECT count(*) FROM (SELECT 1 FROM proposals WHERE idea_bank_id IN (SELECT id FROM own) AND status = '${status}'
        AND duplicate_of IS NULL LIMIT ${COUNTED_AT_MOST})) AS "${status}"`,
  );
  const row = await session.first(
    prepare<Record<ProposalStatus, number>>(`WITH own AS MATERIALIZED (${OWN_BANKS}) SELECT ${counts.join(", ")}`, {
      ...{ accountId, ids: JSON.stringify(ideaBankIds) },
    }),
  );
  return row ?? {};
}
