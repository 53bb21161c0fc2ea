import type { History, Row } from "../history.ts";
import { type Found, oracle } from "./oracle.ts";
import { type Call, groupBy } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";
import { faulty } from "./seen/faults.ts";

/**
 * The settled `api_key_usage`, all hours of a key together. A request whose answer was lost, or that is 403 or 5xx, may count or not.
 * Exempt from the lower bound: an isolate that served the key and ended, a gate that crashed or was deployed anew, a fault of the
 * gate. Exempt from the upper bound: a crash or deployment (what was reserved counts as used), and a fault of the gate (a call that
 * fails is made once more). An eviction exempts nothing, and no fault of D1: counts are written again.
 */
function* find(history: History): Iterable<Found> {
  const usage = groupBy(
    Object.values(history.settled).flatMap((tables) => tables.api_key_usage ?? []),
    (row) => String(row.api_key_id),
  );
  const keys = new Set(
    Object.values(history.settled)
      .flatMap((tables) => tables.api_keys ?? [])
      .map((row) => row.id),
  );
  const ended = new Set(history.events.flatMap((event) => (event.kind === "isolate-ended" ? [event.isolate] : [])));
  const crashed = new Set(
    history.events.flatMap((event) => (event.kind === "gate-ended" && event.how !== "eviction" ? [event.key] : [])),
  );
  for (const [keyId, calls] of callsByKey(history)) {
    const exempt = crashed.has(keyId) || faulty(history, "gate", keyId, -Infinity, Infinity);
    if (!keys.has(keyId) || exempt) continue;
    const lost = calls.some((call) => ended.has(call.isolate));
    const unknown = calls.filter((call) => admissionOf(call) === "unknown" || !isCounted(call)).length;
    for (const [column, decision] of [
      ["admitted", "admitted"],
      ["limited", "limited"],
    ] as const) {
      const sure = calls.filter((call) => admissionOf(call) === decision && isCounted(call)).length;
      const counted = sum(usage.get(keyId) ?? [], column);
      if ((counted >= sure || lost) && counted <= sure + unknown) continue;
      const end = calls.at(-1);
      yield {
        at: end?.answeredAt ?? 0,
        found: `the chart of key ${keyId} says ${counted} ${column}; answers say ${sure}, and ${unknown} may count or not`,
        calls: end === undefined ? [] : [end.call],
      };
    }
  }
}

/** What D1 decides without the gate is not counted until the gate answers, and says so: its answer has no `RateLimit`. */
const isCounted = (call: Call): boolean =>
  admissionOf(call) !== "admitted" || call.answer?.headers.ratelimit !== undefined;

const sum = (rows: readonly Row[], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);

export const counts = oracle(
  "counts-true",
  "What the owner's chart says includes the requests that an isolate has admitted or refused by itself, within a minute.",
  find,
);
