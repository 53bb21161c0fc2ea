/** Rows of `proposals`, for the tenant API. Every function returns null or false for a row that is not the tenant's. */

import type { IdempotencyKey, IdempotentResult } from "../model/idempotency-key.ts";
import { toStored } from "../model/metadata.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import {
  type OfficialResponse,
  PROPOSAL_STATUSES,
  type Proposal,
  type ProposalChanges,
  type ProposalFilter,
  type ProposalStatus,
  type Visibility,
} from "../model/proposal.ts";
import { toTimestamp } from "../model/text.ts";
import type { Seen, Stored } from "../model/version.ts";
import type { Session } from "../store/session.ts";
import { prepare, type Statement } from "../store/statement.ts";
import { deleteOfIdeaBank } from "./deletions.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "./idempotency.ts";
import { mergeSelects } from "./merge-statuses.ts";
import { MERGES_AT_MOST, moveSlice, targetOf, targetStays } from "./merges.ts";
import { FIT, FITTING_ROWS, fitOf, ITEM_BYTES, pageValues, toPage } from "./pagination.ts";
import { existingPanelist } from "./panelists.ts";
import { AT_ONCE } from "./slices.ts";
import { hasTag, selectTagged } from "./tags.ts";
import { asSeen, withState } from "./versions.ts";
import { FOUND_AT_MOST, SET_WORDS, type Search, searchFor, wordsOf } from "./words.ts";

export type ProposalRow = {
  id: string;
  title: string;
  description: string;
  status: ProposalStatus;
  visibility: Visibility;
  votes: number;
  comments: number;
  author_id: string | null;
  response: string | null;
  responded_at: number | null;
  duplicate_of: string | null;
  merging: number;
  external_id: string | null;
  metadata: string | null;
  tags: string | null;
  created_at: number;
  last_activity_at: number;
  fit?: number;
};

/**
 * A row in the path's idea bank, if the account has it. The rows of a deleted idea bank stay stored for a while, but are not
 * accessible.
 */
export const IN_OWN_IDEA_BANK = `account_id = :accountId
  AND idea_bank_id = (SELECT id FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId)`;
/** The path's proposal, if the account has it. */
export const OWN_PROPOSAL = `${IN_OWN_IDEA_BANK} AND id = :proposalId AND ${targetStays("proposals")}`;

/** The proposal with the tenant's own id, if the account has it. */
export const OWN_BY_EXTERNAL_ID = `${IN_OWN_IDEA_BANK} AND external_id = :externalId AND ${targetStays("proposals")}`;

/** True when neither the proposal, nor its idea bank, nor its merge target was deleted. */
export const ACCESSIBLE_PROPOSAL = `EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = proposals.idea_bank_id) AND ${targetStays("proposals")}`;

/** A proposal and its idea bank. */
export type ProposalPath = { readonly ideaBankId: string; readonly proposalId: string };

/** The size of a proposal on a page, in bytes. */
export const PROPOSAL_BYTES = `octet_length(title) + octet_length(description) + coalesce(octet_length(response), 0)
  + coalesce(octet_length(metadata), 0) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(tags), 0) + ${ITEM_BYTES}`;

export const COLUMNS = `id, title, description, status, visibility, votes, comments, response, responded_at, created_at, last_activity_at,
  external_id, metadata, tags,
  ${existingPanelist("author_id")} AS author_id, ${targetOf("proposals")} AS duplicate_of,
  EXISTS (SELECT 1 FROM merges WHERE source_id = proposals.id)
    OR EXISTS (SELECT 1 FROM merges WHERE target_id = proposals.id) AS merging`;

/** The columns that a change can set. Votes and comments are not among them. */
export const STATE =
  "json_array(title, description, status, visibility, response, responded_at, tags, metadata, external_id)";

export const toResponse = (text: string | null, respondedAt: number | null): OfficialResponse | null =>
  text === null ? null : { text, respondedAt: toTimestamp(respondedAt ?? 0) };

