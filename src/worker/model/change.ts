/** The log of changes, as the tenant API shows it: each change, with the resource as it is now. */
import * as z from "zod/mini";
import { Comment } from "./comment.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { IdeaBank } from "./idea-bank.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { ChangedPanelist } from "./panelist.ts";
import { EXAMPLE_PROPOSAL, Proposal } from "./proposal.ts";
import { Survey } from "./survey.ts";
import { SurveyResponse } from "./survey-response.ts";
import { oneOf, Timestamp } from "./text.ts";

export const CHANGE_TYPES = [
  "proposal.created",
  "proposal.updated",
  "proposal.status-changed",
  "proposal.merged",
  "proposal.deleted",
  "comment.created",
  "comment.updated",
  "comment.deleted",
  "panelist.created",
  "panelist.updated",
  "panelist.deleted",
  "ideabank.created",
  "ideabank.updated",
  "ideabank.deleted",
  "survey.created",
  "survey.updated",
  "survey.deleted",
  "survey-response.created",
  "survey-response.updated",
  "survey-response.deleted",
] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** The sender of the request that made the change; `system` for a consequence that came later. */
export const CHANGE_ACTORS = ["tenant", "panelist", "system"] as const;
export type ChangeActor = (typeof CHANGE_ACTORS)[number];

/** A change names the changed resource and those that contain it, and carries each as it is now; null for one that was deleted. */
export const Change = describe(
  z.object({
    type: oneOf(CHANGE_TYPES),
    at: Timestamp,
    by: oneOf(CHANGE_ACTORS),
    apiKeyId: z.nullable(Id),
    ideaBankId: z.optional(Id),
    proposalId: z.optional(Id),
    commentId: z.optional(Id),
    panelistId: z.optional(Id),
    surveyId: z.optional(Id),
    ideaBank: z.optional(z.nullable(IdeaBank)),
    proposal: z.optional(z.nullable(Proposal)),
    comment: z.optional(z.nullable(Comment)),
    panelist: z.optional(z.nullable(ChangedPanelist)),
    survey: z.optional(z.nullable(Survey)),
    response: z.optional(z.nullable(SurveyResponse)),
  }),
  {
    name: "Change",
    example: {
      type: "proposal.status-changed",
      at: "2026-11-20T12:00:00.000Z",
      by: "tenant",
      apiKeyId: "XtwvMRbXxcwn",
      ideaBankId: "b4nKb4nKb4nK",
      proposalId: "Pr0p0sa1Dark",
      proposal: { ...EXAMPLE_PROPOSAL, response: null, tags: [], externalId: null, metadata: {} },
    },
    fields: {
      type: "What happened. New types can be added: ignore those that you do not know.",
      at: "When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.",
      by: "`panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later.",
      apiKeyId:
        "The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token.",
      ideaBankId:
        "The idea bank that has changed, or that the proposal is or was in, or whose panelist's response has changed.",
      proposalId: "The proposal that has changed, or that the comment is or was on.",
      commentId: "The comment that has changed.",
      panelistId:
        "The panelist that has changed, or for whom you have created the proposal or written the comment, or whose response it is.",
      surveyId:
        "The survey that has changed, or whose response it is. Of an anonymous survey there is one `survey-response.created` for each step of five, which names nobody.",
      ideaBank: "Of a change of an idea bank: the idea bank as it is now, or `null` when it is gone.",
      proposal: "Of a change of a proposal or of a comment: the proposal as it is now, or `null` when it is gone.",
      comment: "Of a change of a comment: the comment as it is now, or `null` when it is gone.",
      panelist:
        "Of a change of a panelist: the panelist as it is now, or `null` when it is gone. Absent when the key lacks the scope `panelists:read`.",
      survey:
        "Of a change of a survey: the survey as it is now, or `null` when it is gone. Absent when the key lacks the scope `surveys:read`.",
      response:
        "Of a change of a response: the response as it is now, or `null` when it is gone. Absent for an anonymous survey, and when the key lacks the scope `surveys:read`.",
    },
  },
);
export type Change = z.infer<typeof Change>;

/** The value of `after` for the end of the log. */
export const NOW = "now";

export const ChangeQuery = describe(z.strictObject({ limit: PAGE_PARAMETERS.limit, after: z.optional(z.string()) }), {
  name: "ChangeQuery",
  fields: {
    limit: PAGE_PARAMETER_TEXTS.limit,
    after:
      "The `nextCursor` of the last answer. `now` gives no changes and the place behind the newest one. Absent for the oldest change that is kept.",
  },
});
