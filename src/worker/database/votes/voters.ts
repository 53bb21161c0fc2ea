/** Rows of `votes`, for the tenant API: the voters of a proposal, and votes that the tenant gives or takes for a panelist. */
import type { NamedPanelist } from "../../model/acting-for.ts";
import type { Page, PageRequest } from "../../model/pagination.ts";
import { toTimestamp } from "../../model/text.ts";
import type { PanelistVote, Voter } from "../../model/voter.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import { FIRST_UNKNOWN, NAMED_LIST, namedPanelist, namedValues } from "../acting-for.ts";
import { byCreation, pageValues, toPage } from "../pagination.ts";
import { targetOf, votesOnTheWay } from "../proposals/merges.ts";
import { ACCESSIBLE_PROPOSAL, OWN_PROPOSAL, type ProposalPath } from "../proposals/proposals.ts";

type Row = {
  id: string;
  stays: number;
  external_id: string | null;
  display_name: string | null;
  created_at: number;
};

const toVoter = (row: Row): Voter => ({
  panelistId: row.id,
  externalId: row.external_id,
  displayName: row.display_name,
  at: toTimestamp(row.created_at),
});

/**
 * In the order of the panelists' identifiers, because the order of time would need an index that each vote would write. Votes on
 * their way from a merged proposal are listed at that proposal. While panelists are being deleted, a page has less than its
 * limit.
 */
export async function listVoters(
  session: Session,
  {
    accountId,
    path,
    request,
  }: { readonly accountId: string; readonly path: ProposalPath; readonly request: PageRequest },
): Promise<Page<Voter> | null> {
  const values = { ...path, accountId, ...pageValues(request, "ascending") };
  const { owned, listed } = await session.batch({
    owned: prepare(`SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL}`, values),
    listed: prepare<Row>(
      `SELECT v.panelist_id AS id, w.id IS NOT NULL AS stays, w.external_id, w.display_name, v.created_at
       FROM votes v LEFT JOIN panelists w ON w.id = v.panelist_id AND w.deleted_at IS NULL
       WHERE v.proposal_id = :proposalId AND v.account_id = :accountId AND v.panelist_id > :afterId
       ORDER BY v.panelist_id LIMIT :rows`,
      values,
    ),
  });
  if (owned.length !== 1) return null;
  return toPage(listed, { request, toItem: toVoter, keyOf: () => 0 });
}

