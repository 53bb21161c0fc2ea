/** `/tenant/ideabanks/{ideaBankId}/proposals`, and their comments. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { Comment, NewComment, TenantComment } from "../../model/comment.ts";
import { PageQuery } from "../../model/pagination.ts";
import { Merge, NewProposal, Proposal, ProposalChanges, ProposalQuery, ProposalUpsert } from "../../model/proposal.ts";

const PROPOSALS = "/tenant/ideabanks/{ideaBankId}/proposals";
const PROPOSAL = `${PROPOSALS}/{proposalId}`;
const COMMENTS = `${PROPOSAL}/comments`;
const read = apiKey("ideabanks:read");
const write = apiKey("ideabanks:write");

export const TENANT_PROPOSAL_OPERATIONS = {
  listProposals: { method: "GET", path: PROPOSALS, credential: read, query: ProposalQuery },
  createProposal: { method: "POST", path: PROPOSALS, credential: write, body: NewProposal },
  upsertProposal: {
    method: "PUT",
    path: `${PROPOSALS}/by-external-id/{externalId}`,
    credential: write,
    body: ProposalUpsert,
  },
  getProposal: { method: "GET", path: PROPOSAL, credential: read },
  updateProposal: { method: "PATCH", path: PROPOSAL, credential: write, body: ProposalChanges },
  deleteProposal: { method: "DELETE", path: PROPOSAL, credential: write },
  mergeProposal: {
    method: "POST",
    path: `${PROPOSAL}/merge`,
    credential: write,
    body: Merge,
    idempotent: true,
  },
  listComments: { method: "GET", path: COMMENTS, credential: read, query: PageQuery },
  createComment: { method: "POST", path: COMMENTS, credential: write, body: TenantComment },
  updateComment: { method: "PATCH", path: `${COMMENTS}/{commentId}`, credential: write, body: NewComment },
  deleteComment: { method: "DELETE", path: `${COMMENTS}/{commentId}`, credential: write },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = {
    name: "Proposals",
    description: "The proposals of an idea bank, and their comments, as the tenant manages them.",
  };
  describeOperations(tag, TENANT_PROPOSAL_OPERATIONS, {
    listProposals: {
      summary: "List an idea bank's proposals",
      description: "Newest first, without merged ones. `externalId` finds a merged one, too.",
      answer: Proposal,
    },
    createProposal: {
      summary: "Create a proposal",
      description:
        "Your own, or one for a panelist. Only your right counts: the idea bank may be closed, and submissions may be off.",
      answer: Proposal,
      problems: ["conflict"],
    },
    upsertProposal: {
      summary: "Create or change a proposal by your own id",
      description:
        "201 when it has created the proposal, 200 when it has changed it: fields that are not sent then stay as they are. Sending the " +
        "same again changes nothing. Two requests at the same time give one proposal. For imports, and for a sync that runs every night.",
      answer: Proposal,
      creates: true,
      problems: ["conflict"],
    },
    getProposal: { summary: "Read a proposal", answer: Proposal },
    updateProposal: {
      summary: "Change a proposal",
      description:
        "Fields that are not sent stay as they are. An edit, a change of status or an official response is activity. A public " +
        "proposal that becomes `implemented` appears in the changelog.",
      answer: Proposal,
      problems: ["conflict"],
    },
    deleteProposal: {
      summary: "Delete a proposal",
      description:
        "Deletes its votes, its comments and the proposals that were merged into it too. Nobody can access them from the answer on; " +
        "where there are many, they are deleted in the minutes after it.",
    },
    mergeProposal: {
      summary: "Merge a proposal into another",
      description:
        "Moves the votes, each panelist counted once, and returns the proposal that stays. The merged proposal keeps its comments, " +
        "names the other in `duplicateOf` and is not in lists. A merge is final. Repeating it changes nothing. Where there are many " +
        "votes, the first 50 move at once and the rest in the minutes after: `merging` is `true` until then. While 20 such merges are " +
        "under way in an idea bank, another one is refused: 409 with `Retry-After`.",
      answer: Proposal,
      status: 200,
      problems: ["conflict"],
    },
    listComments: { summary: "List a proposal's comments", description: "Newest first.", answer: Comment },
    createComment: {
      summary: "Comment on a proposal",
      description:
        "As the tenant, or for a panelist. Only your right counts: the idea bank may be closed, and commenting may be off. A comment is " +
        "activity, as by a panelist if it is one's.",
      answer: Comment,
    },
    updateComment: {
      summary: "Edit your comment",
      description: "One that you wrote as the tenant. That is no activity: writing the comment was.",
      answer: Comment,
    },
    deleteComment: { summary: "Delete a comment" },
  });
}
