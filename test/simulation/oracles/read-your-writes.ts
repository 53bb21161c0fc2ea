import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy, succeeded } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, tokenOf } from "./seen/credentials.ts";
import { isPrimaryFaulty, mayUseBinding } from "./seen/database-faults.ts";
import { accountOfIdeaBank } from "./seen/expected.ts";
import { steppedAt } from "./seen/faults.ts";
import { judged } from "./seen/matching.ts";
import { accountIdOf, rowsOf } from "./seen/rows.ts";

const GOOD_FOR_MS = 60_000;
const LONGEST = 160;
const SECOND_MS = 1_000;
const SHOWN = new Set(["idea_banks", "proposals", "comments", "votes", "panelists"]);

/** "When a store fails": the primary does not answer, and this is answered from memory. */
const mayBeLastView = (history: History, read: Call): boolean =>
  (read.operation === "getChangelog" || read.operation === "getCapabilities") &&
  isPrimaryFaulty(history, read, databaseOf(ideaBankIdOf(tokenOf(read) ?? "")));

/**
 * The new promise: by `Consistency-Token`, in any isolate. (The old one was by isolate: every later answer of the isolate that wrote.)
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
  "read-your-writes",
  "A request of the panelist API that sends `Consistency-Token` back is answered from what includes that write, in any isolate, from any replica.",
  find,
);

/** The accounts whose content a request has written. */
const writtenBy = (call: Call): readonly string[] =>
  call.commits.flatMap(({ changes }) =>
    changes.flatMap(({ table, before, after }) =>
      SHOWN.has(table) ? (accountIdOf(table, after ?? before ?? {}) ?? []) : [],
    ),
  );

/**
 * A tenant's change needs no token in the isolate that made it. While D1 does not answer a view may be the last one ("When a store
 * fails"); a list is 503.
 */
export const tenantsReadTheirWrites = oracle(
  "tenant-reads-its-writes",
  "A tenant's change made through an isolate shows in every later answer of that isolate, whichever D1 replica it reads.",
  function* (history: History): Iterable<Finding> {
    const rows = rowsOf(history);
    const momentOf = new Map(rows.commits.map((commit, moment) => [commit, moment]));
    const made = groupBy(
      callsOf(history).flatMap((call) =>
        call.path.startsWith("/tenant/") && succeeded(call)
          ? [...new Set(writtenBy(call))].map((account) => ({ call, account }))
          : [],
      ),
      ({ call, account }) => `${call.isolate} ${account}`,
    );
    for (const { call: read, last } of judged(history).explained) {
      const bank = ideaBankIdOf(tokenOf(read) ?? "");
      const account = accountOfIdeaBank(rows, bank) ?? "";
      for (const { call: write } of made.get(`${read.isolate} ${account}`) ?? []) {
        const commit = write.commits.findLast(({ at }) => at <= write.answeredAt);
        // This very commit ended the last state that the answer shows: one that came between is not to be told from others' changes.
        if (commit === undefined || write.answeredAt >= read.at || last + 1 !== momentOf.get(commit)) continue;
        if (mayBeLastView(history, read)) continue;
        yield {
          at: read.answeredAt,
          found: `${write.operation} was answered in isolate ${read.isolate}, and ${read.operation} there does not show it`,
          calls: [write.call, read.call],
        };
      }
    }
  },
);

export const consistencyTokens = oracle(
  "consistency-token-given",
  "Every answer to a write carries `Consistency-Token`: opaque, signed, at most 160 characters. While D1 sessions alone hang: without it.",
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
