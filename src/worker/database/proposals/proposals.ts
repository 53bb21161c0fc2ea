/** Rows of `proposals`, for the tenant API. Every function returns null or false for a row that is not the tenant's. */

import type { IdempotencyKey, IdempotentResult } from "../../model/idempotency-key.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import { PROPOSAL_STATUSES, Proposal, type ProposalChanges, type ProposalFilter } from "../../model/proposal.ts";
import type { Seen, Stored } from "../../model/stored-state.ts";
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { deleteOnce, notDoneBefore, toDeleted } from "../idempotency.ts";
import { type Telling, tell } from "../mails/outbox.ts";
import { isMember } from "../members/membership.ts";
import { FIT, FITTING_ROWS, fitOf, pageValues, toPage } from "../pagination.ts";
import { existingPanelist, notBlockedSince } from "../panelists/panelists.ts";
import { AT_ONCE } from "../slices.ts";
import { asSeen, withState } from "../stored-state.ts";
import { authorStays, deleteOfIdeaBank } from "./deletions.ts";
import { mergeSelects } from "./merge-statuses.ts";
import { MERGES_AT_MOST, moveSlice, proposalStays, targetOf } from "./merges.ts";
import {
  differs,
  FIELD_COLUMNS,
  type FieldsRow,
  hasFields,
  inOrder,
  isActivity,
  PROPOSAL_BYTES,
  setFields,
  toFields,
  valuesOf,
} from "./proposal-fields.ts";
import { hasTag, selectTagged } from "./tags.ts";
import { FOUND_AT_MOST, SET_TERMS, type Search, searchFor, termsOf } from "./words.ts";

export type ProposalRow = FieldsRow & {
  id: string;
  votes: number;
  comments: number;
  author_id: string | null;
  duplicate_of: string | null;
  merging: number;
  created_at: number;
  last_activity_at: number;
  fit?: number;
  stays?: number;
};

/**
 * A row in the path's idea bank, if the account has it. The rows of a deleted idea bank stay stored for a while, but are not
 * accessible.
 */
const IN_OWN_IDEA_BANK = `account_id = :accountId
  AND idea_bank_id = (SELECT id FROM idea_banks WHERE account_id = :accountId AND id = :ideaBankId)`;
/** The path's proposal, if the account has it. */
export const OWN_PROPOSAL = `${IN_OWN_IDEA_BANK} AND id = :proposalId AND ${proposalStays("proposals")}`;

/** The proposal with the tenant's own id, if the account has it. */
export const OWN_BY_EXTERNAL_ID = `${IN_OWN_IDEA_BANK} AND external_id = :externalId AND ${proposalStays("proposals")}`;

/** True when neither the proposal, nor its idea bank, nor its merge target was deleted. */
export const ACCESSIBLE_PROPOSAL = `EXISTS (SELECT 1 FROM idea_banks b WHERE b.id = proposals.idea_bank_id) AND ${proposalStays("proposals")}`;

/** A proposal and its idea bank. */
export type ProposalPath = { readonly ideaBankId: string; readonly proposalId: string };

export const COLUMNS = `id, ${FIELD_COLUMNS}, votes, comments, responded_at, created_at, last_activity_at,
  ${existingPanelist("author_id")} AS author_id, ${targetOf("proposals")} AS duplicate_of,
  EXISTS (SELECT 1 FROM merges WHERE source_id = proposals.id)
    OR EXISTS (SELECT 1 FROM merges WHERE target_id = proposals.id) AS merging`;

/** The columns of a list. */
const LISTED_COLUMNS = `${COLUMNS}, ${authorStays("proposals.author_id")} AS stays`;

/** The columns that a change can set. Votes and comments are not among them. */
export const STATE = `json_array(${FIELD_COLUMNS}, responded_at)`;

export const ordered = inOrder(Proposal);

