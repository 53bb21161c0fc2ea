import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import type { Call } from "./seen/calls.ts";
import { allowedAge, judged } from "./seen/matching.ts";

/**
 * Each answer equals the state at ONE committed moment that is not older than allowed: 11 seconds (`FRESHNESS_SECONDS` plus
 * `ANCHOR_SECONDS`) while D1 answers, 5 minutes while it does not; proposals and comments `ANCHOR_SECONDS`, whatever is down. Judged:
 * changelogs with their 304s, capabilities, a proposal, a first page of proposals, and of comments.
 */
const stale = (operations: readonly string[]) =>
  function* (history: History): Iterable<Finding> {
    for (const call of judged(history).unexplained) if (operations.includes(call.operation)) yield found(history, call);
  };

const found = (history: History, call: Call): Finding => ({
  at: call.answeredAt,
  found: `${call.operation} was answered ${call.status}: no state of the last ${allowedAge(history, call)} ms before it was sent, until it was answered, is this`,
  calls: [call.call],
});

const PROMISE =
  "While D1 answers, nothing that a panelist reads is older than 11 seconds. While D1 does not answer, a changelog is at most 5 minutes old.";

export const changelogFresh = oracle(
  "changelog-fresh",
  `${PROMISE} The items are the public proposals with status \`implemented\`, newest first by last activity, at most the configured maximum; the gate is \`canViewChangelog\`, and \`internal\` does not close it.`,
  stale(["getChangelog"]),
);

export const capabilitiesFresh = oracle("capabilities-fresh", PROMISE, stale(["getCapabilities"]));

export const proposalsFresh = oracle(
  "proposals-fresh",
  PROMISE,
  stale(["listPanelistProposals", "listSimilarProposals", "getPanelistProposal", "listTags", "listPanelistComments"]),
);
