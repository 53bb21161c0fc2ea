/** `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes`. */
import { listVoters, setVoteFor, type VoteOutcome } from "../database/voters.ts";
import { mergedInto } from "../http/merged-proposal.ts";
import { respondPage } from "../http/pagination.ts";
import type { Vote } from "../model/panelist-proposal.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_VOTE_OPERATIONS } from "./operations/votes.ts";
import { noSuchPanelist, owned } from "./refuse-foreign.ts";

/** Throws `conflict` for a merged proposal, and `forbidden`. `inPath`: the path names the panelist. */
function toVote(found: VoteOutcome, voted: boolean, inPath: boolean): Vote {
  const outcome = owned(found === "no-panelist" && inPath ? null : found);
  if (outcome === "no-panelist") throw noSuchPanelist();
  if ("duplicateOf" in outcome) throw mergedInto(outcome.duplicateOf);
  return { voted, votes: outcome.votes };
}

export const TENANT_VOTE_HANDLERS: TenantHandlers<typeof TENANT_VOTE_OPERATIONS> = {
  listVotes: async (c, { session, accountId, ids, page }) => {
    const { items, next } = owned(await listVoters(session, accountId, ids, page));
    if (c.get("tenant").scopes.includes("panelists:read")) return respondPage(c, { items, next });
    return respondPage(c, { items: items.map((voter) => ({ ...voter, externalId: null, displayName: null })), next });
  },

  voteFor: async (c, { session, accountId, ids, body, now }) =>
    c.json(toVote(await setVoteFor(session, accountId, ids, body, true, now), true, false)),

  putVote: async (c, { session, accountId, ids, now }) =>
    c.json(toVote(await setVoteFor(session, accountId, ids, ids, true, now), true, true)),

  deleteVote: async (c, { session, accountId, ids, now }) =>
    c.json(toVote(await setVoteFor(session, accountId, ids, ids, false, now), false, true)),
};
