/** Decides what panelists may do with an idea bank: one rule for `GET /ideabank` and for every panelist operation. */
import type { Capabilities, Capability, IdeaBankSwitches } from "./idea-bank.ts";

/**
 * The conditions of capabilities. `database/panelists/panelist-access.ts` has the same rules in SQL, for writes that check them in their
 * transaction.
 */
const CONDITIONS = {
  open: ({ status, accountSuspended }) => status === "OPEN" && !accountSuspended,
  notInternal: ({ internal }) => !internal,
  changelogEnabled: (ideaBank) => ideaBank.changelogEnabled,
  submissionsEnabled: (ideaBank) => ideaBank.submissionsEnabled,
  votingEnabled: (ideaBank) => ideaBank.votingEnabled,
  commentsEnabled: (ideaBank) => ideaBank.commentsEnabled,
  surveysEnabled: (ideaBank) => ideaBank.surveysEnabled,
} satisfies Record<string, (ideaBank: IdeaBankSwitches) => boolean>;

export type Condition = keyof typeof CONDITIONS;

/** Contract, changelog rules 4 and 6: `internal` closes the capabilities of proposals, neither the changelog's nor the surveys'. */
export const REQUIRED: Readonly<Record<Capability, readonly Condition[]>> = {
  canViewChangelog: ["open", "changelogEnabled"],
  canViewProposals: ["open", "notInternal"],
  canSubmitProposals: ["open", "notInternal", "submissionsEnabled"],
  canVote: ["open", "notInternal", "votingEnabled"],
  canComment: ["open", "notInternal", "commentsEnabled"],
  canAnswerSurveys: ["open", "surveysEnabled"],
};

export const hasCapability = (ideaBank: IdeaBankSwitches, capability: Capability): boolean =>
  REQUIRED[capability].every((condition) => CONDITIONS[condition](ideaBank));

/** The capabilities of a visitor, who only reads. */
export const forVisitor = (capabilities: Capabilities): Capabilities => ({
  ...capabilities,
  canSubmitProposals: false,
  canVote: false,
  canComment: false,
  canAnswerSurveys: false,
});

/** All closed for an idea bank that does not exist (null). */
export const capabilitiesOf = (ideaBank: IdeaBankSwitches | null): Capabilities => {
  const has = (capability: Capability) => ideaBank !== null && hasCapability(ideaBank, capability);
  return {
    canViewChangelog: has("canViewChangelog"),
    canViewProposals: has("canViewProposals"),
    canSubmitProposals: has("canSubmitProposals"),
    canVote: has("canVote"),
    canComment: has("canComment"),
    canAnswerSurveys: has("canAnswerSurveys"),
  };
};
