/** `/tenant/ideabanks/{ideaBankId}/proposals`, and the moderation of their comments. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { createComment, deleteComment, listComments, updateComment } from "../database/comments.ts";
import { createProposal, type NotCreated, upsertProposal } from "../database/new-proposals.ts";
import { deleteProposal, listProposals, loadProposal, mergeProposal, updateProposal } from "../database/proposals.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { invalid, parseOrThrow } from "../http/invalid-request.ts";
import { mergedInto, mergesUnderWay, targetMergedInto } from "../http/merged-proposal.ts";
import { respondPage } from "../http/pagination.ts";
import { ProposalExternalIdPath } from "../model/metadata.ts";
import { Problem } from "../problem.ts";
import type { TenantHandlers } from "./answer-tenant.ts";
import type { TENANT_PROPOSAL_OPERATIONS } from "./operations/proposals.ts";
import { noSuchPanelist, owned, respondDeleted } from "./refuse-foreign.ts";

/** Throws `invalid-request`. */
function notInTheFuture({ createdAt }: { createdAt?: string | undefined }, now: number): void {
  if (createdAt !== undefined && Date.parse(createdAt) > now)
    throw invalid([{ path: "createdAt", message: "must not be in the future" }]);
}

function notCreated(obstacle: NotCreated | undefined): Problem {
  switch (obstacle) {
    case "no-panelist":
      return noSuchPanelist();
    case "taken":
      return new Problem("conflict", {
        detail:
          "Another proposal of this idea bank has this externalId. One that was deleted can have it for a few minutes more.",
      });
    default:
      return new Problem("forbidden", { cause: "not the tenant's" });
  }
}

export const TENANT_PROPOSAL_HANDLERS: TenantHandlers<typeof TENANT_PROPOSAL_OPERATIONS> = {
  listProposals: async (c, { session, accountId, ids, query, page }) =>
    respondPage(c, owned(await listProposals(session, accountId, ids.ideaBankId, query, page))),

  createProposal: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
    notInTheFuture(body, now);
    const path = { ...ids, proposalId: createId(accountId, secureRandomBytes) };
    const { result, obstacle } = await createProposal(session, accountId, path, body, now, idempotencyKey);
    return respondCreated(
      c,
      result,
      (proposal) => proposal,
      () => notCreated(obstacle),
    );
  },

  upsertProposal: async (c, { session, accountId, ids, body, now }) => {
    const { externalId } = parseOrThrow(ProposalExternalIdPath, ids);
    notInTheFuture(body, now);
    const path = { ...ids, proposalId: createId(accountId, secureRandomBytes) };
    const written = await upsertProposal(session, accountId, path, externalId, body, now);
    if (typeof written === "string") throw notCreated(written);
    return c.json(written.proposal, written.created ? 201 : 200);
  },

  getProposal: async (c, { session, accountId, ids }) => c.json(owned(await loadProposal(session, accountId, ids))),

  updateProposal: async (c, { session, accountId, ids, body, now }) => {
    const proposal = owned(await updateProposal(session, accountId, ids, body, now));
    if (proposal === "taken") throw notCreated("taken");
    return c.json(proposal);
  },

  deleteProposal: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteProposal(session, accountId, ids)),

  mergeProposal: async (c, { session, accountId, ids, body }) => {
    if (body.into === ids.proposalId) throw invalid([{ path: "into", message: "must be another proposal" }]);
    const outcome = owned(await mergeProposal(session, accountId, ids, body.into));
    if (outcome === "busy") throw mergesUnderWay();
    if ("duplicateOf" in outcome)
      throw (outcome.merged === "target" ? targetMergedInto : mergedInto)(outcome.duplicateOf);
    return c.json(outcome.target);
  },

  listComments: async (c, { session, accountId, ids, page }) =>
    respondPage(c, owned(await listComments(session, accountId, ids, page))),

  createComment: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
    notInTheFuture(body, now);
    const id = createId(accountId, secureRandomBytes);
    const { result, obstacle } = await createComment(session, accountId, ids, id, body, now, idempotencyKey);
    return respondCreated(
      c,
      result,
      (comment) => comment,
      () => notCreated(obstacle),
    );
  },

  updateComment: async (c, { session, accountId, ids, body }) => {
    const comment = owned(await updateComment(session, accountId, ids, ids.commentId, body));
    if (comment === "panelists")
      throw new Problem("forbidden", {
        detail: "A panelist wrote this comment. You can delete it; only your own can be edited.",
      });
    return c.json(comment);
  },

  deleteComment: async (c, { session, accountId, ids }) =>
    respondDeleted(c, await deleteComment(session, accountId, ids, ids.commentId)),
};
