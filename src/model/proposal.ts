/** A proposal in an idea bank, as its tenant sees it. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { PAGE_PARAMETER_TEXTS, PAGE_PARAMETERS } from "./pagination.ts";
import { Description, oneOf, Timestamp, Title } from "./text.ts";

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

export const ProposalQuery = z.strictObject({ ...PAGE_PARAMETERS, status: z.optional(ProposalStatus) });

if (!import.meta.deployed) {
  const editable = {
    title: "The title: one line of 1 to 200 characters.",
    description: "The description: at most 10,000 characters. Line breaks are kept.",
    status: "Where the proposal stands. `implemented` puts it into the changelog. Any change of status is allowed.",
  };
  const text = { title: "Dark mode", description: "Follows the phone's own setting. The map, too." };
  describe(Proposal, {
    name: "Proposal",
    example: {
      id: "Pr0p0sa1Dark",
      ...text,
      status: "implemented",
      createdAt: "2026-11-05T08:00:00.000Z",
      lastActivityAt: "2026-11-20T12:00:00.000Z",
    },
    fields: {
      id: "The proposal's identifier.",
      ...editable,
      createdAt: "When it was created: ISO 8601, UTC, with milliseconds.",
      lastActivityAt: "Its last edit, change of status or comment: ISO 8601, UTC, with milliseconds.",
    },
  });
  describe(NewProposal, { name: "NewProposal", example: text, fields: editable });
  describe(ProposalChanges, { name: "ProposalChanges", example: { status: "implemented" }, fields: editable });
  describe(ProposalQuery, {
    name: "ProposalQuery",
    fields: { ...PAGE_PARAMETER_TEXTS, status: "Only proposals with this status." },
  });
}