/** Tags as they are stored: a JSON array, or NULL for none. */
export const toTags = (tags: string | null): string[] => (tags === null ? [] : JSON.parse(tags));

export const toProposal = (row: ProposalRow): Proposal => ({
  id: row.id,
  title: row.title,
  description: row.description,
  status: row.status,
  visibility: row.visibility,
  votes: row.votes,
  comments: row.comments,
  panelistId: row.author_id,
  response: toResponse(row.response, row.responded_at),
  duplicateOf: row.duplicate_of,
  merging: row.merging === 1,
  tags: toTags(row.tags),
  externalId: row.external_id,
  metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
  createdAt: toTimestamp(row.created_at),
  lastActivityAt: toTimestamp(row.last_activity_at),
});

/** The account's proposals with `ids`, a SELECT of identifiers. (The + makes SQLite use the primary key.) */
export const selectProposals = (ids: string): string =>
  `SELECT ${COLUMNS} FROM proposals WHERE id IN (${ids}) AND +account_id = :accountId AND ${ACCESSIBLE_PROPOSAL}`;
export const toProposals = (rows: readonly ProposalRow[]) => rows.map(toProposal);

/**
 * Lists proposals, with any of the filters. Merged ones are left out, except by the external id. With `q` there is one page, of
 * the proposals that match.
 */
export async function listProposals(
  session: Session,
  {
    accountId,
    ideaBankId,
    filter,
    request: { limit, after },
  }: {
    readonly accountId: string;
    readonly ideaBankId: string;
    readonly filter: ProposalFilter;
    readonly request: PageRequest;
  },
): Promise<Page<Proposal> | null> {
  const { q } = filter;
  const search = q === undefined ? undefined : searchFor(q);
  const request = { limit: search ? Math.min(limit, FOUND_AT_MOST) : limit, after };
  const { owned, listed } = await session.batch({
    owned: prepare("SELECT 1 FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId", {
      accountId,
      ideaBankId,
    }),
    listed: prepare<ProposalRow & { sort_key: number }>(search ? selectFound(search, filter) : selectPage(filter), {
      ...{ accountId, ideaBankId, tag: filter.tag, externalId: filter.externalId, panelistId: filter.panelistId },
      ...pageValues(request),
      ...search?.values,
    }),
  });
  if (owned.length !== 1) return null;
  const page = toPage(listed, { request, toItem: toProposal, keyOf: ({ sort_key }) => sort_key });
  return search ? { items: page.items, next: undefined } : page;
}

