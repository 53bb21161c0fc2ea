/** Who follows an idea: told of comments, too. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";
import {
  CAN_BE_TOLD,
  permitted,
  SEEN_PROPOSAL,
  selectAccess,
  type TokenClaims,
  tokenValues,
} from "../panelists/panelist-access.ts";
import { type SeenProposal, selectVisible, toSeen } from "../proposals/panelist-proposals.ts";

type Following = {
  readonly token: TokenClaims;
  readonly proposalId: string;
  /** Unix milliseconds. */
  readonly now: number;
};

const OPEN = `EXISTS (${SEEN_PROPOSAL} AND p.duplicate_of IS NULL)`;

/**
 * Follows a proposal. Nothing is written for a panelist who cannot be told. It also switches e-mails about this idea on again, whatever was
 * switched off before: for it, or for one that was merged into it. Idempotent, one round trip.
 */
export async function follow(session: Session, { token, proposalId, now }: Following): Promise<SeenProposal> {
  const values = { ...tokenValues(token), proposalId, now };
  const told = `${permitted("canViewProposals")} AND ${CAN_BE_TOLD} AND ${OPEN}`;
  const rows = await session.batch({
    access: selectAccess(token),
    followed: prepare(
      `INSERT INTO follows (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
       SELECT :proposalId, w.id, b.account_id, b.id, :now ${told}
       ON CONFLICT DO UPDATE SET created_at = excluded.created_at`,
      values,
    ),
    unmuted: prepare(
      `DELETE FROM mutes WHERE (account_id, email) = (SELECT w.account_id, w.email ${told})
         AND (scope_id = :proposalId OR EXISTS (SELECT 1 FROM proposals d WHERE d.id = scope_id AND d.duplicate_of = :proposalId))`,
      values,
    ),
    seen: selectVisible(token, proposalId),
  });
  return toSeen(rows);
}

/** Whoever voted or commented is still told of decisions. Idempotent, one round trip. */
export async function unfollow(session: Session, { token, proposalId }: Omit<Following, "now">): Promise<SeenProposal> {
  const rows = await session.batch({
    access: selectAccess(token),
    unfollowed: prepare(
      `DELETE FROM follows WHERE proposal_id = :proposalId AND panelist_id = :panelistId AND ${OPEN}
         AND EXISTS (SELECT 1 ${permitted("canViewProposals")})`,
      { ...tokenValues(token), proposalId },
    ),
    seen: selectVisible(token, proposalId),
  });
  return toSeen(rows);
}
