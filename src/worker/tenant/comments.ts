/** `/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments`. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import {
  createComment,
  createComments,
  deleteComment,
  listComments,
  listIdeaBankComments,
  loadStoredComment,
  updateComment,
} from "../database/comments/comments.ts";
import { defineVersion, respondVersion } from "../http/etag.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import { respondPage } from "../http/pagination.ts";
import { Comment, CommentChanges, CommentQuery, NewComments, TenantComment, TenantComments } from "../model/comment.ts";
import { PageQuery } from "../model/pagination.ts";
import { Problem } from "../problem.ts";
import { tenantOperations } from "./operation.ts";
import { notCreated, notInTheFuture, PROPOSAL, PROPOSAL_TAG } from "./proposals.ts";
import { noSuchPanelist, owned, respondDeleted } from "./refuse-foreign.ts";

const COMMENTS = `${PROPOSAL}/comments`;
const COMMENT = `${COMMENTS}/{commentId}`;

const version = defineVersion(
  Comment,
  CommentChanges,
  (session, accountId, { ideaBankId = "", proposalId = "", commentId = "" }) =>
    loadStoredComment(session, { accountId, path: { ideaBankId, proposalId }, commentId }),
);

const operation = tenantOperations(PROPOSAL_TAG);

export const COMMENT_OPERATIONS = {
  listIdeaBankComments: operation({
    method: "GET",
    effect: "reads",
    path: "/tenant/ideabanks/{ideaBankId}/comments",
    scope: "ideabanks:read",
    query: CommentQuery,
    answer: Comment,
    summary: "List an idea bank's comments",
    description:
      "Comments on all its proposals, newest first: for copies, and to find what one person wrote. A page may have fewer items than `limit`.",
    handle: async (c, { session, accountId, ids: { ideaBankId }, query: { panelistId }, page }) =>
      respondPage(c, owned(await listIdeaBankComments(session, { accountId, ideaBankId, panelistId }, page))),
  }),

  listComments: operation({
    method: "GET",
    effect: "reads",
    path: COMMENTS,
    scope: "ideabanks:read",
    query: PageQuery,
    answer: Comment,
    summary: "List a proposal's comments",
    description: "Newest first.",
    handle: async (c, { session, accountId, ids, page }) =>
      respondPage(c, owned(await listComments(session, { accountId, path: ids, request: page }))),
  }),

  createComment: operation({
    method: "POST",
    effect: "adds",
    path: COMMENTS,
    scope: "ideabanks:write",
    body: TenantComment,
    answer: Comment,
    version,
    summary: "Comment on a proposal",
    description:
      "As the tenant, or for a panelist. Only the key's scopes apply: the idea bank may be closed, and commenting may be off. A comment is activity.",
    handle: async (c, { session, accountId, ids, body, now, idempotencyKey }) => {
      notInTheFuture(body, now);
      const id = createId(accountId, secureRandomBytes);
      const { result, obstacle } = await createComment(session, {
        accountId,
        path: ids,
        id,
        comment: body,
        now,
        idempotencyKey,
      });
      return respondCreated(c, { result, toBody: (comment) => comment, refusal: () => notCreated(obstacle), version });
    },
  }),

  createComments: operation({
    method: "POST",
    effect: "adds",
    path: `${COMMENTS}/batch`,
    scope: "ideabanks:write",
    body: TenantComments,
    answer: NewComments,
    summary: "Write up to 100 comments",
    description:
      "For imports. As the tenant, or for panelists. The request body has at most 64 KiB, so split long comments into several requests.",
    handle: async (c, { session, accountId, ids, body: { comments }, now, idempotencyKey }) => {
      for (const [index, comment] of comments.entries()) notInTheFuture(comment, now, `comments.${index}.`);
      const { result, obstacle } = await createComments(session, {
        accountId,
        path: ids,
        // Lists have those of one time in the order of their identifiers: so they stay in the order of the batch.
        ids: comments.map(() => createId(accountId, secureRandomBytes)).toSorted(),
        comments,
        now,
        idempotencyKey,
      });
      const refusal = () => (obstacle === "not-owned" ? notCreated(obstacle) : noSuchPanelist(`comments.${obstacle}`));
      return respondCreated(c, { result, toBody: (created) => created, refusal });
    },
  }),

  updateComment: operation({
    method: "PATCH",
    effect: "overwrites",
    path: COMMENT,
    scope: "ideabanks:write",
    body: CommentChanges,
    answer: Comment,
    version,
    summary: "Edit, approve or hide a comment",
    description:
      "`visibility` approves or hides any comment. The text can be changed only of a comment that you wrote as the tenant. Editing is not activity. The first approval is, and only then `comment.created` is in the changes.",
    handle: async (c, { session, accountId, ids, body, precondition }) => {
      const change = { accountId, path: ids, commentId: ids.commentId, comment: body, seen: precondition.seen };
      const comment = owned(await updateComment(session, change), precondition);
      if (comment === "panelists")
        throw new Problem("forbidden", {
          detail: "A panelist wrote this comment. You can hide or delete it; only the text of your own can be edited.",
        });
      return respondVersion(c, version, comment);
    },
  }),

  deleteComment: operation({
    method: "DELETE",
    effect: "ends",
    path: COMMENT,
    scope: "ideabanks:write",
    version,
    summary: "Delete a comment",
    handle: async (c, { session, accountId, ids, idempotencyKey, precondition }) => {
      const { seen } = precondition;
      const deletion = { accountId, path: ids, commentId: ids.commentId, seen, idempotencyKey };
      return respondDeleted(c, await deleteComment(session, deletion), precondition);
    },
  }),
};
