import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import type { Call } from "./seen/calls.ts";
import { admissionOf, callsByKey } from "./seen/credentials.ts";
import { crashes, faulty, gateEnds, stepped, steppedAt } from "./seen/faults.ts";
import { limitsBetween } from "./seen/limits.ts";
import { rowsOf } from "./seen/rows.ts";

/** How much later than its answer a request may reach a gate that did not answer in time: nothing runs on for longer. */
const LATE_MS = 60_000;
/** What a gate has reserved when it crashes counts as used some seconds later: the promise does not say how many. */
const RESERVED_MS = 10_000;
/** An isolate refuses a key that is over its limit by itself for this long at most. */
const FLOOD_MS = 60_000;

/**
 * How often a request may count, and until when. A call that failed is made once more: what met a fault or a crash of its gate may have
 * been counted twice. What met a fault, and was decided without its gate, counts when the gate hears of it.
 */
const weigh = (history: History, keyId: string, call: Call): Weighed => {
  const isFaulty = faulty(history, "gate", keyId, call.at, call.answeredAt);
  const weight = isFaulty || gateEnds(history, keyId, call.at, call.answeredAt) > 0 ? 2 : 1;
  const isLate = isFaulty && call.answer?.headers.ratelimit === undefined;
  return { call, weight, until: call.answeredAt + (isLate ? LATE_MS : 0) };
};

/**
 * What may have been admitted: all that was not answered 401 or 429. D1 may have refused what meets a fault of its gate: it counts when
 * it reaches the gate, if that has not heard of the refusal yet.
 */
const mayCount = (history: History, keyId: string, call: Call): boolean => {
  const admission = admissionOf(call);
  return admission === "refused" ? faulty(history, "gate", keyId, call.at, call.answeredAt) : admission !== "limited";
};

/**
 * A 429 is explained when, at some moment of the request, all that may have been admitted in the window before, plus a twentieth of
 * the limit for leases (none below a limit of 80), plus one reserve (a twentieth, at least one) for each time that the gate lost its
 * crashed or was restarted (a sleep loses nothing), reaches the limit. Both are of the limit as it was then, also when it is lower now.
 * A lease is dated at its end: two lease lengths more.
 */
function* early(history: History): Iterable<Finding> {
  for (const [keyId, calls] of callsByKey(history)) {
    const limits = limitsBetween(history, keyId);
    const counting = calls.filter((call) => mayCount(history, keyId, call)).map((call) => weigh(history, keyId, call));
    const sums = [0];
    for (const one of counting) sums.push((sums.at(-1) ?? 0) + one.weight);
    const lasting = counting.filter((one) => one.until - one.call.at > 60_000);
    for (const call of calls) {
      if (call.status !== 429) continue;
      const { least: bound } = limits(call.at - 3_600_000, call.answeredAt) ?? {};
      if (bound === undefined) continue;
      const from = call.at - bound.windowMs - 2 * history.settings.leaseMs - 60_000;
      const to = call.answeredAt;
      const low = firstAtOrAfter(counting, from);
      const high = firstAtOrAfter(counting, to + 1);
      const possible =
        precise(counting.slice(low, high), from + 60_000) +
        precise(
          lasting.filter((one) => one.call.at < from),
          from + 60_000,
        );
      const before = limits(from, to)?.most.limit ?? bound.limit;
      const share = Math.floor(before / 20);
      const leases = before < 80 ? 0 : share;
      const reserves = crashes(history, keyId, from + 60_000 - RESERVED_MS, to) * Math.max(1, share);
      if (possible + leases + reserves >= bound.limit || steppedAt(history, [keyId, call.isolate], from, to) > 0)
        continue;
      yield {
        at: call.answeredAt,
        found: `key ${keyId} was refused with at most ${possible} of ${bound.limit} admissions in the window; leases and crashes explain ${leases + reserves}`,
        calls: [call.call],
      };
    }
  }
}

type Weighed = { readonly call: Call; readonly weight: number; readonly until: number };

const precise = (some: readonly Weighed[], from: number): number =>
  some.reduce((sum, one) => sum + (one.until >= from ? one.weight : 0), 0);

const firstAtOrAfter = (sorted: readonly Weighed[], at: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.call.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** After `Retry-After` the request passes, when nothing that may have been admitted was under way since the 429 was asked for. */
function* retryAfter(history: History): Iterable<Finding> {
  for (const [keyId, calls] of callsByKey(history)) {
    const limits = limitsBetween(history, keyId);
    let refused: Call | undefined;
    for (const call of calls) {
      if (call.status !== 429) continue;
      const before = refused;
      refused = call;
      const seconds = Number(before?.answer?.headers["retry-after"]);
      if (before === undefined || !(call.at >= before.answeredAt + seconds * 1000)) continue;
      const from = before.at - history.settings.leaseMs;
      const to = call.answeredAt;
      if (gateEnds(history, keyId, from, to) > 0 || faulty(history, "gate", keyId, from - 10_000, to)) continue;
      // An isolate remembers for a minute at most that the key was over its limit, also when that has changed.
      if (stepped(history, 0, to) > 0 || !same(limits(from - FLOOD_MS, to)) || isRevoked(history, keyId, to)) continue;
      if (calls.some((other) => mayCount(history, keyId, other) && other.at <= to && other.answeredAt >= from))
        continue;
      yield {
        at: to,
        found: `key ${keyId} was refused again after its Retry-After of ${seconds} s, and nothing else had used it`,
        calls: [before.call, call.call],
      };
    }
  }
}

/** A key that was revoked: no isolate admits it, and one that knew of its flood says 429 for up to a minute. */
const isRevoked = (history: History, keyId: string, at: number): boolean =>
  rowsOf(history)
    .versions("api_keys", keyId)
    .some((version) => version.at <= at && version.row?.revoked_at != null);

const same = (limits: ReturnType<ReturnType<typeof limitsBetween>>): boolean =>
  limits !== undefined && limits.most.limit === limits.least.limit && limits.most.windowMs === limits.least.windowMs;

export const earlyRefusals = oracle(
  {
    name: "early-refusals-bounded",
    promise: "No early refusal",
    words:
      "A key is refused for its limit only when its requests, a twentieth for leases and a twentieth for each crash reach the limit.",
  },
  early,
);

export const retryAfterRespected = oracle(
  {
    name: "retry-after-respected",
    promise: "No early refusal",
    words: "After the seconds of `Retry-After` a request is admitted, if nothing else has used the key.",
  },
  retryAfter,
);