/** Of a proposal of the account, counted up to `most`. */
export async function countVoters(
  session: Session,
  { accountId, path }: { readonly accountId: string; readonly path: ProposalPath },
  most: number,
): Promise<number> {
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM votes WHERE proposal_id = :proposalId AND account_id = :accountId LIMIT ${most})`;
  return (await session.first(prepare<{ count: number }>(sql, { accountId, ...path })))?.count ?? 0;
}

type VoteRow = { id: string; idea_bank_id: string; title: string | null; created_at: number };

/**
 * The votes of a panelist: by idea bank, then the latest first. `gone` when the last vote of the previous page was taken back,
 * because only its row has the place. Null for a panelist that is not the tenant's.
 */
export async function listVotesOf(
  session: Session,
  of: { readonly accountId: string; readonly panelistId: string },
  request: PageRequest,
): Promise<Page<PanelistVote> | "gone" | null> {
  const values = { ...of, ...pageValues(request) };
  const after = "(SELECT idea_bank_id FROM votes WHERE proposal_id = :afterId AND panelist_id = :panelistId)";
  const { owned, place, listed } = await session.batch({
    owned: prepare(
      "SELECT 1 FROM panelists WHERE id = :panelistId AND account_id = :accountId AND deleted_at IS NULL",
      values,
    ),
    place: prepare(`SELECT 1 WHERE ${after} IS NOT NULL`, values),
    listed: prepare<VoteRow>(
      `SELECT v.proposal_id AS id, v.idea_bank_id, v.created_at,
         (SELECT title FROM proposals WHERE id = v.proposal_id AND ${ACCESSIBLE_PROPOSAL}) AS title
       FROM votes v WHERE v.panelist_id = :panelistId AND v.account_id = :accountId
         ${request.after === undefined ? "" : `AND (v.idea_bank_id, v.created_at, v.proposal_id) < (${after}, :afterKey, :afterId)`}
       ORDER BY v.idea_bank_id DESC, v.created_at DESC, v.proposal_id DESC LIMIT :rows`,
      values,
    ),
  });
  if (owned.length !== 1) return null;
  if (request.after !== undefined && place.length !== 1) return "gone";
  const { items, next } = toPage(listed, { request, toItem: (row) => row, keyOf: byCreation });
  return { items: items.flatMap(({ title, ...row }) => (title === null ? [] : [toVote(row, title)])), next };
}

const toVote = ({ id, idea_bank_id, created_at }: Omit<VoteRow, "title">, title: string): PanelistVote => ({
  ideaBankId: idea_bank_id,
  proposalId: id,
  title,
  at: toTimestamp(created_at),
});

const TAKES_VOTES = `EXISTS (SELECT 1 FROM proposals WHERE ${OWN_PROPOSAL} AND duplicate_of IS NULL)`;

/**
 * `isChanged`: the vote was not so before. `duplicateOf`: the proposal was merged into that one. `no-panelist`: the tenant has no
 * such panelist.
 */
export type VoteOutcome =
  | { readonly votes: number; readonly isChanged: boolean }
  | { readonly duplicateOf: string }
  | "no-panelist"
  | null;

/**
 * Adds or removes a panelist's vote. A vote on its way from a merged proposal counts as the panelist's. Idempotent. Null for a
 * proposal that is not the tenant's.
 */
export async function setVoteFor(
  session: Session,
  {
    accountId,
    path,
    named,
    voted,
    now,
  }: {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly named: NamedPanelist;
    readonly voted: boolean;
    readonly now: number;
  },
): Promise<VoteOutcome> {
  const values = { ...path, accountId, ...namedValues(named), now };
  const panelist = namedPanelist(named);
  const write = voted
    ? `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT :proposalId, ${panelist}, :accountId, :ideaBankId, :now WHERE ${panelist} IS NOT NULL AND ${TAKES_VOTES}
         AND NOT EXISTS (SELECT 1 ${votesOnTheWay(":proposalId", panelist)})
       ON CONFLICT DO NOTHING`
    : `DELETE FROM votes WHERE panelist_id = ${panelist} AND ${TAKES_VOTES}
         AND proposal_id IN (SELECT :proposalId UNION ALL SELECT source_id FROM merges WHERE target_id = :proposalId)`;
  const { written, found } = await session.batch({
    written: prepare(`${write} RETURNING 1`, values),
    found: prepare<{ votes: number; duplicate_of: string | null; panelist_id: string | null }>(
      `SELECT votes, ${targetOf("proposals")} AS duplicate_of, ${panelist} AS panelist_id FROM proposals WHERE ${OWN_PROPOSAL}`,
      values,
    ),
  });
  const [row] = found;
  if (row === undefined) return null;
  if (row.panelist_id === null) return "no-panelist";
  if (row.duplicate_of !== null) return { duplicateOf: row.duplicate_of };
  return { votes: row.votes, isChanged: written.length > 0 };
}

/**
 * Adds the votes of all `voters`, or of none when one of them does not exist: then `unknown` is its place among them. Idempotent. Null
 * for a proposal that is not the tenant's.
 */
export async function addVotesFor(
  session: Session,
  {
    accountId,
    path,
    voters,
    now,
  }: {
    readonly accountId: string;
    readonly path: ProposalPath;
    readonly voters: readonly NamedPanelist[];
    readonly now: number;
  },
): Promise<{ readonly votes: number } | { readonly duplicateOf: string } | { readonly unknown: number } | null> {
  const values = { ...path, accountId, now, list: JSON.stringify(voters) };
  const { found } = await session.batch({
    voted: prepare(
      `WITH ${NAMED_LIST}
       INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT :proposalId, panelist, :accountId, :ideaBankId, :now FROM named
       WHERE (${FIRST_UNKNOWN}) IS NULL AND ${TAKES_VOTES} AND NOT EXISTS (SELECT 1 ${votesOnTheWay(":proposalId", "named.panelist")})
       ON CONFLICT DO NOTHING`,
      values,
    ),
    found: prepare<{ votes: number; duplicate_of: string | null; unknown: number | null }>(
      `WITH ${NAMED_LIST}
       SELECT votes, ${targetOf("proposals")} AS duplicate_of, (${FIRST_UNKNOWN}) AS unknown FROM proposals WHERE ${OWN_PROPOSAL}`,
      values,
    ),
  });
  const [row] = found;
  if (row === undefined) return null;
  if (row.unknown !== null) return { unknown: row.unknown };
  return row.duplicate_of === null ? { votes: row.votes } : { duplicateOf: row.duplicate_of };
}
