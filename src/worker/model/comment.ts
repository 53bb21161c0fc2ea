/** A comment on a proposal, as its tenant sees it. */
import * as z from "zod/mini";
import { ACTING_FOR_TEXTS, actingFor, namesAtMostOne } from "./acting-for.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { Visibility } from "./proposal.ts";
import { Moment, oneOf, prose, Timestamp } from "./text.ts";

const Body = prose({ min: 1, max: 10_000 });

/** The comment's author. */
export const CommentAuthor = oneOf(["panelist", "tenant"]);

const EXAMPLE_BODY = "Thank you! Finally something for early mornings.";

/** `panelistId` is null when the tenant wrote it, or when the panelist has been deleted. */
export const Comment = describe(
  z.object({
    id: Id,
    proposalId: Id,
    by: CommentAuthor,
    panelistId: z.nullable(Id),
    body: Body,
    visibility: Visibility,
    createdAt: Timestamp,
  }),
  {
    name: "Comment",
    example: {
      id: "C0mment00001",
      proposalId: "Pr0p0sa1Dark",
      by: "panelist",
      panelistId: "Pa7Ne1isT001",
      body: EXAMPLE_BODY,
      visibility: "public",
      createdAt: "2026-11-20T12:30:00.000Z",
    },
    fields: {
      id: "The comment's identifier.",
      proposalId: "The proposal that it is on.",
      by: "`tenant` for your own comments, `panelist` for the others.",
      panelistId: "The panelist who wrote it. `null` if you wrote it, or once the panelist has been deleted.",
      body: "The text: 1 to 10,000 characters. Line breaks are kept.",
      visibility:
        "`pending`: it waits for your approval, and only its author sees it. `hidden`: no panelist sees it. A panelist's comment is `pending` where the idea bank has `commentApprovalRequired`.",
      createdAt: "When it was written: ISO 8601, UTC, with milliseconds.",
    },
  },
);
export type Comment = z.infer<typeof Comment>;

export const NewComment = describe(z.strictObject({ body: Body }), {
  name: "NewComment",
  example: { body: EXAMPLE_BODY },
  fields: { body: "The text: 1 to 10,000 characters. Line breaks are kept." },
});
export type NewComment = z.infer<typeof NewComment>;

export const CommentChanges = describe(z.strictObject({ body: z.optional(Body), visibility: z.optional(Visibility) }), {
  name: "CommentChanges",
  example: { visibility: "public" },
  fields: {
    body: "The text: 1 to 10,000 characters. Only of your own comments.",
    visibility: "`public` approves a comment that waits; `hidden` takes it away from panelists.",
  },
});
export type CommentChanges = z.infer<typeof CommentChanges>;

/** The tenant's own comment, or one for a panelist. */
export const TenantComment = describe(
  z.strictObject({ body: Body, createdAt: z.optional(Moment), ...actingFor() }).check(namesAtMostOne),
  {
    name: "TenantComment",
    example: { body: EXAMPLE_BODY },
    fields: {
      body: "The text: 1 to 10,000 characters. Line breaks are kept.",
      createdAt: "For imports: when it was written, in ISO 8601 and not in the future.",
      panelistId: `${ACTING_FOR_TEXTS.panelistId} Without one the comment is your own.`,
      panelistExternalId: ACTING_FOR_TEXTS.panelistExternalId,
    },
  },
);
export type TenantComment = z.infer<typeof TenantComment>;

/** For imports. */
export const TenantComments = describe(
  z.strictObject({ comments: z.array(TenantComment).check(z.minLength(1), z.maxLength(100)) }),
  {
    name: "TenantComments",
    example: { comments: [{ body: EXAMPLE_BODY, createdAt: "2026-11-20T12:30:00.000Z" }] },
    fields: { comments: "1 to 100 comments. All of them are written, or none." },
  },
);

/** In the order in which they were sent. */
export const NewComments = describe(z.object({ ids: z.readonly(z.array(Id)) }), {
  name: "NewComments",
  example: { ids: ["C0mment00001"] },
  fields: { ids: "The comments' identifiers, in the order of your list." },
});
export type NewComments = z.infer<typeof NewComments>;

export const CommentQuery = describe(z.strictObject({ ...PAGE_PARAMETERS, panelistId: z.optional(Id) }), {
  name: "CommentQuery",
  fields: { ...PAGE_PARAMETER_TEXTS, panelistId: "Only comments that this panelist wrote." },
});
