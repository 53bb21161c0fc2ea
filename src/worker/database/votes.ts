/** Rows of `votes`. Triggers keep the proposals' counts in the same transaction. */
import { permitted, SEEN_PROPOSAL, selectAccess, type TokenClaims, tokenValues } from "./panelist-access.ts";
import { type SeenProposal, selectVisible, toSeen } from "./panelist-proposals.ts";
import { prepare } from "./statement.ts";

/** Adds or removes the panelist's vote. Idempotent. `proposal` is its state afterwards. One round trip. */
export async function setVote(
  session: D1DatabaseSession,
  token: TokenClaims,
  proposalId: string,
  voted: boolean,
  now: number,
): Promise<SeenProposal> {
  const values = { ...tokenValues(token), proposalId, now };
  const open = `EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)`;
  const write = voted
    ? `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT :proposalId, w.id, b.account_id, b.id, :now ${permitted("canVote")} AND ${open}
       ON CONFLICT DO NOTHING`
    : `DELETE FROM votes WHERE proposal_id = :proposalId AND panelist_id = :panelistId AND ${open}
         AND EXISTS (SELECT 1 ${permitted("canVote")})`;
  const [access, , seen] = await session.batch([
    selectAccess(session, token),
    prepare(session, write, values),
    selectVisible(session, token, proposalId),
  ]);
  return toSeen(access, seen);
}
