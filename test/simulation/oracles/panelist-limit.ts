import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, groupBy } from "./seen/calls.ts";
import { ideaBankIdOf, panelistIdOf, tokenOf } from "./seen/credentials.ts";
import { type FaultSpan, faultsOf } from "./seen/faults.ts";

/** The limits that a request asked. One of which memory knows enough asks none, and a write that must ask D1 also counts as a read. */
const limitsOf = (call: Call): readonly (string | undefined)[] =>
  call.stores.filter(({ store }) => store === "limiter").map(({ name }) => name);

const PERIOD_MS = 60_000;
/** No binding of a history admits fewer in a minute. */
const LEAST = 3;
/** A request may be on its way for so long. */
const WAY_MS = 2_000;

/** A panelist is refused only after so many requests as any limit has; and never while the binding is down. */
export const panelistLimit = oracle(
  {
    name: "panelist-limit",
    promise: "Bounded",
    words:
      "A panelist is refused for its rate only after as many requests as any limit has, and never while the binding is down.",
  },
  function* (history: History): Iterable<Finding> {
    const groups = groupBy(callsOf(history), (call) => {
      const token = tokenOf(call);
      // A visitor's rate is counted by idea bank and address.
      return token === undefined ? undefined : panelistIdOf(token) || ideaBankIdOf(token);
    });
    for (const calls of groups.values()) {
      for (const call of calls) {
        if (call.status !== 429) continue;
        const limits = limitsOf(call);
        const before = calls.filter(
          (one) =>
            limitsOf(one).some((limit) => limits.includes(limit)) &&
            one.at <= call.answeredAt &&
            one.answeredAt >= call.at - PERIOD_MS - WAY_MS,
        );
        const isDown = isLimiterDown(history, call.at, call.answeredAt);
        if (before.length > LEAST && !isDown) continue;
        yield {
          at: call.answeredAt,
          found: `${call.operation} of idea bank ${ideaBankIdOf(tokenOf(call) ?? "")} was answered 429 after ${before.length - 1} others${isDown ? ", while the binding was down" : ""}`,
          calls: [call.call],
        };
      }
    }
  },
);

/** All the time of the request, and it gave no answer at all: of two faults at once, one may let it answer. */
const isLimiterDown = (history: History, from: number, to: number): boolean => {
  const faults = faultsOf(history).filter(({ store, at, until }) => store === "limiter" && at <= to && until >= from);
  const silences = ({ how, at, until }: FaultSpan) => (how === "fails" || how === "hangs") && at <= from && until >= to;
  return faults.length > 0 && faults.every(silences);
};
