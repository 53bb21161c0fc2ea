/** `/tenant/ideabanks/{ideaBankId}/proposals`, and their comments. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { Comment } from "../../model/comment.ts";
import { PageQuery } from "../../model/pagination.ts";
import { NewProposal, Proposal, ProposalChanges, ProposalQuery } from "../../model/proposal.ts";

const PROPOSALS = "/tenant/ideabanks/{ideaBankId}/proposals";
const PROPOSAL = `${PROPOSALS}/{proposalId}`;
const COMMENTS = `${PROPOSAL}/comments`;
const read = apiKey("ideabanks:read");
const write = apiKey("ideabanks:write");

export const PROPOSAL_OPERATIONS = {
  listProposals: { method: "GET", path: PROPOSALS, credential: read, query: ProposalQuery },
  createProposal: { method: "POST", path: PROPOSALS, credential: write, body: NewProposal },
  getProposal: { method: "GET", path: PROPOSAL, credential: read },
  updateProposal: { method: "PATCH", path: PROPOSAL, credential: write, body: ProposalChanges },
  deleteProposal: { method: "DELETE", path: PROPOSAL, credential: write },
  listComments: { method: "GET", path: COMMENTS, credential: read, query: PageQuery },
  deleteComment: { method: "DELETE", path: `${COMMENTS}/{commentId}`, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = {
    name: "Proposals",
    description: "The proposals of an idea bank, and their comments, as the tenant manages them.",
  };
  describeOperations(tag, PROPOSAL_OPERATIONS, {
    listProposals: { summary: "List an idea bank's proposals", description: "Newest first.", answer: Proposal },
    createProposal: { summary: "Create a proposal", answer: Proposal },
    getProposal: { summary: "Read a proposal", answer: Proposal },
    updateProposal: {
      summary: "Change a proposal",
      description:
        "Fields that are not sent stay as they are. An edit or a change of status is activity. A proposal that becomes " +
        "`implemented` appears in the changelog.",
      answer: Proposal,
    },
    deleteProposal: { summary: "Delete a proposal", description: "Deletes its comments too." },
    listComments: { summary: "List a proposal's comments", description: "Newest first.", answer: Comment },
    deleteComment: { summary: "Delete a comment" },
  });
}
