import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { groupBy } from "./seen/calls.ts";
import { tokenOf } from "./seen/credentials.ts";
import { type Explained, judged } from "./seen/matching.ts";

const VIEWED: readonly string[] = ["getChangelog", "getCapabilities"];

/**
 * Of one panelist's answers to one operation in one isolate, the later (sent after the earlier was answered) comes from no older state.
 * Lists of proposals are left out: a replica that is further behind may answer ("Order between requests"). Each answer has the latest moment that explains it; the earlier one's first moment is the floor.
 */
function* find(history: History): Iterable<Finding> {
  const groups = groupBy(
    judged(history).explained.filter(({ call }) => VIEWED.includes(call.operation)),
    ({ call }) => `${call.isolate} ${call.operation} ${call.path} ${tokenOf(call)}`,
  );
  for (const answers of groups.values()) {
    const finished = answers.toSorted((a, b) => a.call.answeredAt - b.call.answeredAt);
    let next = 0;
    let floor: Explained | undefined;
    for (const answer of answers) {
      for (
        let done = finished[next];
        done !== undefined && done.call.answeredAt < answer.call.at;
        done = finished[++next]
      ) {
        if (floor === undefined || done.first > floor.first) floor = done;
      }
      if (floor === undefined || answer.last >= floor.first) continue;
      yield {
        at: answer.call.answeredAt,
        found: `${answer.call.operation} went back in isolate ${answer.call.isolate}: commit ${floor.first} was shown before, now none after ${answer.last}`,
        calls: [floor.call.call, answer.call.call],
      };
    }
  }
}

export const order = oracle(
  {
    name: "no-going-back",
    promise: "Fresh",
    words:
      "In one isolate no changelog and no `GET /ideabank` is older than one that the same token was answered before.",
  },
  find,
);
