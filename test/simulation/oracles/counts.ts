import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, groupBy } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";
import { faulty } from "./seen/faults.ts";

/** A gate stores within eight seconds what it has decided, and hears within five of what an isolate has: then a crash loses none of it. */
const STORED_MS = 15_000;
/** How late a gate may hear of a request that it did not answer in time. */
const LATE_MS = 60_000;

/**
 * The settled `api_key_usage`, all hours of a key together. Each request has a least and a most that it may count:
 *
 * - An answer that says what was decided, and by whom: 1. One that does not (it was lost, or is 403 or 5xx), or that D1 decided (it has
 *   no `RateLimit`): 0 or 1.
 * - A gate that crashed or was deployed anew may have lost what it decided in the seconds before: 0 is enough for that.
 * - An isolate that ended may have lost what it decided by itself in the seconds before: 0 is enough for that.
 * - What met a fault or the end of its gate may count each time that its isolate called the gate.
 * - A report counts at most once, and is lost when its call fails: 0 is enough for what an isolate decided by itself within seconds of a
 *   fault of its gate.
 *
 * An eviction exempts nothing, and no fault of D1: counts are written again.
 */
function* find(history: History): Iterable<Finding> {
  const usage = groupBy(
    Object.values(history.settled).flatMap((tables) => tables.api_key_usage ?? []),
    (row) => String(row.api_key_id),
  );
  const keys = new Set(
    Object.values(history.settled)
      .flatMap((tables) => tables.api_keys ?? [])
      .map((row) => row.id),
  );
  const endedAt = new Map(
    history.events.flatMap((event) => (event.kind === "isolate-ended" ? [[event.isolate, event.at] as const] : [])),
  );
  for (const [keyId, calls] of callsByKey(history)) {
    if (!keys.has(keyId)) continue;
    const crashes = history.events.flatMap((event) =>
      event.kind === "gate-ended" && event.key === keyId && event.how !== "eviction" ? [event.at] : [],
    );
    const meets = (from: number, to: number): boolean =>
      faulty(history, "gate", keyId, from, to) || crashes.some((at) => at >= from && at <= to);
    const isLost = (call: Call): boolean => {
      const until = call.answeredAt + history.settings.leaseMs + STORED_MS;
      if ((endedAt.get(call.isolate) ?? Infinity) <= until) return true;
      if (crashes.some((at) => at >= call.at && at <= until)) return true;
      return meets(call.at, until);
    };
    for (const [column, decision] of [
      ["admitted", "admitted"],
      ["limited", "limited"],
    ] as const) {
      let [least, most] = [0, 0];
      for (const call of calls) {
        const admission = admissionOf(call);
        const isSure = admission === decision && isCounted(call);
        const late = Math.min(call.answeredAt, call.at + LATE_MS);
        const meetsFault = asksGate(call) && meets(call.at, late);
        if (!isSure && admission !== "unknown" && isCounted(call) && !meetsFault) continue;
        if (isSure && !isLost(call)) least += 1;
        most += meetsFault ? gateCalls(call) : 1;
      }
      const counted = sum(usage.get(keyId) ?? [], column);
      if (counted >= least && counted <= most) continue;
      const end = calls.at(-1);
      yield {
        at: end?.answeredAt ?? 0,
        found: `the chart of key ${keyId} says ${counted} ${column}; answers say ${least} to ${most}`,
        calls: end === undefined ? [] : [end.call],
      };
    }
  }
}

const gateCalls = ({ stores }: Call): number => stores.filter(({ store }) => store === "gate").length;

const asksGate = ({ stores, answeredAt }: Call): boolean =>
  stores.some(({ store, at }) => store === "gate" && at <= answeredAt);

/** What D1 decides without the gate is not counted until the gate answers, and says so: its answer has no `RateLimit`. */
const isCounted = (call: Call): boolean =>
  admissionOf(call) !== "admitted" || call.answer?.headers.ratelimit !== undefined;

const sum = (rows: readonly Row[], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);

export const counts = oracle(
  {
    name: "counts-true",
    promise: "True counts",
    words:
      "The counts of a key's use hold each request at most once, and miss only those that a failed call or a crash has lost.",
  },
  find,
);
