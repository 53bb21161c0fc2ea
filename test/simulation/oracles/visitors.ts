import { type Finding, oracle } from "./oracle.ts";
import { callsOf } from "./seen/calls.ts";
import { isVisitors, tokenOf } from "./seen/credentials.ts";

/** A visitor's write is refused, and no request of one commits anything. */
export const visitorsOnlyRead = oracle(
  {
    name: "visitors-only-read",
    promise: "Visitors only read",
    words: "A visitor's token changes nothing, and each of its writes is refused.",
  },
  function* (history): Iterable<Finding> {
    for (const call of callsOf(history)) {
      if (!isVisitors(tokenOf(call) ?? "")) continue;
      // 429: with the token of a missing idea bank the request must ask D1, and counts.
      const isRefused =
        call.method === "GET" || call.status === undefined || [401, 403, 429, 503].includes(call.status);
      if (isRefused && call.commits.length === 0) continue;
      const found = `a visitor's ${call.operation} was answered ${call.status}, with ${call.commits.length} commits`;
      yield { at: call.answeredAt, found, calls: [call.call] };
    }
  },
);
