/** Idea banks and ideas in words, for the team. */
import type { IdeaBankStatus } from "../../model/idea-bank.ts";
import type { ProposalStatus, Visibility } from "../../model/proposal.ts";

/** The statuses of an idea bank: name and effect. */
export const BANK_STATUSES: Record<IdeaBankStatus, readonly [name: string, effect: string]> = {
  DRAFT: ["Draft", "Nobody but your team sees it. Prepare it, then open it."],
  OPEN: ["Open", "People use it, as far as the switches below allow."],
  CLOSED: ["Closed", "People see nothing of it, the changelog included. All ideas stay stored."],
};

/** The switches of an idea bank: name, and effect while it is on. */
export const BANK_SWITCHES = {
  submissionsEnabled: ["New ideas", "People submit ideas."],
  votingEnabled: ["Votes", "People vote, and take votes back."],
  commentsEnabled: ["Comments", "People comment."],
  approvalRequired: ["Approval", "A new or edited idea is seen by others after you have approved it."],
  internal: ["Internal", "Ideas, votes and comments are closed to people, whatever is on above. The changelog is not."],
} as const;

export const CHANGELOG_SWITCH = [
  "Changelog",
  "People read which ideas are done, while the idea bank is open.",
] as const;

export const IDEA_STATUSES: Record<ProposalStatus, string> = {
  submitted: "Submitted",
  "under-review": "Under review",
  planned: "Planned",
  "in-progress": "In progress",
  implemented: "Done",
  declined: "Declined",
};

/** The visibilities of an idea: name, and the people who see it. */
export const IDEA_VISIBILITIES: Record<Visibility, readonly [name: string, effect: string]> = {
  public: ["Public", "Everybody sees it."],
  pending: ["Waiting", "Its author and your team see it, until you approve it."],
  hidden: ["Hidden", "Only your team sees it."],
};

/** "1 vote", "2 votes". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
