import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import type { Call } from "./seen/calls.ts";
import { admissionOf, callsByKey, databaseOf } from "./seen/credentials.ts";
import { faultsOf, faulty, gateEnds, REMEMBERED_MS, steppedAt } from "./seen/faults.ts";
import { limitsBetween } from "./seen/limits.ts";

/** A gate that has not answered by then counts as down. */
const GATE_MS = 2_000;

/**
 * Limit + 1 admissions break the promise only if no moments of decision explain them: the first was sent, and the last answered, within
 * less than a window. Exempt is what "When a store fails" exempts: an answer without `RateLimit` whose gate could not be reached, or
 * did not answer within its two seconds, as when D1 is slow to give it the key's record: D1 itself decided. A crash is no excuse. Steps of
 * the gate's own clock shorten the window by as much: of isolates' clocks nothing is promised but the age of reads.
 */
function* find(history: History): Iterable<Finding> {
  for (const [keyId, calls] of callsByKey(history)) {
    const limits = limitsBetween(history, keyId);
    const counted = calls.filter(
      (call) => admissionOf(call) === "admitted" && call.answer && !uncounted(history, keyId, call),
    );
    const ends = new EndsBefore(counted.map((call) => call.answeredAt));
    // From the last sent to the first: only calls that were sent no earlier are in the tree.
    for (const first of counted.toReversed()) {
      ends.add(first.answeredAt);
      const now = limits(first.at, first.at)?.least;
      const bound = limits(first.at, first.at + (now?.windowMs ?? 0))?.most;
      if (bound === undefined) continue;
      const windowMs =
        bound.windowMs - steppedAt(history, [keyId], first.at - bound.windowMs, first.at + bound.windowMs);
      const inWindow = ends.count(first.at + windowMs);
      if (inWindow <= bound.limit) continue;
      const within = counted.filter((call) => call.at >= first.at && call.answeredAt < first.at + windowMs);
      yield {
        at: Math.max(...within.map((call) => call.answeredAt)),
        found: `${inWindow} requests of key ${keyId} were admitted within ${windowMs} ms; the limit is ${bound.limit}`,
        calls: within.map((call) => call.call),
      };
      break;
    }
  }
}

const uncounted = (history: History, keyId: string, call: Call): boolean =>
  call.answer?.headers.ratelimit === undefined &&
  (isUnreachable(history, keyId, call.at - REMEMBERED_MS, call.answeredAt) ||
    gateEnds(history, keyId, call.at, call.answeredAt) > 1 ||
    (call.answeredAt - call.at >= GATE_MS && faulty(history, "d1", databaseOf(keyId), call.at, call.answeredAt)));

/** One that is overloaded can be reached, and its key is not checked against D1. */
const isUnreachable = (history: History, keyId: string, from: number, to: number): boolean =>
  faultsOf(history).some(
    ({ store, name, how, at, until }) =>
      store === "gate" && (name ?? keyId) === keyId && how !== "overloads" && at <= to && from <= until,
  );

/** How many of the ends that were added lie before a moment: a Fenwick tree over the ranks of all ends. */
class EndsBefore {
  readonly #ends: readonly number[];
  readonly #sums: number[];
  constructor(ends: readonly number[]) {
    this.#ends = ends.toSorted((a, b) => a - b);
    this.#sums = new Array<number>(ends.length + 1).fill(0);
  }
  add(end: number): void {
    for (let i = this.#rank(end) + 1; i < this.#sums.length; i += i & -i) this.#sums[i] = (this.#sums[i] ?? 0) + 1;
  }
  count(before: number): number {
    let sum = 0;
    for (let i = this.#rank(before); i > 0; i -= i & -i) sum += this.#sums[i] ?? 0;
    return sum;
  }
  #rank(end: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const rateLimit = oracle(
  {
    name: "rate-limit-exact",
    promise: "The limit holds",
    words:
      "No span of a key's window holds more admitted requests than the key's limit, in all isolates together and through a crash.",
  },
  find,
);
