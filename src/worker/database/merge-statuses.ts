/** Lists of all statuses from indexes that begin with the status. */
import { PROPOSAL_STATUSES, type ProposalStatus } from "../model/proposal.ts";

/**
 * The union of one SELECT of `id, sort_key, bytes` for each status. If every SELECT's index has the order of the ORDER BY, SQLite merges them
 * row by row, so that a page reads about as many rows as it has. (D1 takes at most five terms in a compound SELECT; nested
 * ones are flattened.)
 */
export function mergeStatuses(select: (status: ProposalStatus) => string): string {
  const union = (statuses: readonly ProposalStatus[]) =>
    `SELECT id, sort_key, bytes FROM (${statuses.map(select).join(" UNION ALL ")})`;
  return `${union(PROPOSAL_STATUSES.slice(0, 3))} UNION ALL ${union(PROPOSAL_STATUSES.slice(3))}`;
}
