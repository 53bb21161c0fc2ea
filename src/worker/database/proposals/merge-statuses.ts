/** Lists of all statuses, made from indexes that begin with the status. */
import { PROPOSAL_STATUSES, type ProposalStatus } from "../../model/proposal.ts";

/**
 * The union of SELECTs of `id, sort_key, bytes`. If each SELECT's index has the order of the ORDER BY, SQLite merges them row by
 * row, so that a page reads about as many rows as it has. (D1 takes at most five terms in a compound SELECT; nested ones are
 * flattened.)
 */
export function mergeSelects(selects: readonly string[]): string {
  if (selects.length <= TERMS) return selects.join(" UNION ALL ");
  const groups = Array.from({ length: Math.ceil(selects.length / TERMS) }, (_, index) =>
    selects.slice(index * TERMS, (index + 1) * TERMS),
  );
  return mergeSelects(groups.map((group) => `SELECT id, sort_key, bytes FROM (${group.join(" UNION ALL ")})`));
}
const TERMS = 3;

/** One SELECT for each status. */
export const mergeStatuses = (select: (status: ProposalStatus) => string): string =>
  mergeSelects(PROPOSAL_STATUSES.map(select));
