import type { History, Oracle, Violation } from "../history.ts";

/** What an oracle found: the promise is the oracle's own. */
export type Finding = Omit<Violation, "promise">;

/** An oracle, from a function that yields each place where a history breaks its words. */
export const oracle = (
  { name, promise, words }: Omit<Oracle, "check">,
  find: (history: History) => Iterable<Finding>,
): Oracle => ({
  name,
  promise,
  words,
  check: (history) => Array.from(find(history), (found) => ({ promise: `${promise}: ${words}`, ...found })),
});
