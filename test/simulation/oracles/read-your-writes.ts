import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, succeeded } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, tokenOf } from "./seen/credentials.ts";
import { isPrimaryFaulty, mayUseBinding } from "./seen/database-faults.ts";
import { steppedAt } from "./seen/faults.ts";
import { judged } from "./seen/matching.ts";
import { rowsOf } from "./seen/rows.ts";

const GOOD_FOR_MS = 60_000;
const LONGEST = 160;
const SECOND_MS = 1_000;
const SHOWN = new Set(["idea_banks", "proposals", "comments", "votes", "panelists"]);

/** "When a store fails": the primary does not answer, and this is answered from memory. */
const mayBeLastView = (history: History, read: Call): boolean =>
  (read.operation === "getChangelog" || read.operation === "getCapabilities") &&
  isPrimaryFaulty(history, read, databaseOf(ideaBankIdOf(tokenOf(read) ?? "")));

/**
 * A read that D1 cannot answer is 503: it is not judged. While D1 does not answer a view may be the last one. The token is good for 60
 * seconds from the write's commit.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const momentOf = new Map(rows.commits.map((commit, moment) => [commit, moment]));
  const writes = new Map<string, { readonly call: Call; readonly moment: number }>();
  for (const call of callsOf(history)) {
    const given = call.answer?.headers["consistency-token"];
    // What follows the answer is no part of the write, nor is a delivery, which may come before it.
    const last = call.commits.findLast(
      ({ at, changes }) => at <= call.answeredAt && changes.some(({ table }) => SHOWN.has(table)),
    );
    if (given !== undefined && last !== undefined && succeeded(call))
      writes.set(given, { call, moment: momentOf.get(last) ?? -1 });
  }
  for (const { call: read, last } of judged(history).explained) {
    const write = writes.get(read.headers["consistency-token"] ?? "");
    if (write === undefined || read.at < write.call.answeredAt || tokenOf(read) !== tokenOf(write.call)) continue;
    if (read.answeredAt > write.call.at + GOOD_FOR_MS || last >= write.moment || mayBeLastView(history, read)) continue;
    // A token from more than a second ahead is ignored.
    if (steppedAt(history, [write.call.isolate, read.isolate], 0, read.answeredAt) > SECOND_MS) continue;
    yield {
      at: read.answeredAt,
      found: `${read.operation} sent back the Consistency-Token of a write, and its answer does not include the write`,
      calls: [write.call.call, read.call],
    };
  }
}

export const readYourWrites = oracle(
  {
    name: "read-your-writes",
    promise: "Read your writes",
    words:
      "A request that sends a `Consistency-Token` back is answered from data that includes its write, in any isolate.",
  },
  find,
);

export const consistencyTokens = oracle(
  {
    name: "consistency-token-given",
    promise: "Read your writes",
    words:
      "Every answer to a panelist's write has a `Consistency-Token`, but in an outage of D1 and until the isolate has found that it is over.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      const token = tokenOf(call);
      if (token === undefined || call.method === "GET" || !succeeded(call) || call.commits.length === 0) continue;
      const given = call.answer?.headers["consistency-token"];
      if (given !== undefined && given.length <= LONGEST) continue;
      if (given === undefined && mayUseBinding(history, call, databaseOf(ideaBankIdOf(token)))) continue;
      yield {
        at: call.answeredAt,
        found:
          given === undefined
            ? `${call.operation} wrote, and its answer has no Consistency-Token`
            : `a Consistency-Token of ${given.length} characters`,
        calls: [call.call],
      };
    }
  },
);
