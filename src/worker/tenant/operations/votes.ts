/** `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes`. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { PageQuery } from "../../model/pagination.ts";
import { Vote } from "../../model/panelist-proposal.ts";
import { NewVote, Voter } from "../../model/voter.ts";

const VOTES = "/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes";
const VOTE = `${VOTES}/{panelistId}`;
const read = apiKey("ideabanks:read");
const write = apiKey("ideabanks:write");

export const TENANT_VOTE_OPERATIONS = {
  listVotes: { method: "GET", path: VOTES, credential: read, query: PageQuery },
  voteFor: { method: "POST", path: VOTES, credential: write, body: NewVote, idempotent: true },
  putVote: { method: "PUT", path: VOTE, credential: write },
  deleteVote: { method: "DELETE", path: VOTE, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Votes", description: "Who votes for a proposal, and votes that you give for a panelist." };
  const description =
    "Repeating it changes nothing. Only your right counts: the idea bank may be closed, and voting may be off. A merged proposal takes no votes.";
  describeOperations(tag, TENANT_VOTE_OPERATIONS, {
    listVotes: {
      summary: "List who votes for a proposal",
      description:
        "In the order of the panelists' identifiers, not of time: `at` says when. While a merge is under way, votes are listed where they are.",
      answer: Voter,
    },
    voteFor: {
      summary: "Vote for a panelist",
      description: `The body names the panelist. ${description}`,
      answer: Vote,
      status: 200,
      problems: ["conflict", "quota-exceeded"],
    },
    putVote: {
      summary: "Vote for the panelist in the path",
      description,
      answer: Vote,
      status: 200,
      problems: ["conflict", "quota-exceeded"],
    },
    deleteVote: {
      summary: "Take a panelist's vote back",
      description,
      answer: Vote,
      status: 200,
      problems: ["conflict"],
    },
  });
}
