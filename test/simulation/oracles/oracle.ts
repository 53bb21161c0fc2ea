import type { History, Oracle, Violation } from "../history.ts";

/** What an oracle found: the promise is the oracle's own. */
export type Finding = Omit<Violation, "promise">;

/** An oracle from its name, the promise's words, and a function that yields each place where a history breaks them. */
export const oracle = (name: string, promise: string, find: (history: History) => Iterable<Finding>): Oracle => ({
  name,
  promise,
  check: (history) => Array.from(find(history), (found) => ({ promise, ...found })),
});
