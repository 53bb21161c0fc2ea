import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { groupBy } from "./seen/calls.ts";
import { isolateEnded } from "./seen/faults.ts";
import { type Counted, type Look, looksByKey } from "./seen/key-looks.ts";
import { behindMs, isTroubled, type KeyRequest, requestsByKey } from "./seen/key-requests.ts";

/** How long a request whose answer was lost may have been under way. */
const LONGEST_CALL_MS = 40_000;

/**
 * How many requests were admitted, by operation. A fault makes numbers uncertain: the totals may then say more, and a request that was made
 * again may count twice. Without one they add up, and each operation has what was admitted.
 */
function* find(history: History): Iterable<Finding> {
  const requests = requestsByKey(history);
  for (const [keyId, looks] of looksByKey(history)) {
    for (const look of looks) {
      const sent = (requests.get(keyId) ?? []).filter(
        ({ call, is }) => call.at <= look.call.answeredAt && is !== "none",
      );
      const isWell =
        !isTroubled(history, keyId, -Infinity, look.call.answeredAt) &&
        !sent.some(({ call }) => isolateEnded(history, call.isolate, call.at, look.call.answeredAt));
      const isSeen = isBefore(history, look);
      // Of what met a fault one part may be lost.
      const isOnItsWay = (request: KeyRequest) => !isSeen(request) || (!isWell && request.is === "either");
      const found = [
        ...days(look),
        ...totals(look, sent.filter(isOnItsWay).length, isWell),
        ...(isWell ? answers(history, look, sent) : doubts(look, sent)),
      ];
      yield* found.map((words) => ({
        at: look.call.answeredAt,
        found: `key ${keyId}: ${words}`,
        calls: [look.call.call],
      }));
    }
  }
}

/** The histories are all of one day, and shorter than what hours are shown of. */
function* days({ shown }: Look): Iterable<string> {
  const [hours, days] = [sumsOf(shown.hours), sumsOf(shown.days)];
  for (const name of new Set([...hours.keys(), ...days.keys()])) {
    const [byHours, byDays] = [hours.get(name) ?? 0, days.get(name) ?? 0];
    if (byHours !== byDays) yield `${name} is ${byHours} by hours, and ${byDays} by days`;
  }
}

/** Both are a few seconds behind, and what an isolate has decided by a lease may come in two parts: as many may be in one of them. */
function* totals({ shown }: Look, onTheirWay: number, isWell: boolean): Iterable<string> {
  const totals = new Map(shown.items.map(({ hour, admitted }) => [hour, admitted]));
  const byHour = groupBy(shown.hours, (row) => row.start);
  for (const hour of new Set([...totals.keys(), ...byHour.keys()])) {
    const total = totals.get(hour) ?? 0;
    const sum = sumOf(byHour.get(hour) ?? []);
    if (sum > total + onTheirWay || (isWell && sum + onTheirWay < total))
      yield `of ${hour} operations have ${sum}, the totals ${total}`;
  }
}

/** What may count was admitted; what must was answered long ago. */
function* answers(history: History, look: Look, sent: readonly KeyRequest[]): Iterable<string> {
  const { hours } = look.shown;
  const isOld = isBefore(history, look);
  const may = sent.filter(({ is }) => is === "use" || is === "either");
  const must = sent.filter((request) => request.is === "use" && isOld(request));
  for (const operation of new Set([...hours, ...may.map(({ facts }) => facts)].map((one) => one.operation))) {
    const shown = sumOf(hours.filter((row) => row.operation === operation));
    const own = (some: readonly KeyRequest[]) => some.filter(({ facts }) => facts.operation === operation).length;
    yield* within(operation, shown, own(must), own(may));
  }
}

function* within(name: string, number: number, least: number, most: number): Iterable<string> {
  if (number < least || number > most) yield `${name} is ${number}; answers say ${least} to ${most}`;
}

function* doubts({ shown }: Look, sent: readonly KeyRequest[]): Iterable<string> {
  for (const [operation, rows] of groupBy(shown.hours, (row) => row.operation)) {
    const own = sent.filter(({ facts }) => facts.operation === operation);
    const most = own.reduce((sum, { times }) => sum + times, 0);
    yield* within(operation, sumOf(rows), 0, most);
  }
}

/** Its owner must see what was answered so long ago. */
const isBefore =
  (history: History, look: Look) =>
  ({ call }: KeyRequest): boolean =>
    Math.min(call.answeredAt, call.at + LONGEST_CALL_MS) + behindMs(history) <= look.call.at;

const sumOf = (rows: readonly Counted[]): number => rows.reduce((sum, { admitted }) => sum + admitted, 0);

/** By operation. */
const sumsOf = (rows: readonly Counted[]): ReadonlyMap<string, number> =>
  new Map([...groupBy(rows, (row) => row.operation)].map(([operation, own]) => [operation, sumOf(own)]));

export const operationCounts = oracle(
  {
    name: "operations-add-up",
    promise: "True counts",
    words: "Without a fault, the counts of a key by operation add up to its totals.",
  },
  find,
);