export const toProposal = (row: ProposalRow): Proposal =>
  ordered({
    ...{ id: row.id, ...toFields(row), votes: row.votes, comments: row.comments, panelistId: row.author_id },
    duplicateOf: row.duplicate_of,
    merging: row.merging === 1,
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
    SELECT ${LISTED_COLUMNS}, sort_key, ${FIT} FROM (SELECT id AS page_id, sort_key FROM page ORDER BY sort_key DESC, id DESC LIMIT ${FITTING_ROWS})
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
     ${inOrder(`${LISTED_COLUMNS}, ${key} AS sort_key, ${FIT}`, condition)} LIMIT ${FITTING_ROWS}`;

  if (panelistId !== undefined)
    return direct(
      `author_id = :panelistId AND ${proposalStays("proposals")} AND ${existingPanelist("author_id")} IS NOT NULL`,
    );
  if (externalId !== undefined) {
    const tagged = tag === undefined ? "" : ` AND ${hasTag("proposals")}`;
    const named = status === undefined ? "" : ` AND status IN (${quoted(status)})`;
    return direct(`external_id = :externalId AND ${proposalStays("proposals")}${tagged}${named}${visible}`);
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
    SELECT ${LISTED_COLUMNS}, ${key} AS sort_key, ${FIT} FROM proposals
    WHERE id IN (SELECT id FROM page ORDER BY sort_key DESC, id DESC LIMIT ${FITTING_ROWS}) ORDER BY ${key} DESC, id DESC`;
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

/**
 * The SET list of a change. An edit, a change of status or a new text of the official response is activity, unless it is minor.
 * Sending the current values again is not, and neither is a change that the changelog and the lists do not show as one: of
 * visibility, tags, metadata, external id. While `published_at` is NULL, the last activity says it: so it is written with the first
 * activity of an entry that is published already. `isUndone`: the last activity is as before, if nothing has happened since.
 */
export function setChanges({ minor = false, notify: _, ...changes }: ProposalChanges, isUndone = false): string {
  const active = minor ? undefined : isActivity(changes);
  const moved = active && `iif(${active}, max(last_activity_at, :now), last_activity_at)`;
  const at = isUndone
    ? `iif(last_activity_at = :activityAfter, :activityBefore, ${moved ?? "last_activity_at"})`
    : moved;
  return [
    ...setFields(changes),
    ...((changes.title ?? changes.description) === undefined ? [] : [SET_TERMS]),
    ...(changes.response === undefined ? [] : [RESPONDED_AT]),
    `published_at = iif(status = 'implemented' AND coalesce(:status, status) = 'implemented',
      coalesce(published_at, nullif(last_activity_at, ${at ?? "last_activity_at"})), NULL)`,
    ...(at === undefined ? [] : [`last_activity_at = ${at}`]),
  ].join(", ");
}

const RESPONDED_AT = `responded_at = CASE WHEN :response IS response THEN responded_at
    WHEN :response IS NULL THEN NULL ELSE coalesce(:respondedAt, :now) END`;

/** The values of `setChanges`. */
export const changeValues = (changes: ProposalChanges, now: number) => ({
  ...valuesOf(changes),
  ...termsOf(changes),
  now,
  /** A response gets the time of the change, unless an undo restores the earlier time. */
  respondedAt: undefined as number | undefined,
});

/**
 * A decision of the member `person` about a waiting proposal. It applies only if the author has written it `edits` times;
 * undefined for any number.
 */
type Decision = { readonly person: string; readonly edits: number | undefined };

/** The condition of a decision. Other changes have no condition. */
const MAY_DECIDE = `(:person IS NULL OR visibility = 'pending' AND duplicate_of IS NULL AND panelist_writes = coalesce(:edits, panelist_writes)
  AND ${isMember()})`;

/** SQL: `submitted` after this change. */
const KEPT_TEXTS = `iif(coalesce(:title, title) = title AND coalesce(:description, description) = description, submitted,
  coalesce(submitted, json_object('title', title, 'description', description)))`;

/**
 * `taken` when another proposal of the idea bank has the new `externalId`. With a `decision`, only a proposal that waits in that
 * state is changed; with `opened`, only one that has these values.
 */
export async function updateProposal(
  session: Session,
  {
    accountId,
    path,
    changes,
    now,
    opened = {},
    decision,
    keepsSubmitted = false,
    telling,
    seen,
  }: Seen & {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly changes: ProposalChanges;
    readonly now: number;
    /** What a form was opened with of what it changes. Where that is no longer so, nothing is changed. */
    readonly opened?: ProposalFields | undefined;
    readonly decision?: Decision | undefined;
    /** The texts before the first change of this kind stay readable for the team. */
    readonly keepsSubmitted?: boolean;
    /** Without it nobody is told. */
    readonly telling?: Telling | undefined;
  },
): Promise<Proposal | "taken" | null> {
  const values = {
    ...path,
    accountId,
    seen,
    person: decision?.person,
    edits: decision?.edits,
    ...changeValues(changes, now),
    ...valuesOf(opened, "was"),
  };
  const mayChange = `${OWN_PROPOSAL} AND ${MAY_DECIDE} AND ${asSeen(STATE)} AND ${hasFields(opened)} AND NOT EXISTS (
    SELECT 1 FROM proposals o WHERE o.idea_bank_id = :ideaBankId AND o.external_id = :externalId AND o.id <> :proposalId)`;
  const when = Object.keys(opened).length > 0 ? { condition: mayChange, values } : undefined;
  const { accepted, found, owned } = await session.batch({
    accepted: prepare(`SELECT 1 FROM proposals WHERE ${mayChange}`, values),
    told: tell({ accountId, ...path }, { changes, telling, now, when }),
    updated: prepare(
      `UPDATE proposals SET ${setChanges(changes)} ${keepsSubmitted ? `, submitted = ${KEPT_TEXTS}` : ""} WHERE ${mayChange} AND ${differs(changes)}`,
      values,
    ),
    found: prepare<ProposalRow>(`SELECT ${COLUMNS} FROM proposals WHERE ${OWN_PROPOSAL}`, values),
    owned:
      changes.externalId == null
        ? undefined
        : prepare(`SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL} AND ${asSeen(STATE)}`, values),
  });
  const [row] = found;
  if (accepted.length === 1 && row !== undefined) return toProposal(row);
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
export type ProposalState = ProposalFields & { readonly edits?: number };

export type ProposalFields = Omit<ProposalChanges, "minor" | "notify">;

/** `lastActivityAt` before and after a decision that is undone, in Unix milliseconds. It is as before if nothing has happened since. */
type Activity = { readonly before: number; readonly after: number };

/** The clock of D1, which dates the steps of a history, and that of a Worker differ by less. */
const CLOCKS_APART_MS = 10_000;
/** SQL: it does not wait with a text that its author has written since `:since`, because nobody has read that one. */
const IS_READ = `(visibility <> 'pending' OR :since - ${CLOCKS_APART_MS} > coalesce((SELECT made_at FROM proposal_steps
  WHERE proposal_id = :proposalId AND by_author = 1 ORDER BY number DESC LIMIT 1), 0))`;

/** What an undo of a decision at the time `:since` needs besides: people read nothing by it that was ended or not read. */
const mayReturn = ({ visibility, title, description }: ProposalChanges): string =>
  [
    ...(visibility === "public" ? [IS_READ] : []),
    ...(visibility === "public" || (title ?? description) !== undefined ? [notBlockedSince("author_id")] : []),
  ].join(" AND ") || "TRUE";

/** SQL: the account's proposal is in this state, with the values. */
export const inState = (
  { edits, ...fields }: ProposalState,
  { accountId, path }: Pick<ProposalChange, "accountId" | "path">,
) => ({
  condition: `${OWN_PROPOSAL} AND ${hasFields(fields)} AND panelist_writes = coalesce(:edits, panelist_writes)`,
  values: { ...valuesOf(fields, "was"), ...path, accountId, edits },
});

/**
 * The statement that changes a proposal if it is in this state: for decisions about several proposals. `since`: it undoes a decision of that
 * time (Unix milliseconds).
 */
export const changeProposalFrom = (
  state: ProposalState,
  {
    accountId,
    path,
    changes,
    now,
    activity,
    respondedAt,
    keepsSubmitted = false,
    since,
  }: ProposalChange & {
    readonly activity?: Activity | undefined;
    readonly respondedAt?: number | undefined;
    readonly keepsSubmitted?: boolean | undefined;
    readonly since?: number | undefined;
  },
): Statement<{ id: string }> => {
  const { condition, values } = inState(state, { accountId, path });
  return prepare(
    `UPDATE proposals SET ${setChanges(changes, activity !== undefined)} ${keepsSubmitted ? `, submitted = ${KEPT_TEXTS}` : ""}
       WHERE ${condition} AND ${since === undefined ? "TRUE" : mayReturn(changes)} RETURNING id`,
    {
      ...changeValues(changes, now),
      ...(respondedAt !== undefined && { respondedAt }),
      ...values,
      activityBefore: activity?.before,
      activityAfter: activity?.after,
      since,
    },
  );
};

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
type MergeOutcome =
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
    AND EXISTS (SELECT 1 FROM proposals WHERE ${IN_OWN_IDEA_BANK} AND id = :into AND duplicate_of IS NULL AND ${proposalStays("proposals")})
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
       WHERE ${IN_OWN_IDEA_BANK} AND id IN (:proposalId, :into) AND ${proposalStays("proposals")}`,
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

/** The whole texts of these proposals of the account, by their identifiers. */
export async function loadTexts(
  session: Session,
  { accountId, ids }: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, Submitted>> {
  const sql = `SELECT id, title, description FROM proposals p
    WHERE id IN (SELECT value FROM json_each(:ids)) AND +account_id = :accountId AND ${proposalStays("p")}`;
  const rows = await session.all(prepare<Submitted & { id: string }>(sql, { accountId, ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, title, description }) => [id, { title, description }]));
}

/** The proposals that were merged into this one and are not deleted, of the first 50. */
export const listMerged = (
  session: Session,
  { accountId, proposalId }: { readonly accountId: string; readonly proposalId: string },
): Promise<readonly Named[]> =>
  session.all(
    prepare<Named>(
      `SELECT id, title FROM (SELECT id, title, author_id, idea_bank_id FROM proposals WHERE duplicate_of = :proposalId AND account_id = :accountId LIMIT 50)
       WHERE idea_bank_id <> id AND ${authorStays("author_id")}`,
      {
        accountId,
        proposalId,
      },
    ),
  );

/** A proposal by its title. */
export type Named = Pick<Proposal, "id" | "title">;

/**
 * A proposal as the team sees it. `submitted`: its texts before the team put them into its own words for the changelog; null where it
 * has not. `edits`: how often its author had written these texts.
 */
type TeamsProposal = {
  readonly idea: Proposal;
  readonly submitted: Submitted | null;
  readonly edits: number;
};

export async function loadAsTeam(
  session: Session,
  { accountId, path }: { readonly accountId: string; readonly path: ProposalPath },
): Promise<TeamsProposal | null> {
  const row = await session.first(
    prepare<ProposalRow & { submitted: string | null; panelist_writes: number }>(
      `SELECT ${COLUMNS}, submitted, panelist_writes FROM proposals WHERE ${OWN_PROPOSAL}`,
      { accountId, ...path },
    ),
  );
  if (row === null) return null;
  const submitted = row.submitted === null ? null : JSON.parse(row.submitted);
  return { idea: toProposal(row), submitted, edits: row.panelist_writes };
}

export type Submitted = { readonly title: string; readonly description: string };
