/** The statuses of an idea, as the team reads them. */
import type { ProposalStatus } from "./proposal.ts";

export const STATUS_WORDS: Record<ProposalStatus, string> = {
  submitted: "Submitted",
  "under-review": "Under review",
  planned: "Planned",
  "in-progress": "In progress",
  implemented: "Done",
  declined: "Declined",
};
