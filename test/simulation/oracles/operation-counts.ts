import type { History } from "../history.ts";
import { type Found, oracle } from "./oracle.ts";
import { groupBy } from "./seen/calls.ts";
import { isolateEnded } from "./seen/faults.ts";
import { CLASSES, type Class, type Counted, type Look, looksByKey } from "./seen/key-looks.ts";
import { behindMs, isTroubled, type KeyRequest, requestsByKey } from "./seen/key-requests.ts";

/** So many numbers are kept of a key and hour; what is beyond is counted under one name. */
const MOST_NUMBERS = 64;
const OTHER = "other";
/** How long a request whose answer was lost may have been under way. */
const PATIENCE_MS = 40_000;
const ANSWERED: readonly Class[] = ["status2xx", "status4xx", "status5xx"];

/**
 * How requests were answered, by operation. A fault makes numbers uncertain: the totals may then say more, and a request that was made
 * again may count twice. Without one they add up, and each operation has what was answered.
 */
function* find(history: History): Iterable<Found> {
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
        ...numbers(look.shown.hours),
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

function* numbers(hours: readonly Counted[]): Iterable<string> {
  for (const [start, rows] of groupBy(hours, (row) => row.start)) {
    const kept = rows.flatMap((row) => CLASSES.filter((name) => row[name] > 0)).length;
    if (kept > MOST_NUMBERS) yield `${start} has ${kept} numbers`;
  }
  // Its only answer is known when it is admitted.
  for (const row of hours) if (row.operation === "whoami" && row.untold > 0) yield `${row.untold} of whoami are untold`;
}

/** The histories are all of one day, and shorter than what hours are shown of. */
function* days({ shown }: Look): Iterable<string> {
  const [hours, days] = [sumsOf(shown.hours), sumsOf(shown.days)];
  for (const name of new Set([...hours.keys(), ...days.keys()])) {
    const [byHours, byDays] = [hours.get(name) ?? 0, days.get(name) ?? 0];
    if (byHours !== byDays) yield `${name} is ${byHours} by hours, and ${byDays} by days`;
  }
}

/** Both are about a minute behind, and what an isolate has decided by a lease may come in two parts: as many may be in one of them. */
function* totals({ shown }: Look, onTheirWay: number, isWell: boolean): Iterable<string> {
  const totals = new Map(shown.items.map(({ hour, admitted, limited }) => [hour, admitted + limited]));
  const byHour = groupBy(shown.hours, (row) => row.start);
  for (const hour of new Set([...totals.keys(), ...byHour.keys()])) {
    const total = totals.get(hour) ?? 0;
    const sum = sumOf(byHour.get(hour) ?? [], CLASSES);
    if (sum > total + onTheirWay || (isWell && sum + onTheirWay < total))
      yield `of ${hour} operations have ${sum}, the totals ${total}`;
  }
}

/** What may count is admitted or over the limit; what must was answered long ago. */
function* answers(history: History, look: Look, sent: readonly KeyRequest[]): Iterable<string> {
  const { hours } = look.shown;
  const hasOther = hours.some(({ operation }) => operation === OTHER);
  const isOld = isBefore(history, look);
  const may = sent.filter((request) => counts(request) || request.is === "either");
  const must = sent.filter((request) => counts(request) && isOld(request));
  const uses = sent.filter((request) => request.is === "use" && isOld(request));
  for (const operation of new Set([...hours, ...may.map(({ facts }) => facts)].map((one) => one.operation))) {
    if (operation === OTHER) continue;
    const rows = hours.filter((row) => row.operation === operation);
    const own = (some: readonly KeyRequest[]) => some.filter(({ facts }) => facts.operation === operation);
    yield* within(`${operation}`, sumOf(rows, CLASSES), hasOther ? 0 : own(must).length, own(may).length);
    for (const name of ANSWERED) {
      const told = own(must).filter((request) => classOf(request) === name && isAnswerTold(request, uses));
      const most = own(may).filter((request) => [name, undefined].includes(classOf(request)));
      yield* within(`${operation} ${name}`, sumOf(rows, [name]), hasOther ? 0 : told.length, most.length);
    }
  }
}

function* within(name: string, number: number, least: number, most: number): Iterable<string> {
  if (number < least || number > most) yield `${name} is ${number}; answers say ${least} to ${most}`;
}

function* doubts({ shown }: Look, sent: readonly KeyRequest[]): Iterable<string> {
  for (const [operation, rows] of groupBy(shown.hours, (row) => row.operation)) {
    const own = sent.filter(({ facts }) => facts.operation === operation);
    const most = own.reduce((sum, { times }) => sum + times, 0);
    if (operation !== OTHER) yield* within(operation, sumOf(rows, CLASSES), 0, most);
  }
}

/** Its owner must see what was answered so long ago. */
const isBefore =
  (history: History, look: Look) =>
  ({ call }: KeyRequest): boolean =>
    Math.min(call.answeredAt, call.at + PATIENCE_MS) + behindMs(history) <= look.call.at;

const counts = ({ is, reasons }: KeyRequest): boolean => is === "use" || reasons.includes("limited");

/** Undefined when the answer was lost, or says that a store did not answer: the key's gate may know more. */
const classOf = ({ call: { status = 500 } }: KeyRequest): Class | undefined =>
  status < 300 ? "status2xx" : status < 500 ? "status4xx" : undefined;

/** whoami's answers and refusals are known at once, others with the next request with that secret to the same isolate. */
const isAnswerTold = ({ is, facts, call, hash }: KeyRequest, uses: readonly KeyRequest[]): boolean =>
  is === "refusal" ||
  facts.operation === "whoami" ||
  uses.some((next) => next.hash === hash && next.call.isolate === call.isolate && next.call.at > call.answeredAt);

const sumOf = (rows: readonly Counted[], names: readonly Class[]): number =>
  rows.reduce((sum, row) => names.reduce((more, name) => more + row[name], sum), 0);

/** By operation and class. */
const sumsOf = (rows: readonly Counted[]): ReadonlyMap<string, number> =>
  new Map(
    [...groupBy(rows, (row) => row.operation)].flatMap(([operation, own]) =>
      CLASSES.map((name) => [`${operation} ${name}`, sumOf(own, [name])]),
    ),
  );

export const operationCounts = oracle(
  "operations-add-up",
  "Counts by operation are at most 64 of a key and hour, and, without a fault, add up to the totals.",
  find,
);
