import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import type { Call } from "./seen/calls.ts";
import { allowedAge, judged } from "./seen/matching.ts";

/**
 * Each answer equals the state at ONE committed moment that is not older than allowed: 11 seconds (`FRESHNESS_SECONDS` plus
 * `ANCHOR_SECONDS`) while D1 answers, 5 minutes while it does not; proposals and comments `ANCHOR_SECONDS`, whatever is down. Judged:
 * changelogs with their 304s, capabilities, a proposal, a first page of proposals, and of comments.
 */
const stale = (isMeant: (call: Call) => boolean) =>
  function* (history: History): Iterable<Finding> {
    for (const call of judged(history).unexplained) if (isMeant(call)) yield found(history, call);
  };

const isSearch = ({ operation, path }: Call): boolean => operation === "listSimilarProposals" || /[?&]q=/.test(path);
const LISTED = new Set(["listPanelistProposals", "getPanelistProposal", "listTags", "listPanelistComments"]);

const found = (history: History, call: Call): Finding => ({
  at: call.answeredAt,
  found: `${call.operation} was answered ${call.status}: no state of the last ${allowedAge(history, call)} ms before it was sent, until it was answered, is this`,
  calls: [call.call],
});

export const changelogFresh = oracle(
  {
    name: "changelog-fresh",
    promise: "Fresh",
    words:
      "A changelog is the state of one moment of the last 11 seconds, or of the last 5 minutes while D1 does not answer.",
  },
  stale(({ operation }) => operation === "getChangelog"),
);

export const capabilitiesFresh = oracle(
  {
    name: "capabilities-fresh",
    promise: "Fresh",
    words:
      "`GET /ideabank` shows the state of one moment of the last 11 seconds, or of the last 5 minutes while D1 does not answer.",
  },
  stale(({ operation }) => operation === "getCapabilities"),
);

export const proposalsFresh = oracle(
  {
    name: "proposals-fresh",
    promise: "Fresh",
    words: "Proposals, tags and comments are the state of one moment of the last 6 seconds, whatever is down.",
  },
  stale((call) => LISTED.has(call.operation) && !isSearch(call)),
);

export const proposalsFound = oracle(
  {
    name: "proposals-found",
    promise: "Found",
    words:
      "A search and a list of similar proposals show the public proposals that have the words, as they were in the last 6 seconds.",
  },
  stale(isSearch),
);
