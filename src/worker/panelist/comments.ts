/** `/ideabank/proposals/{proposalId}/comments`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  addComment,
  editComment,
  listCommentsForPanelist,
  removeComment,
} from "../database/comments/panelist-comments.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { NewComment } from "../model/comment.ts";
import { PanelistComment, PanelistCommentQuery } from "../model/panelist-proposal.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import { PROPOSAL_PROBLEMS, participation } from "./operation.ts";
import { PROPOSAL } from "./proposals.ts";
import { tooNew } from "./too-new.ts";

const COMMENTS = `${PROPOSAL}/comments`;
const COMMENT = `${COMMENTS}/{commentId}`;

/** Throws `comment-not-found`, or `forbidden` for another's. */
function own<Comment extends { readonly mine: boolean }>(comment: Comment | null): Comment {
  if (comment === null) throw new Problem("comment-not-found");
  if (!comment.mine)
    throw new Problem("forbidden", { detail: "Only the panelist who wrote this comment can change or delete it." });
  return comment;
}

export const COMMENT_OPERATIONS = {
  listPanelistComments: participation({
    method: "GET",
    effect: "reads",
    path: COMMENTS,
    capability: "canViewProposals",
    query: PanelistCommentQuery,
    answer: PanelistComment,
    problems: [...PROPOSAL_PROBLEMS, "comment-not-found"],
    summary: "List a proposal's comments",
    description: "Oldest first, or newest first. With `from` it begins with that comment.",
    handle: async (c, { session, token, ids, query: { order, from }, page: request }) => {
      const { access, proposal, page } = await listCommentsForPanelist(session, {
        ...{ token, proposalId: ids.proposalId, request, order, from },
      });
      const respond = () => {
        if (page === null) throw new Problem("comment-not-found");
        return respondPage(c, page);
      };
      return { access, proposal, respond };
    },
  }),

  addComment: participation({
    method: "POST",
    effect: "adds",
    path: COMMENTS,
    capability: "canComment",
    body: NewComment,
    answer: PanelistComment,
    problems: [...PROPOSAL_PROBLEMS, "capability-closed", "conflict", "repeated-comment"],
    summary: "Comment on a proposal",
    description:
      "A comment is activity on the proposal. Somebody who has signed in on a public page for the first time can write 20 comments in the " +
      "first hour. Then the answer is 429. A text that the panelist has written on the idea bank within a day, or as the last comment on this " +
      "proposal, is refused with 409 `repeated-comment`.",
    handle: async (c, { session, token, ids, body, now, idempotencyKey }) => {
      const id = createId(token.ideaBankId, secureRandomBytes);
      const found = await addComment(session, {
        token,
        proposalId: ids.proposalId,
        comment: { id, ...body, now, idempotencyKey },
      });
      const { access, proposal, merged, result, waitSeconds, isRepeated } = found;
      const toComment = (created: { id: string; at: number; visibility?: string }): PanelistComment => ({
        id: created.id,
        by: "panelist",
        author: access.panelist?.displayName ?? null,
        mine: true,
        ...body,
        ...(created.visibility === "pending" && { visibility: created.visibility }),
        createdAt: toTimestamp(created.at),
      });
      const refusal = () => (isRepeated ? new Problem("repeated-comment") : tooNew("comments", waitSeconds));
      const respond = () => respondCreated(c, { result, toBody: toComment, refusal });
      return { access, proposal, final: merged, wasDone: result.kind === "replayed", respond };
    },
  }),

  editComment: participation({
    method: "PATCH",
    effect: "overwrites",
    path: COMMENT,
    capability: "canComment",
    body: NewComment,
    answer: PanelistComment,
    problems: [
      ...PROPOSAL_PROBLEMS,
      "comment-not-found",
      "capability-closed",
      "forbidden",
      "conflict",
      "repeated-comment",
    ],
    summary: "Edit one's own comment",
    description:
      "Editing is not activity. Where comments need approval, the comment waits for it again. A text that the panelist has written in another " +
      "comment within a day, or in the one just before or after this one on the proposal, is refused with 409 `repeated-comment`.",
    handle: async (c, { session, token, ids, body, now }) => {
      const { access, proposal, merged, comment, isRepeated } = await editComment(session, {
        token,
        proposalId: ids.proposalId,
        commentId: ids.commentId,
        comment: body,
        now,
      });
      const respond = () => {
        const edited = own(comment);
        if (isRepeated) throw new Problem("repeated-comment");
        return c.json(edited);
      };
      return { access, proposal, final: merged, respond };
    },
  }),

  removeComment: participation({
    method: "DELETE",
    effect: "ends",
    path: COMMENT,
    capability: "canComment",
    problems: [...PROPOSAL_PROBLEMS, "comment-not-found", "capability-closed", "forbidden"],
    summary: "Delete one's own comment",
    handle: async (c, { session, token, ids }) => {
      const { access, proposal, comment } = await removeComment(session, {
        token,
        proposalId: ids.proposalId,
        commentId: ids.commentId,
      });
      const respond = () => {
        own(comment);
        return c.body(null, 204);
      };
      return { access, proposal, respond };
    },
  }),
};
