/** Rows of `proposals`, for the tenant API. Every function returns null or false for what is not the tenant's. */
import type { Created, IdempotencyKey, Once } from "../model/idempotency-key.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type {
  NewProposal,
  OfficialResponse,
  Proposal,
  ProposalChanges,
  ProposalFilter,
  ProposalStatus,
  Visibility,
} from "../model/proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { insertOnce, mapOnce, NOT_DONE_BEFORE } from "./idempotency.ts";
import { mergeStatuses } from "./merge-statuses.ts";
import { byCreation, pageBindings, toPage } from "./pagination.ts";

type Row = {
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
  created_at: number;
  last_activity_at: number;
};

/** The idea bank ?2, if it exists in the account ?1. Proposals of a deleted idea bank are stored for a while, but not accessible. */
export const OWN_IDEA_BANK = "(SELECT id FROM idea_banks WHERE account_id = ?1 AND id = ?2)";

/** A proposal, and the idea bank that it is in. */
export type ProposalPath = { readonly ideaBankId: string; readonly proposalId: string };

const COLUMNS = `id, title, description, status, visibility, votes, comments, author_id, response, responded_at, duplicate_of,
  created_at, last_activity_at`;

export const toResponse = (text: string | null, respondedAt: number | null): OfficialResponse | null =>
  text === null ? null : { text, respondedAt: toTimestamp(respondedAt ?? 0) };

const toProposal = (row: Row): Proposal => ({
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
  createdAt: toTimestamp(row.created_at),
  lastActivityAt: toTimestamp(row.last_activity_at),
});

/** Filtered by status, by visibility, by both or by neither. Merged proposals are left out. */
export async function listProposals(
  session: D1DatabaseSession,
  accountId: string,
  ideaBankId: string,
  filter: ProposalFilter,
  request: PageRequest,
): Promise<Page<Proposal> | null> {
  const [owned, proposals] = await session.batch([
    session.prepare("SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?2").bind(accountId, ideaBankId),
    session.prepare(selectPage(filter)).bind(accountId, ideaBankId, ...pageBindings(request)),
  ]);
  if (owned?.results.length !== 1) return null;
  return toPage((proposals?.results ?? []) as Row[], request, toProposal, byCreation);
}

/** The filter's values come from a schema's enumerations, so they can be part of the SQL. */
function selectPage({ status, visibility }: ProposalFilter): string {
  const select = (columns: string, filter: ProposalFilter) =>
    `SELECT ${columns} FROM proposals WHERE idea_bank_id = ?2 AND account_id = ?1 AND duplicate_of IS NULL
     ${filter.status === undefined ? "" : `AND status = '${filter.status}'`}
     ${filter.visibility === undefined ? "" : `AND visibility = '${filter.visibility}'`}
     AND (created_at, id) < (?3, ?4)`;
  if (visibility === undefined || status !== undefined)
    return `${select(COLUMNS, { status, visibility })} ORDER BY created_at DESC, id DESC LIMIT ?5`;
  const ids = mergeStatuses((each) => select("id, created_at AS sort_key", { visibility, status: each }));
  return `SELECT ${COLUMNS} FROM proposals WHERE id IN (
      SELECT id FROM (${ids} ORDER BY sort_key DESC, id DESC LIMIT ?5))
    ORDER BY created_at DESC, id DESC`;
}

export async function createProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  input: NewProposal,
  now: number,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<Once<Proposal>> {
  const { title, description, status, visibility } = input;
  const insert = session
    .prepare(
      `INSERT INTO proposals
         (id, account_id, idea_bank_id, title, description, status, visibility, created_at, last_activity_at)
       SELECT ?3, ?1, ?4, ?5, ?6, ?7, ?8, ?9, ?9
       WHERE EXISTS (SELECT 1 FROM idea_banks WHERE account_id = ?1 AND id = ?4) AND ${NOT_DONE_BEFORE}
       RETURNING id`,
    )
    .bind(accountId, idempotencyKey?.key ?? null, proposalId, ideaBankId, title, description, status, visibility, now);
  const created: Created = { id: proposalId, at: now };
  const { once } = await insertOnce(session, { accountId }, idempotencyKey, insert, created);
  return mapOnce(once, ({ id, at }) => ({
    id,
    ...input,
    votes: 0,
    comments: 0,
    panelistId: null,
    response: null,
    duplicateOf: null,
    createdAt: toTimestamp(at),
    lastActivityAt: toTimestamp(at),
  }));
}

