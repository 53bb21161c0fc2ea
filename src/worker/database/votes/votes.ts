/**
 * Rows of `votes`, for the panelist API. The triggers `vote_added`, `vote_removed` and `vote_moved` keep the proposals' counts in the
 * same transaction. Tenants vote for panelists in voters.ts, and who submits a proposal votes for it in panelist-proposals.ts.
 */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import {
  makePanelist,
  permitted,
  SEEN_PROPOSAL,
  selectAccess,
  type TokenClaims,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { votesOnTheWay } from "../proposals/merges.ts";
import { type SeenProposal, selectVisible, toSeen } from "../proposals/panelist-proposals.ts";

/**
 * Adds or removes the panelist's vote. A vote on its way from a merged proposal counts as the panelist's. Idempotent. `proposal`
 * is its state afterwards. One round trip.
 */
export async function setVote(
  session: Session,
  {
    token,
    proposalId,
    voted,
    now,
  }: { readonly token: TokenClaims; readonly proposalId: string; readonly voted: boolean; readonly now: number },
): Promise<SeenProposal> {
  const values = { ...tokenValues(token), proposalId, now };
  const open = `EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)`;
  const write = voted
    ? `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT :proposalId, w.id, b.account_id, b.id, :now ${permitted("canVote")} AND ${open}
         AND NOT EXISTS (SELECT 1 ${votesOnTheWay(":proposalId")})
       ON CONFLICT DO NOTHING`
    : `DELETE FROM votes WHERE panelist_id = :panelistId AND ${open}
         AND proposal_id IN (SELECT :proposalId UNION ALL SELECT source_id FROM merges WHERE target_id = :proposalId)
         AND EXISTS (SELECT 1 ${permitted("canVote")})`;
  const rows = await session.batch({
    made: voted ? makePanelist(token, { capability: "canVote", now, also: { sql: open, values } }) : undefined,
    access: selectAccess(token),
    voted: prepare(write, values),
    seen: selectVisible(token, proposalId),
  });
  return toSeen(rows);
}
