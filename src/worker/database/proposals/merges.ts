/**
 * Merges under way. The trigger `proposal_merged` adds a row of `merges` for each merged proposal; the row is deleted when
 * everything has moved to the target.
 *
 * A vote is one row, before and after it moves. So a panelist who voted for both proposals counts once for the target, at every
 * moment.
 */
import type { Session } from "../../store/session.ts";
import { prepare, type Statement } from "../../store/statement.ts";
import { BY_THE_JOB, startPosition } from "../slices.ts";
import { authorStays } from "./deletions.ts";

/**
 * An idea bank has at most this many merges under way, which bounds the rows that a reader looks up. A small merge ends in its
 * own request.
 */
export const MERGES_AT_MOST = 20;

/**
 * The target of the merged proposal `source`, as an SQL expression. While the target's own merge is under way, it is the target
 * of that one.
 */
export const targetOf = (source: string): string =>
  `coalesce((SELECT m.target_id FROM merges m WHERE m.source_id = ${source}.duplicate_of), ${source}.duplicate_of)`;

/**
 * True when neither the author was deleted with everything, nor the target of a merged proposal deleted. (A deleted proposal itself
 * was moved to another idea bank.)
 */
export const proposalStays = (source: string): string =>
  `(${authorStays(`${source}.author_id`)} AND (${source}.duplicate_of IS NULL OR EXISTS (SELECT 1 FROM proposals t
    WHERE t.id = ${targetOf(source)} AND t.idea_bank_id = ${source}.idea_bank_id AND ${authorStays("t.author_id")})))`;

/**
 * The panelist's votes that are on their way to a proposal, as `FROM … WHERE …`. Merges are read first, because a panelist can
 * have many votes.
 */
export const votesOnTheWay = (target: string, panelist = ":panelistId"): string =>
  `FROM merges m CROSS JOIN votes v ON v.proposal_id = m.source_id AND v.panelist_id = ${panelist} WHERE m.target_id = ${target}`;

/** The statements of one slice of one merge, if it is under way and belongs to the account. Safe to repeat. */
export function moveSlice(accountId: string, proposalId: string, rows: number): Statement[] {
  const target = "(SELECT target_id FROM merges WHERE source_id = :proposalId AND account_id = :accountId)";
  const slice = `(SELECT panelist_id FROM votes WHERE proposal_id = :proposalId ORDER BY panelist_id LIMIT :rows)`;
  const counted = `EXISTS (SELECT 1 FROM votes t WHERE t.proposal_id = ${target} AND t.panelist_id = votes.panelist_id)`;
  return [
    `UPDATE votes SET proposal_id = ${target}
     WHERE proposal_id = :proposalId AND panelist_id IN ${slice} AND ${target} IS NOT NULL AND NOT ${counted}`,
    `DELETE FROM votes WHERE proposal_id = :proposalId AND panelist_id IN ${slice} AND ${counted}`,
    `UPDATE proposals SET duplicate_of = ${target} WHERE ${target} IS NOT NULL
       AND id IN (SELECT id FROM proposals WHERE duplicate_of = :proposalId LIMIT :rows)`,
    `DELETE FROM merges WHERE source_id = :proposalId AND account_id = :accountId
       AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = :proposalId)
       AND NOT EXISTS (SELECT 1 FROM proposals WHERE duplicate_of = :proposalId)`,
  ].map((sql) => prepare(sql, { proposalId, accountId, rows }));
}

const nextMerge = (after: string) =>
  `SELECT * FROM (SELECT source_id, account_id FROM merges WHERE source_id > ${after} ORDER BY source_id LIMIT 1)`;

/** Moves one slice of the merge whose turn it is. Safe to run twice at the same time. False when no merge is under way. */
export async function continueMerge(session: Session, position = startPosition()): Promise<boolean> {
  const merge = await session.first(
    prepare<{ source_id: string; account_id: string }>(`${nextMerge(":after")} UNION ALL ${nextMerge("''")} LIMIT 1`, {
      after: position.id,
    }),
  );
  if (merge === null) return false;
  position.id = merge.source_id;
  await session.batch({ slice: moveSlice(merge.account_id, merge.source_id, BY_THE_JOB) });
  return true;
}
