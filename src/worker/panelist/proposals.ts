/** `/ideabank/proposals`, and the votes on them. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  editProposal,
  listForPanelist,
  loadForPanelist,
  type Submitted,
  submitProposal,
  withdrawProposal,
} from "../database/panelist-proposals.ts";
import { listTags } from "../database/tags.ts";
import { setVote } from "../database/votes.ts";
import { SIMILAR_AT_MOST } from "../database/words.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import type { PanelistProposal } from "../model/panelist-proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import type { ParticipationHandlers } from "./answer-participation.ts";
import type { PROPOSAL_OPERATIONS } from "./operations.ts";

/** Why a panelist's own change was refused although submitting is open. */
function refusal(proposal: PanelistProposal | null): Problem {
  if (proposal === null || !proposal.mine)
    return new Problem("forbidden", { detail: "Only the panelist who submitted this proposal can change it." });
  return new Problem("conflict", {
    detail:
      "A proposal can be edited and withdrawn while its status is `submitted`, and not withdrawn when another one was merged into it.",
  });
}

export const PROPOSAL_HANDLERS: ParticipationHandlers<typeof PROPOSAL_OPERATIONS> = {
  listPanelistProposals: async (c, { session, token, query, page: request }) => {
    const { access, page } = await listForPanelist(session, token, query, request);
    return { access, respond: () => respondPage(c, page) };
  },

  listSimilarProposals: async (c, { session, token, query, page: { limit } }) => {
    const filter = { sort: "new", q: query.title } as const;
    const request = { limit: Math.min(limit, SIMILAR_AT_MOST), after: undefined };
    const { access, page } = await listForPanelist(session, token, filter, request);
    return { access, respond: () => respondPage(c, page) };
  },

  submitProposal: async (c, { session, token, body, now, idempotencyKey }) => {
    const id = createId(token.ideaBankId, secureRandomBytes);
    const { access, result } = await submitProposal(session, token, id, body, now, idempotencyKey);
    const toProposal = ({ id, at, visibility }: Submitted): PanelistProposal => ({
      id,
      ...body,
      status: "submitted",
      tags: [],
      votes: 0,
      comments: 0,
      voted: false,
      mine: true,
      author: access.panelist?.displayName ?? null,
      visibility,
      response: null,
      duplicateOf: null,
      createdAt: toTimestamp(at),
      lastActivityAt: toTimestamp(at),
    });
    return { access, wasDone: result.kind === "replayed", respond: () => respondCreated(c, result, toProposal) };
  },

  listTags: async (c, { session, token }) => {
    const { access, tags } = await listTags(session, token);
    return { access, respond: () => c.json({ items: tags }) };
  },

  getPanelistProposal: async (c, { session, token, ids }) => {
    const { access, proposal } = await loadForPanelist(session, token, ids.proposalId);
    return { access, proposal, respond: () => c.json(proposal) };
  },

  editProposal: async (c, { session, token, ids, body, now }) => {
    const { access, proposal, merged, changed } = await editProposal(session, token, ids.proposalId, body, now);
    const respond = () => {
      if (!changed) throw refusal(proposal);
      return c.json(proposal);
    };
    return { access, proposal, final: merged, respond };
  },

  withdrawProposal: async (c, { session, token, ids }) => {
    const { access, proposal, merged, changed } = await withdrawProposal(session, token, ids.proposalId);
    const respond = () => {
      if (!changed) throw refusal(proposal);
      return c.body(null, 204);
    };
    return { access, proposal, final: merged, respond };
  },

  vote: async (c, { session, token, ids, now }) => {
    const { access, proposal, merged } = await setVote(session, token, ids.proposalId, true, now);
    return { access, proposal, final: merged, respond: () => c.json({ voted: true, votes: proposal?.votes ?? 0 }) };
  },

  unvote: async (c, { session, token, ids, now }) => {
    const { access, proposal, merged } = await setVote(session, token, ids.proposalId, false, now);
    return { access, proposal, final: merged, respond: () => c.json({ voted: false, votes: proposal?.votes ?? 0 }) };
  },
};
