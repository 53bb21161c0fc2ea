import type { Rows } from "./rows.ts";

/**
 * The votes of a panelist that count for a proposal at a moment: the one for it, and those for proposals that are being merged into it.
 * Each is one row, before and after it has moved.
 */
export const votesFor = (rows: Rows, proposalId: string, panelistId: string, moment: number): number => {
  const sources = rows
    .having("merges", "target_id", proposalId)
    .filter((source) => rows.row("merges", source, moment)?.target_id === proposalId);
  return [proposalId, ...sources].filter((id) => rows.row("votes", `${id}/${panelistId}`, moment) !== null).length;
};
