import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf } from "./seen/calls.ts";
import { databaseOf, ideaBankIdOf, keyIdOf, tokenOf } from "./seen/credentials.ts";
import { bindingUsedFrom } from "./seen/database-faults.ts";
import { DEADLINE_MS, type FaultSpan, faultsOf, faulty, stepped } from "./seen/faults.ts";

/** What a read may take by the binding, wherever the primary is, and on the network. */
const AS_EVER_MS = 1_500;

/** Something else may make it wait. */
const isOther = (history: History, fault: FaultSpan, call: Call): boolean =>
  faultsOf(history).some(
    (other) =>
      other !== fault && other.store === "d1" && other.at <= call.answeredAt && call.at - DEADLINE_MS <= other.until,
  ) ||
  (["gate", "kv", "limiter"] as const).some((store) =>
    faulty(history, store, undefined, call.at - DEADLINE_MS, call.answeredAt),
  );

/** Nobody waits. `available` is about 503, and the oracles of freshness about what is shown. */
export const hungSessions = oracle(
  {
    name: "hung-sessions",
    promise: "Served in an outage",
    words: "While D1 sessions alone hang, no read waits from the fifth second after its isolate has first waited.",
  },
  function* (history: History): Iterable<Finding> {
    for (const call of callsOf(history)) {
      const token = tokenOf(call);
      const id = token === undefined ? keyIdOf(call) : ideaBankIdOf(token);
      const tookMs = call.answeredAt - call.at;
      if (call.method !== "GET" || call.answer === undefined || id === undefined || tookMs <= AS_EVER_MS) continue;
      const fault = faultsOf(history).find(
        (each) =>
          call.at >= bindingUsedFrom(history, each, call.isolate, databaseOf(id)) && call.answeredAt <= each.until,
      );
      if (fault === undefined || stepped(history, fault.at, call.answeredAt) > 0) continue;
      if (isOther(history, fault, call)) continue;
      yield {
        at: call.answeredAt,
        found: `${call.operation} took ${tookMs} ms; sessions hang since ${fault.at}, and this isolate waited for one long before`,
        calls: [call.call],
      };
    }
  },
);