export async function loadProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
): Promise<Proposal | null> {
  const row = await session
    .prepare(`SELECT ${COLUMNS} FROM proposals WHERE account_id = ?1 AND idea_bank_id = ${OWN_IDEA_BANK} AND id = ?3`)
    .bind(accountId, ideaBankId, proposalId)
    .first<Row>();
  return row && toProposal(row);
}

/**
 * An edit, a change of status or a new text of the official response is activity. Sending the current values again is not, and
 * neither is a change of visibility.
 */
export async function updateProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  { title, description, status, visibility, response }: ProposalChanges,
  now: number,
): Promise<Proposal | null> {
  const row = await session
    .prepare(
      `UPDATE proposals SET title = coalesce(?4, title), description = coalesce(?5, description),
         status = coalesce(?6, status), visibility = coalesce(?7, visibility),
         responded_at = CASE WHEN NOT ?8 OR ?9 IS response THEN responded_at WHEN ?9 IS NULL THEN NULL ELSE ?10 END,
         response = iif(?8, ?9, response),
         last_activity_at = iif(
           coalesce(?4, title) = title AND coalesce(?5, description) = description AND coalesce(?6, status) = status
             AND (NOT ?8 OR ?9 IS NULL OR ?9 IS response),
           last_activity_at, max(last_activity_at, ?10))
       WHERE account_id = ?1 AND idea_bank_id = ${OWN_IDEA_BANK} AND id = ?3 RETURNING ${COLUMNS}`,
    )
    .bind(
      accountId,
      ideaBankId,
      proposalId,
      title ?? null,
      description ?? null,
      status ?? null,
      visibility ?? null,
      Number(response !== undefined),
      response?.text ?? null,
      now,
    )
    .first<Row>();
  return row && toProposal(row);
}

/** Its votes, its comments and the proposals that were merged into it are deleted too. */
export async function deleteProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
): Promise<boolean> {
  const row = await session
    .prepare(`DELETE FROM proposals WHERE account_id = ?1 AND idea_bank_id = ${OWN_IDEA_BANK} AND id = ?3 RETURNING id`)
    .bind(accountId, ideaBankId, proposalId)
    .first();
  return row !== null;
}

/** `duplicateOf`: one of the two is already merged into that proposal. */
export type MergeOutcome = { readonly target: Proposal } | { readonly duplicateOf: string } | null;

/**
 * Combines the votes, each panelist counted once, and marks the proposal as a duplicate of `into`. This is final. Repeating the
 * same merge changes nothing. Null when one of the two is not in the tenant's idea bank.
 */
export async function mergeProposal(
  session: D1DatabaseSession,
  accountId: string,
  { ideaBankId, proposalId }: ProposalPath,
  into: string,
): Promise<MergeOutcome> {
  const own = `account_id = ?1 AND idea_bank_id = ${OWN_IDEA_BANK}`;
  const mergeable = `EXISTS (SELECT 1 FROM proposals WHERE ${own} AND id = ?3 AND duplicate_of IS NULL)
    AND EXISTS (SELECT 1 FROM proposals WHERE ${own} AND id = ?4 AND duplicate_of IS NULL)`;
  const bindings = [accountId, ideaBankId, proposalId, into];
  const [, , , found] = await session.batch([
    session
      .prepare(
        `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
         SELECT ?4, panelist_id, account_id, idea_bank_id, created_at FROM votes WHERE proposal_id = ?3 AND ${mergeable}
         ON CONFLICT DO NOTHING`,
      )
      .bind(...bindings),
    // Proposals that were merged into this one become duplicates of the same target.
    session
      .prepare(`UPDATE proposals SET duplicate_of = ?4 WHERE ${own} AND duplicate_of = ?3 AND ${mergeable}`)
      .bind(...bindings),
    session
      .prepare(`UPDATE proposals SET duplicate_of = ?4 WHERE ${own} AND id = ?3 AND ${mergeable}`)
      .bind(...bindings),
    session.prepare(`SELECT ${COLUMNS} FROM proposals WHERE ${own} AND id IN (?3, ?4)`).bind(...bindings),
  ]);
  const rows = (found?.results ?? []) as Row[];
  const source = rows.find(({ id }) => id === proposalId);
  const target = rows.find(({ id }) => id === into);
  if (source === undefined || target === undefined) return null;
  if (target.duplicate_of !== null) return { duplicateOf: target.duplicate_of };
  if (source.duplicate_of !== into) return { duplicateOf: source.duplicate_of ?? into };
  return { target: toProposal(target) };
}
