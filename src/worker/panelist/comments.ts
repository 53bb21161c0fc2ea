/** `/ideabank/proposals/{proposalId}/comments`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { addComment, editComment, listCommentsForPanelist, removeComment } from "../database/panelist-comments.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import type { PanelistComment } from "../model/panelist-proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import type { ParticipationHandlers } from "./answer-participation.ts";
import type { COMMENT_OPERATIONS } from "./operations.ts";

/** Throws `comment-not-found`, or `forbidden` for another's. */
function own<Comment extends { readonly mine: boolean }>(comment: Comment | null): Comment {
  if (comment === null) throw new Problem("comment-not-found");
  if (!comment.mine)
    throw new Problem("forbidden", { detail: "Only the panelist who wrote this comment can change or delete it." });
  return comment;
}

export const COMMENT_HANDLERS: ParticipationHandlers<typeof COMMENT_OPERATIONS> = {
  listPanelistComments: async (c, { session, token, ids, page: request }) => {
    const { access, proposal, page } = await listCommentsForPanelist(session, token, ids.proposalId, request);
    return { access, proposal, respond: () => respondPage(c, page) };
  },

  addComment: async (c, { session, token, ids, body, now, idempotencyKey }) => {
    const id = createId(token.ideaBankId, secureRandomBytes);
    const found = await addComment(session, token, ids.proposalId, id, body, now, idempotencyKey);
    const { access, proposal, merged, result } = found;
    const toComment = (created: { id: string; at: number }): PanelistComment => ({
      id: created.id,
      by: "panelist",
      author: access.panelist?.displayName ?? null,
      mine: true,
      ...body,
      createdAt: toTimestamp(created.at),
    });
    const respond = () => respondCreated(c, result, toComment);
    return { access, proposal, final: merged, wasDone: result.kind === "replayed", respond };
  },

  editComment: async (c, { session, token, ids, body }) => {
    const { access, proposal, merged, comment } = await editComment(
      session,
      token,
      ids.proposalId,
      ids.commentId,
      body,
    );
    return { access, proposal, final: merged, respond: () => c.json(own(comment)) };
  },

  removeComment: async (c, { session, token, ids }) => {
    const { access, proposal, comment } = await removeComment(session, token, ids.proposalId, ids.commentId);
    const respond = () => {
      own(comment);
      return c.body(null, 204);
    };
    return { access, proposal, respond };
  },
};
