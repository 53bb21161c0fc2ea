/** `/ideabank/proposals/{proposalId}/vote`. */
import { setVote } from "../database/votes/votes.ts";
import { Vote } from "../model/panelist-proposal.ts";
import { PROPOSAL_PROBLEMS, participation } from "./operation.ts";
import { PROPOSAL } from "./proposals.ts";

const VOTE = `${PROPOSAL}/vote`;

export const VOTE_OPERATIONS = {
  vote: participation({
    method: "PUT",
    effect: "adds",
    idempotent: true,
    path: VOTE,
    capability: "canVote",
    answer: Vote,
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "conflict", "quota-exceeded"],
    summary: "Vote for a proposal",
    description: "One vote per panelist. Voting again changes nothing.",
    handle: async (c, { session, token, ids, now }) => {
      const { access, proposal, merged } = await setVote(session, {
        token,
        proposalId: ids.proposalId,
        voted: true,
        now,
      });
      return { access, proposal, final: merged, respond: () => c.json({ voted: true, votes: proposal?.votes ?? 0 }) };
    },
  }),

  unvote: participation({
    method: "DELETE",
    effect: "ends",
    path: VOTE,
    capability: "canVote",
    answer: Vote,
    status: 200,
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "conflict"],
    summary: "Remove a vote",
    description: "Removing a vote again changes nothing.",
    handle: async (c, { session, token, ids, now }) => {
      const { access, proposal, merged } = await setVote(session, {
        token,
        proposalId: ids.proposalId,
        voted: false,
        now,
      });
      return { access, proposal, final: merged, respond: () => c.json({ voted: false, votes: proposal?.votes ?? 0 }) };
    },
  }),
};
