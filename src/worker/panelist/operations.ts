/** Every operation of the panelist API. The compound token names the idea bank, so no path does. */
import { compoundToken, describeOperations, type Operations } from "../http/operation.ts";
import { Changelog } from "../model/changelog.ts";
import { NewComment } from "../model/comment.ts";
import { IdeaBankAccess } from "../model/idea-bank.ts";
import { PageQuery } from "../model/pagination.ts";
import {
  PanelistComment,
  PanelistProposal,
  PanelistProposalQuery,
  SimilarQuery,
  Submission,
  SubmissionChanges,
  Vote,
} from "../model/panelist-proposal.ts";
import { TagCounts } from "../model/tag.ts";

const PROPOSALS = "/ideabank/proposals";
const PROPOSAL = `${PROPOSALS}/{proposalId}`;
const VOTE = `${PROPOSAL}/vote`;
const COMMENTS = `${PROPOSAL}/comments`;
const view = compoundToken("canViewProposals");
const submit = compoundToken("canSubmitProposals");
const vote = compoundToken("canVote");
const comment = compoundToken("canComment");

/** Answered from the isolate's view of the idea bank. */
export const IDEA_BANK_OPERATIONS = {
  getChangelog: {
    method: "GET",
    path: "/public/ideabank/changelog",
    credential: compoundToken("canViewChangelog"),
  },
  getCapabilities: { method: "GET", path: "/ideabank", credential: compoundToken(null) },
} as const satisfies Operations;

/** Answered from D1, with the access check in the same round trip. The operations on comments are too. */
export const PROPOSAL_OPERATIONS = {
  listPanelistProposals: { method: "GET", path: PROPOSALS, credential: view, query: PanelistProposalQuery },
  // Before the proposal that a path names.
  listSimilarProposals: { method: "GET", path: `${PROPOSALS}/similar`, credential: view, query: SimilarQuery },
  submitProposal: { method: "POST", path: PROPOSALS, credential: submit, body: Submission },
  listTags: { method: "GET", path: "/ideabank/tags", credential: view },
  getPanelistProposal: { method: "GET", path: PROPOSAL, credential: view },
  editProposal: { method: "PATCH", path: PROPOSAL, credential: submit, body: SubmissionChanges },
  withdrawProposal: { method: "DELETE", path: PROPOSAL, credential: submit },
  vote: { method: "PUT", path: VOTE, credential: vote },
  unvote: { method: "DELETE", path: VOTE, credential: vote },
} as const satisfies Operations;

export const COMMENT_OPERATIONS = {
  listPanelistComments: { method: "GET", path: COMMENTS, credential: view, query: PageQuery },
  addComment: { method: "POST", path: COMMENTS, credential: comment, body: NewComment },
  editComment: { method: "PATCH", path: `${COMMENTS}/{commentId}`, credential: comment, body: NewComment },
  removeComment: { method: "DELETE", path: `${COMMENTS}/{commentId}`, credential: comment },
} as const satisfies Operations;

export const PANELIST_OPERATIONS = { ...IDEA_BANK_OPERATIONS, ...PROPOSAL_OPERATIONS, ...COMMENT_OPERATIONS };

if (!import.meta.deployed) {
  const tag = { name: "Panelist API", description: "The operations for panelists. They need a compound token." };
  const noProposal = ["too-many-requests", "idea-bank-not-found", "proposal-not-found"] as const;
  describeOperations(tag, IDEA_BANK_OPERATIONS, {
    getChangelog: {
      summary: "Read the idea bank's changelog",
      description:
        "The implemented proposals, newest first by last activity, at most the idea bank's configured maximum, and as many as fit into 256 KiB. The list is not " +
        "paginated: `cursor` and `limit` are ignored. A closed changelog returns the same 404 as an idea bank that does not exist.",
      answer: Changelog,
      conditional: true,
      problems: ["idea-bank-not-found"],
    },
    getCapabilities: {
      summary: "Read what the idea bank allows",
      description: "Read it first: it shows which of the other operations this token can use.",
      answer: IdeaBankAccess,
    },
  });
  describeOperations(tag, PROPOSAL_OPERATIONS, {
    listPanelistProposals: {
      summary: "List the idea bank's proposals",
      description: "Public proposals. Merged ones are left out.",
      answer: PanelistProposal,
      problems: ["too-many-requests", "idea-bank-not-found"],
    },
    listSimilarProposals: {
      summary: "Find proposals like a title",
      description:
        "For a title that is being typed, so that nobody submits what is there: one page of at most 5 public proposals with words of it, " +
        "the best first.",
      answer: PanelistProposal,
      problems: ["too-many-requests", "idea-bank-not-found"],
    },
    submitProposal: {
      summary: "Submit a proposal",
      description:
        "If the idea bank requires approval, only the author and the tenant see the proposal until the tenant makes it public.",
      answer: PanelistProposal,
      problems: ["too-many-requests", "idea-bank-not-found", "capability-closed"],
    },
    listTags: {
      summary: "List the idea bank's tags",
      description: "Those that public proposals have, the most used first, with how many have each. At most 200.",
      answer: TagCounts,
      problems: ["too-many-requests", "idea-bank-not-found"],
    },
    getPanelistProposal: {
      summary: "Read a proposal",
      description: "A merged proposal names the one that it was merged into in `duplicateOf`.",
      answer: PanelistProposal,
      problems: noProposal,
    },
    editProposal: {
      summary: "Edit one's own proposal",
      description: "Possible while its status is `submitted`. Fields that are not sent stay as they are.",
      answer: PanelistProposal,
      problems: [...noProposal, "capability-closed", "forbidden", "conflict"],
    },
    withdrawProposal: {
      summary: "Withdraw one's own proposal",
      description:
        "Possible while its status is `submitted`, unless another one was merged into it. Deletes its votes and comments too.",
      problems: [...noProposal, "capability-closed", "forbidden", "conflict"],
    },
    vote: {
      summary: "Vote for a proposal",
      description: "One vote for each panelist. Voting again changes nothing.",
      answer: Vote,
      problems: [...noProposal, "capability-closed", "conflict", "quota-exceeded"],
    },
    unvote: {
      summary: "Remove a vote",
      description: "Removing a vote again changes nothing.",
      answer: Vote,
      status: 200,
      problems: [...noProposal, "capability-closed", "conflict"],
    },
  });
  describeOperations(tag, COMMENT_OPERATIONS, {
    listPanelistComments: {
      summary: "List a proposal's comments",
      description: "Oldest first.",
      answer: PanelistComment,
      problems: noProposal,
    },
    addComment: {
      summary: "Comment on a proposal",
      description: "A comment is activity on the proposal.",
      answer: PanelistComment,
      problems: [...noProposal, "capability-closed", "conflict"],
    },
    editComment: {
      summary: "Edit one's own comment",
      description: "That is no activity: writing the comment was.",
      answer: PanelistComment,
      problems: [...noProposal, "comment-not-found", "capability-closed", "forbidden", "conflict"],
    },
    removeComment: {
      summary: "Delete one's own comment",
      problems: [...noProposal, "comment-not-found", "capability-closed", "forbidden"],
    },
  });
}
