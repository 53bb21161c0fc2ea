/** `/tenant/ideabanks/{ideaBankId}/proposals`, and the moderation of their comments. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { deleteComment, listComments } from "../database/comments.ts";
import { createProposal, deleteProposal, listProposals, loadProposal, updateProposal } from "../database/proposals.ts";
import { respondOnce } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import type { TenantHandlers } from "./answer-operation.ts";
import { owned, respondDeleted } from "./answers.ts";
import type { PROPOSAL_OPERATIONS } from "./operations/proposals.ts";

export const PROPOSAL_HANDLERS: TenantHandlers<typeof PROPOSAL_OPERATIONS> = {
  listProposals: async (c, { session, accountId, ids, query, page }) =>
    respondPage(c, owned(await listProposals(session, accountId, ids.ideaBankId, query.status, page))),

  createProposal: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
    const path = { ...ids, proposalId: createId(secureRandomBytes) };
    const created = await createProposal(session, accountId, path, body, now, idempotencyKey);
    return respondOnce(c, created, (proposal) => proposal);
  },

  getProposal: async (c, { session, accountId, ids }) => c.json(owned(await loadProposal(session, accountId, ids))),

  updateProposal: async (c, { session, accountId, ids, body, now }) =>
    c.json(owned(await updateProposal(session, accountId, ids, body, now))),

  deleteProposal: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteProposal(session, accountId, ids)),

  listComments: async (c, { session, accountId, ids, page }) =>
    respondPage(c, owned(await listComments(session, accountId, ids, page))),

  deleteComment: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteComment(session, accountId, ids, ids.commentId)),
};
