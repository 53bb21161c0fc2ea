/** `/ideabank/proposals`, and the tags in use. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  editProposal,
  listForPanelist,
  loadForPanelist,
  type SeenProposal,
  type Submitted,
  submitProposal,
  toSubmitted,
  withdrawProposal,
} from "../database/proposals/panelist-proposals.ts";
import { listTags } from "../database/proposals/tags.ts";
import { SIMILAR_AT_MOST } from "../database/proposals/words.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { type MailLinkEnv, tellsPeople } from "../model/mail-settings.ts";
import {
  PanelistProposal,
  PanelistProposalQuery,
  SimilarQuery,
  Submission,
  SubmissionChanges,
} from "../model/panelist-proposal.ts";
import { TagCounts } from "../model/tag.ts";
import { Problem } from "../problem.ts";
import { PROPOSAL_PROBLEMS, participation } from "./operation.ts";
import { tooNew } from "./too-new.ts";

const PROPOSALS = "/ideabank/proposals";
export const PROPOSAL = `${PROPOSALS}/{proposalId}`;

/** Only where people are told. */
const followingIn = (env: MailLinkEnv, following: SeenProposal["following"]) => ({
  following: tellsPeople(env) ? following : undefined,
});

/** The reason why a panelist's own change was refused although submitting is open. */
function refusal(proposal: PanelistProposal | null): Problem {
  if (proposal === null || !proposal.mine)
    return new Problem("forbidden", { detail: "Only the panelist who submitted this proposal can change it." });
  return new Problem("conflict", {
    detail:
      "A proposal can be edited or withdrawn only while its status is `submitted`, and cannot be withdrawn once another one was merged into it.",
  });
}

export const PROPOSAL_OPERATIONS = {
  listPanelistProposals: participation({
    method: "GET",
    effect: "reads",
    path: PROPOSALS,
    capability: "canViewProposals",
    query: PanelistProposalQuery,
    answer: PanelistProposal,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "List the idea bank's proposals",
    description: "Public proposals. Merged ones are left out.",
    handle: async (c, { session, token, query, page: request }) => {
      const { access, page } = await listForPanelist(session, { token, filter: query, request });
      return { access, respond: () => respondPage(c, page) };
    },
  }),

  // Defined before the operation with `{proposalId}`, because routes match in order.
  listSimilarProposals: participation({
    method: "GET",
    effect: "reads",
    path: `${PROPOSALS}/similar`,
    capability: "canViewProposals",
    query: SimilarQuery,
    answer: PanelistProposal,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "Find proposals like a title",
    description:
      "For a title that is being typed, to avoid duplicates. Returns one page of at most 5 public proposals that share two words with it, or one that is rare in the idea bank, best match first.",
    handle: async (c, { session, token, query, page: { limit } }) => {
      const filter = { sort: "new", q: query.title, similar: true } as const;
      const request = { limit: Math.min(limit, SIMILAR_AT_MOST), after: undefined };
      const { access, page } = await listForPanelist(session, { token, filter, request });
      return { access, respond: () => respondPage(c, page) };
    },
  }),

  submitProposal: participation({
    method: "POST",
    effect: "adds",
    path: PROPOSALS,
    capability: "canSubmitProposals",
    body: Submission,
    answer: PanelistProposal,
    problems: ["too-many-requests", "idea-bank-not-found", "capability-closed"],
    summary: "Submit a proposal",
    description:
      "Submitting also votes for it, while voting is open. If the idea bank requires approval, only the author and the tenant see the proposal " +
      "until the tenant makes it public.\n\n" +
      "Somebody who has signed in on a public page for the first time can submit 5 proposals in the first hour. Then the answer is 429.",
    handle: async (c, { session, token, body, now, idempotencyKey }) => {
      const id = createId(token.ideaBankId, secureRandomBytes);
      const { access, result, waitSeconds } = await submitProposal(session, token, {
        id,
        ...body,
        now,
        idempotencyKey,
      });
      const toBody = (submitted: Submitted) => ({
        ...toSubmitted(submitted, body, access.panelist?.displayName ?? null),
        ...followingIn(c.env, access.canBeTold ? false : undefined),
      });
      return {
        access,
        wasDone: result.kind === "replayed",
        respond: () => respondCreated(c, { result, toBody, refusal: () => tooNew("proposals", waitSeconds) }),
      };
    },
  }),

  listTags: participation({
    method: "GET",
    effect: "reads",
    path: "/ideabank/tags",
    capability: "canViewProposals",
    answer: TagCounts,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "List the idea bank's tags",
    description: "The tags of public proposals with the number of proposals, most used first. At most 200.",
    handle: async (c, { session, token }) => {
      const { access, tags } = await listTags(session, token);
      return { access, respond: () => c.json({ items: tags }) };
    },
  }),

  getPanelistProposal: participation({
    method: "GET",
    effect: "reads",
    path: PROPOSAL,
    capability: "canViewProposals",
    answer: PanelistProposal,
    problems: PROPOSAL_PROBLEMS,
    summary: "Read a proposal",
    description: "A merged proposal names the one that it was merged into in `duplicateOf`.",
    handle: async (c, { session, token, ids }) => {
      const { access, proposal, following } = await loadForPanelist(session, token, ids.proposalId);
      return { access, proposal, respond: () => c.json({ ...proposal, ...followingIn(c.env, following) }) };
    },
  }),

  editProposal: participation({
    method: "PATCH",
    effect: "overwrites",
    path: PROPOSAL,
    capability: "canSubmitProposals",
    body: SubmissionChanges,
    answer: PanelistProposal,
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "forbidden", "conflict"],
    summary: "Edit one's own proposal",
    description: "Possible while its status is `submitted`. Fields that are not sent stay as they are.",
    handle: async (c, { session, token, ids, body, now }) => {
      const { access, proposal, merged, following, changed } = await editProposal(session, {
        token,
        proposalId: ids.proposalId,
        changes: body,
        now,
      });
      const respond = () => {
        if (!changed) throw refusal(proposal);
        return c.json({ ...proposal, ...followingIn(c.env, following) });
      };
      return { access, proposal, final: merged, respond };
    },
  }),

  withdrawProposal: participation({
    method: "DELETE",
    effect: "ends",
    path: PROPOSAL,
    capability: "canSubmitProposals",
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "forbidden", "conflict"],
    summary: "Withdraw one's own proposal",
    description:
      "Possible while its status is `submitted`, unless another one was merged into it. Deletes its votes and comments too.",
    handle: async (c, { session, token, ids }) => {
      const { access, proposal, merged, changed } = await withdrawProposal(session, token, ids.proposalId);
      const respond = () => {
        if (!changed) throw refusal(proposal);
        return c.body(null, 204);
      };
      return { access, proposal, final: merged, respond };
    },
  }),
};
