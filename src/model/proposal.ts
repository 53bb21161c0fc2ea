/** A proposal in an idea bank, and what is said about it. */
import * as z from "zod/mini";
import { Id } from "./id.ts";
import { Description, oneOf, prose, Timestamp, Title } from "./text.ts";

/** Any move between them is allowed: people correct mistakes. */
export const PROPOSAL_STATUSES = [
  "submitted",
  "under-review",
  "planned",
  "in-progress",
  "implemented",
  "declined",
] as const;

export const ProposalStatus = oneOf(PROPOSAL_STATUSES);
export type ProposalStatus = z.infer<typeof ProposalStatus>;

export const Proposal = z.object({
  id: Id,
  title: Title,
  description: Description,
  status: ProposalStatus,
  createdAt: Timestamp,
  lastActivityAt: Timestamp,
});
export type Proposal = z.infer<typeof Proposal>;

export const NewProposal = z.strictObject({
  title: Title,
  description: z._default(Description, ""),
  status: z._default(ProposalStatus, "submitted"),
});
export type NewProposal = z.infer<typeof NewProposal>;

export const ProposalChanges = z.strictObject({
  title: z.optional(Title),
  description: z.optional(Description),
  status: z.optional(ProposalStatus),
});
export type ProposalChanges = z.infer<typeof ProposalChanges>;

/** `panelistId` is null when the panelist has been removed. */
export const Comment = z.object({
  id: Id,
  panelistId: z.nullable(Id),
  body: prose({ min: 1, max: 10_000 }),
  createdAt: Timestamp,
});
export type Comment = z.infer<typeof Comment>;
