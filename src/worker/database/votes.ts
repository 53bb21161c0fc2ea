/** Rows of `votes`. Triggers keep the proposals' counts in the same transaction. */
import { bindToken, permitted, selectAccess, type TokenClaims, toAccess, VISIBLE } from "./panelist-access.ts";
import { type SeenProposal, selectVisible, toVisible } from "./panelist-proposals.ts";

/** Adds or removes the panelist's vote. Idempotent. `proposal` is its state afterwards. One round trip. */
export async function setVote(
  session: D1DatabaseSession,
  token: TokenClaims,
  proposalId: string,
  voted: boolean,
  now: number,
): Promise<SeenProposal> {
  const open = `p.idea_bank_id = ?1 AND p.duplicate_of IS NULL AND ${VISIBLE}`;
  const write = voted
    ? session
        .prepare(
          `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
           SELECT ?4, w.id, b.account_id, b.id, ?5 ${permitted("canVote")}
             AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = ?4 AND ${open})
           ON CONFLICT DO NOTHING`,
        )
        .bind(...bindToken(token), proposalId, now)
    : session
        .prepare(
          `DELETE FROM votes WHERE proposal_id = ?4 AND panelist_id = ?2
             AND EXISTS (SELECT 1 FROM proposals p WHERE p.id = ?4 AND ${open})
             AND EXISTS (SELECT 1 ${permitted("canVote")})`,
        )
        .bind(...bindToken(token), proposalId);
  const [access, , seen] = await session.batch([
    selectAccess(session, token),
    write,
    selectVisible(session, token, proposalId),
  ]);
  return { access: toAccess(access), proposal: toVisible(seen) };
}
