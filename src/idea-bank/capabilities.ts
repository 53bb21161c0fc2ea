/** What panelists may do with an idea bank. The one rule behind `GET /ideabank` and behind every panelist surface's gate. */
import type { Capabilities, IdeaBankState } from "../model/idea-bank.ts";

/**
 * Anything but `OPEN`, or a suspended account, closes everything. `internal` closes the proposals, votes and comments,
 * and leaves the changelog alone (contract, changelog rules 4 and 6).
 */
export function capabilitiesOf(
  ideaBank: Pick<IdeaBankState, "accountSuspended" | "status" | "internal" | "changelogEnabled">,
): Capabilities {
  const open = ideaBank.status === "OPEN" && !ideaBank.accountSuspended;
  const participation = open && !ideaBank.internal;
  return {
    canViewChangelog: open && ideaBank.changelogEnabled,
    canViewProposals: participation,
    canSubmitProposals: participation,
    canVote: participation,
    canComment: participation,
  };
}