/** The best match first. The filter's values come from a schema's enumerations, so they can be part of the SQL. */
function selectFound(search: Search, { status, visibility, tag, externalId }: ProposalFilter): string {
  const listed = visibility === undefined ? "0, 1" : visibility === "public" ? "1" : "0";
  const condition = `p.account_id = :accountId AND p.duplicate_of IS NULL
    ${status === undefined ? "" : `AND p.status IN (${quoted(status)})`} ${visibility === undefined ? "" : `AND p.visibility = '${visibility}'`}
    ${tag === undefined ? "" : `AND ${hasTag("p")}`} ${externalId === undefined ? "" : "AND p.external_id = :externalId"}`;
  return `WITH page AS MATERIALIZED (${search.select({ listed }, { bytes: PROPOSAL_BYTES, condition })}
      ORDER BY sort_key DESC, id DESC LIMIT :rows), ${fitOf("SELECT bytes FROM page")}
    SELECT ${COLUMNS}, sort_key, ${FIT} FROM (SELECT id AS page_id, sort_key FROM page ORDER BY sort_key DESC, id DESC LIMIT ${FITTING_ROWS})
      CROSS JOIN proposals ON id = page_id ORDER BY sort_key DESC, id DESC`;
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join();

const SORT_KEYS = { new: "created_at", top: "votes", active: "last_activity_at" } as const;

/** The filter's values come from a schema's enumerations, so they can be part of the SQL. */
function selectPage(filter: ProposalFilter): string {
  const { status, visibility, tag, externalId, panelistId, sort = "new" } = filter;
  const key = SORT_KEYS[sort];
  const bytes = `${PROPOSAL_BYTES} AS bytes`;
  const select = (columns: string, condition: string) =>
    `SELECT ${columns} FROM proposals WHERE idea_bank_id = :ideaBankId AND account_id = :accountId AND ${condition}
     AND (${key}, id) < (:afterKey, :afterId)`;
  const inOrder = (columns: string, condition: string) => `${select(columns, condition)} ORDER BY ${key} DESC, id DESC`;
  const visible = visibility === undefined ? "" : ` AND visibility = '${visibility}'`;
  /** Each of them is in the order of an index. */
  const direct = (condition: string) =>
    `WITH ${fitOf(`${inOrder(bytes, condition)} LIMIT :rows`)}
     ${inOrder(`${COLUMNS}, ${key} AS sort_key, ${FIT}`, condition)} LIMIT ${FITTING_ROWS}`;

  if (panelistId !== undefined)
    return direct(
      `author_id = :panelistId AND ${targetStays("proposals")} AND ${existingPanelist("author_id")} IS NOT NULL`,
    );
  if (externalId !== undefined) {
    const tagged = tag === undefined ? "" : ` AND ${hasTag("proposals")}`;
    const named = status === undefined ? "" : ` AND status IN (${quoted(status)})`;
    return direct(`external_id = :externalId AND ${targetStays("proposals")}${tagged}${named}${visible}`);
  }
  const listed = sort === "new" ? `duplicate_of IS NULL${visible}` : "listed = 1";
  const [only, ...others] = status ?? [];
  if (tag === undefined && only !== undefined && others.length === 0) return direct(`${listed} AND status = '${only}'`);
  if (tag === undefined && status === undefined && visibility === undefined && sort === "new") return direct(listed);
  const statuses = status ?? PROPOSAL_STATUSES;
  const ids =
    tag === undefined
      ? mergeSelects(
          statuses.map((each) => select(`id, ${key} AS sort_key, ${bytes}`, `${listed} AND status = '${each}'`)),
        )
      : selectTagged({ status, visibility }, PROPOSAL_BYTES, "p.account_id = :accountId");
  return `WITH page AS MATERIALIZED (${ids} ORDER BY sort_key DESC, id DESC LIMIT :rows), ${fitOf("SELECT bytes FROM page")}
    SELECT ${COLUMNS}, ${key} AS sort_key, ${FIT} FROM proposals
    WHERE id IN (SELECT id FROM page ORDER BY sort_key DESC, id DESC LIMIT ${FITTING_ROWS}) ORDER BY ${key} DESC, id DESC`;
}

/** The proposals of the account's idea bank with these identifiers, in no order. */
export async function loadProposals(
  session: Session,
  {
    accountId,
    ideaBankId,
    ids,
  }: { readonly accountId: string; readonly ideaBankId: string; readonly ids: readonly string[] },
): Promise<readonly Proposal[]> {
  const sql = `SELECT ${COLUMNS} FROM proposals WHERE ${IN_OWN_IDEA_BANK} AND id IN (SELECT value FROM json_each(:ids))
    AND ${targetStays("proposals")}`;
  const rows = await session.all(prepare<ProposalRow>(sql, { accountId, ideaBankId, ids: JSON.stringify(ids) }));
  return toProposals(rows);
}

export async function loadProposal(session: Session, accountId: string, path: ProposalPath): Promise<Proposal | null> {
  const row = await session.first(
    prepare<ProposalRow>(`SELECT ${COLUMNS} FROM proposals WHERE ${OWN_PROPOSAL}`, { ...path, accountId }),
  );
  return row && toProposal(row);
}

/** For `If-Match`: the proposal with this id, or with the tenant's own. */
export const loadStoredProposal = async (
  session: Session,
  accountId: string,
  path: ProposalPath | { readonly ideaBankId: string; readonly externalId: string },
): Promise<Stored | null> =>
  withState(
    await session.first(
      prepare<ProposalRow & { state: string }>(
        `SELECT ${COLUMNS}, ${STATE} AS state FROM proposals WHERE ${"proposalId" in path ? OWN_PROPOSAL : OWN_BY_EXTERNAL_ID}`,
        { ...path, accountId },
      ),
    ),
    toProposal,
  );

const FIELDS = `title = coalesce(:title, title), description = coalesce(:description, description),
  ${SET_WORDS}, status = coalesce(:status, status), visibility = coalesce(:visibility, visibility),
  responded_at = CASE WHEN NOT :responds OR :response IS response THEN responded_at
    WHEN :response IS NULL THEN NULL ELSE coalesce(:respondedAt, :now) END,
  response = iif(:responds, :response, response),
  tags = iif(:tagged, :tags, tags), metadata = iif(:described, :metadata, metadata),
  external_id = iif(:identified, :externalId, external_id)`;

const LAST_ACTIVITY_AT = `iif(
    :minor OR coalesce(:title, title) = title AND coalesce(:description, description) = description
      AND coalesce(:status, status) = status AND (NOT :responds OR :response IS NULL OR :response IS response),
    last_activity_at, max(last_activity_at, :now))`;

/**
 * The SET list with this last activity. While `published_at` is NULL, the last activity says it: so it is written with the first
 * activity of an entry that is published already.
 */
const fieldsAt = (lastActivityAt: string): string => `${FIELDS},
  published_at = iif(status = 'implemented' AND coalesce(:status, status) = 'implemented',
    coalesce(published_at, nullif(last_activity_at, ${lastActivityAt})), NULL),
  last_activity_at = ${lastActivityAt}`;

/**
 * The SET list of a change. An edit, a change of status or a new text of the official response is activity, unless it is minor.
 * Sending the current values again is not, and neither is a change that the changelog and the lists do not show as one: of
 * visibility, tags, metadata, external id.
 */
export const CHANGES = fieldsAt(LAST_ACTIVITY_AT);

/** The values of CHANGES. An empty list of tags and empty metadata are stored as NULL. */
export const changeValues = (
  { title, description, status, visibility, response, tags, metadata, externalId, minor = false }: ProposalChanges,
  now: number,
) => ({
  ...{ title, description, status, visibility, minor, now },
  ...wordsOf(title),
  responds: response !== undefined,
  response: response?.text,
  /** A response gets the time of the change, unless an undo restores the earlier time. */
  respondedAt: undefined as number | undefined,
  tagged: tags !== undefined,
  tags: tags?.length ? JSON.stringify(tags) : undefined,
  described: metadata !== undefined,
  metadata: toStored(metadata),
  ...{ identified: externalId !== undefined, externalId },
});

/**
 * A decision of the member `person` about a waiting proposal. It applies only if the author has written it `edits` times;
 * undefined for any number.
 */
export type Decision = { readonly person: string; readonly edits: number | undefined };

/** The condition of a decision. Other changes have no condition. */
const MAY_DECIDE = `(:person IS NULL OR visibility = 'pending' AND duplicate_of IS NULL AND panelist_writes = coalesce(:edits, panelist_writes)
  AND EXISTS (SELECT 1 FROM accounts WHERE id = :accountId AND owner_email = :person
    UNION ALL SELECT 1 FROM members WHERE account_id = :accountId AND email = :person))`;

/** SQL: `submitted` after this change. */
const KEPT_TEXTS = `iif(coalesce(:title, title) = title AND coalesce(:description, description) = description, submitted,
  coalesce(submitted, json_object('title', title, 'description', description)))`;

/**
 * `taken` when another proposal of the idea bank has the new `externalId`. With a `decision`, only a proposal that waits in that
 * state is changed.
 */
export async function updateProposal(
  session: Session,
  {
    accountId,
    path,
    changes,
    now,
    decision,
    keepsSubmitted = false,
    seen,
  }: Seen & {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly changes: ProposalChanges;
    readonly now: number;
    readonly decision?: Decision | undefined;
    /** The texts before the first change of this kind stay readable for the team. */
    readonly keepsSubmitted?: boolean;
  },
): Promise<Proposal | "taken" | null> {
  const values = {
    ...path,
    accountId,
    seen,
    person: decision?.person,
    edits: decision?.edits,
    ...changeValues(changes, now),
  };
  const { updated, owned } = await session.batch({
    updated: prepare<ProposalRow>(
      `UPDATE proposals SET ${CHANGES} ${keepsSubmitted ? `, submitted = ${KEPT_TEXTS}` : ""} WHERE ${OWN_PROPOSAL} AND ${MAY_DECIDE} AND ${asSeen(STATE)} AND NOT (:identified AND EXISTS (
         SELECT 1 FROM proposals o WHERE o.idea_bank_id = :ideaBankId AND o.external_id = :externalId AND o.id <> :proposalId))
       RETURNING ${COLUMNS}`,
      values,
    ),
    owned:
      changes.externalId == null
        ? undefined
        : prepare(`SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL} AND ${asSeen(STATE)}`, values),
  });
  const [row] = updated;
  if (row !== undefined) return toProposal(row);
  return owned?.length === 1 ? "taken" : null;
}

type ProposalChange = {
  readonly accountId: string;
  readonly path: ProposalPath;
  /** The external id cannot be changed here. */
  readonly changes: ProposalChanges;
  readonly now: number;
};

/**
 * The state that a proposal must still have. An absent member is not compared. `edits` counts how often its author has written
 * it.
 */
type ProposalState = Pick<ProposalChanges, "status" | "visibility" | "tags" | "title" | "description" | "response"> & {
  readonly edits?: number;
};

/** `lastActivityAt` before and after a decision that is undone, in Unix milliseconds. It is as before if nothing has happened since. */
type Activity = { readonly before: number; readonly after: number };

/** The statement that changes a proposal if it is in this state: for decisions about several proposals. */
export const changeProposalFrom = (
  { status, visibility, tags, title, description, response, edits }: ProposalState,
  {
    accountId,
    path,
    changes,
    now,
    activity,
    respondedAt,
  }: ProposalChange & { readonly activity?: Activity | undefined; readonly respondedAt?: number | undefined },
): Statement<{ id: string }> =>
  prepare(
    `UPDATE proposals SET ${fieldsAt(`iif(last_activity_at = :activityAfter, :activityBefore, ${LAST_ACTIVITY_AT})`)}
       WHERE ${OWN_PROPOSAL} AND status = coalesce(:fromStatus, status)
       AND visibility = coalesce(:fromVisibility, visibility) AND coalesce(tags, '[]') = coalesce(:fromTags, tags, '[]')
       AND panelist_writes = coalesce(:edits, panelist_writes) AND title = coalesce(:fromTitle, title)
       AND description = coalesce(:fromDescription, description) AND (NOT :fromResponds OR response IS :fromResponse) RETURNING id`,
    {
      ...changeValues(changes, now),
      ...(respondedAt !== undefined && { respondedAt }),
      ...{ fromTitle: title, fromDescription: description },
      ...{ fromResponds: response !== undefined, fromResponse: response?.text },
      ...path,
      accountId,
      fromStatus: status,
      fromVisibility: visibility,
      fromTags: tags && JSON.stringify(tags),
      edits,
      activityBefore: activity?.before,
      activityAfter: activity?.after,
    },
  );

/**
 * Makes it inaccessible at once, and with it the proposals that were merged into it. Their votes and comments are deleted in
 * slices.
 */
export async function deleteProposal(
  session: Session,
  {
    accountId,
    path,
    seen,
    idempotencyKey,
  }: Seen & {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly idempotencyKey?: IdempotencyKey | undefined;
  },
): Promise<IdempotentResult<null>> {
  const sql = `UPDATE proposals SET idea_bank_id = id WHERE ${OWN_PROPOSAL} AND ${asSeen(STATE)} AND ${notDoneBefore()} RETURNING id`;
  const results = await session.batch({
    ...deleteOnce(accountId, { idempotencyKey, sql, values: { ...path, seen } }),
    slice: deleteOfIdeaBank({ accountId }, path.proposalId),
  });
  return toDeleted(results, idempotencyKey);
}

/** `duplicateOf`: one of the two, `merged`, was already merged into that proposal. `busy`: too many merges are under way. */
export type MergeOutcome =
  | { readonly target: Proposal }
  | { readonly duplicateOf: string; readonly merged: "source" | "target" }
  | "busy"
  | null;

/**
 * Marks the proposal as a duplicate of `into`, and moves its votes there, each panelist counted once: the first of them at once,
 * the rest by the scheduled job. This is final. Repeating the same merge changes nothing. Null when one of the two is not in the
 * tenant's idea bank. With a `decision`, only a proposal that waits in that state is merged; otherwise `busy`.
 */
export async function mergeProposal(
  session: Session,
  {
    accountId,
    path,
    into,
    decision,
  }: {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly into: string;
    readonly decision?: Decision | undefined;
  },
): Promise<MergeOutcome> {
  const mergeable = `EXISTS (SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL} AND duplicate_of IS NULL)
    AND EXISTS (SELECT 1 FROM proposals WHERE ${IN_OWN_IDEA_BANK} AND id = :into AND duplicate_of IS NULL)
    AND (SELECT count(*) FROM merges WHERE idea_bank_id = :ideaBankId) < ${MERGES_AT_MOST}`;
  const values = { ...path, accountId, into, person: decision?.person, edits: decision?.edits };
  const { merged, both } = await session.batch({
    merged: prepare(
      `UPDATE proposals SET duplicate_of = :into WHERE ${OWN_PROPOSAL} AND ${MAY_DECIDE} AND ${mergeable} RETURNING id`,
      values,
    ),
    slice: moveSlice(accountId, path.proposalId, AT_ONCE),
    both: prepare<ProposalRow>(
      `SELECT ${COLUMNS} FROM proposals
       WHERE ${IN_OWN_IDEA_BANK} AND id IN (:proposalId, :into) AND ${targetStays("proposals")}`,
      values,
    ),
  });
  const [source, target] = [path.proposalId, into].map((wanted) => both.find(({ id }) => id === wanted));
  if (source === undefined || target === undefined) return null;
  if (target.duplicate_of !== null) return { duplicateOf: target.duplicate_of, merged: "target" };
  if (source.duplicate_of === null || (decision && merged.length === 0)) return "busy";
  if (source.duplicate_of !== into) return { duplicateOf: source.duplicate_of, merged: "source" };
  return { target: toProposal(target) };
}

/** The proposals that were merged into this one, the first 50 of them. */
export const listMerged = (
  session: Session,
  { accountId, proposalId }: { readonly accountId: string; readonly proposalId: string },
): Promise<readonly Named[]> =>
  session.all(
    prepare<Named>(
      "SELECT id, title FROM proposals WHERE duplicate_of = :proposalId AND account_id = :accountId LIMIT 50",
      {
        accountId,
        proposalId,
      },
    ),
  );

/** A proposal by its title. */
export type Named = Pick<Proposal, "id" | "title">;

/** The texts of a proposal before the team put them into its own words for the changelog; null where it has not. */
export async function loadSubmitted(
  session: Session,
  { accountId, path }: { readonly accountId: string; readonly path: ProposalPath },
): Promise<Submitted | null> {
  const sql = `SELECT submitted FROM proposals WHERE ${OWN_PROPOSAL}`;
  const [row] = await session.all(prepare<{ submitted: string | null }>(sql, { accountId, ...path }));
  return row?.submitted == null ? null : JSON.parse(row.submitted);
}

export type Submitted = { readonly title: string; readonly description: string };
