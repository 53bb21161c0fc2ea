/** `/tenant/ideabanks/{ideaBankId}/proposals`, and the moderation of their comments. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { deleteComment, listComments } from "../database/comments.ts";
import { createProposal, deleteProposal, listProposals, loadProposal, updateProposal } from "../database/proposals.ts";
import { owned, respondGone, respondPage } from "./answers.ts";
import { respondOnce } from "./idempotency-key.ts";
import type { OperationRouter } from "./operation-router.ts";
import { OPERATIONS } from "./operations.ts";

export function addProposalRoutes(router: OperationRouter): void {
  const { memory } = router;

  router.on(OPERATIONS.listProposals, async (c, { session, accountId, ids, query, page }) =>
    respondPage(c, memory, owned(await listProposals(session, accountId, ids.ideaBankId, query.status, page))),
  );

  router.on(OPERATIONS.createProposal, async (c, { session, accountId, ids, body, now, retry }) => {
    const path = { ...ids, proposalId: createId(secureRandomBytes) };
    return respondOnce(c, await createProposal(session, accountId, path, body, now, retry), (proposal) => proposal);
  });

  router.on(OPERATIONS.getProposal, async (c, { session, accountId, ids }) =>
    c.json(owned(await loadProposal(session, accountId, ids))),
  );

  router.on(OPERATIONS.updateProposal, async (c, { session, accountId, ids, body, now }) =>
    c.json(owned(await updateProposal(session, accountId, ids, body, now))),
  );

  router.on(OPERATIONS.deleteProposal, async (c, { session, accountId, ids }) =>
    respondGone(c, await deleteProposal(session, accountId, ids)),
  );

  router.on(OPERATIONS.listComments, async (c, { session, accountId, ids, page }) =>
    respondPage(c, memory, owned(await listComments(session, accountId, ids, page))),
  );

  router.on(OPERATIONS.deleteComment, async (c, { session, accountId, ids }) =>
    respondGone(c, await deleteComment(session, accountId, ids, ids.commentId)),
  );
}
