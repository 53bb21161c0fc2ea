import type { FaultBegan, History, Store } from "../../history.ts";

/** A fault with its end; one that never ended lasts forever. */
export type FaultSpan = FaultBegan & { readonly until: number };

/** After a failure what memory holds is used for up to this long: an answer may show a fault that has just ended. */
export const REMEMBERED_MS = 5_000;
/** The longest deadline of a call to a store: what hung when the fault ended may hang so much longer. */
export const DEADLINE_MS = 10_000;

const known = new WeakMap<History, readonly FaultSpan[]>();

export const faultsOf = (history: History): readonly FaultSpan[] => {
  const before = known.get(history);
  if (before !== undefined) return before;
  const ends = new Map<number, number>();
  for (const event of history.events) if (event.kind === "fault-ended") ends.set(event.fault, event.at);
  const spans = history.events.flatMap((event) =>
    event.kind === "fault-began" ? [{ ...event, until: ends.get(event.fault) ?? Number.POSITIVE_INFINITY }] : [],
  );
  known.set(history, spans);
  return spans;
};

/**
 * Whether a store was faulty at some moment between `from` and `to`. `name` is a database's digit or a gate's key; a fault without a
 * name is of all of them. A replica that is stopped answers: its age is what freshness is promised against, so it is no fault here.
 */
export const faulty = (history: History, store: Store, name: string | undefined, from: number, to: number): boolean =>
  faultsOf(history).some(
    (fault) =>
      fault.store === store &&
      (fault.name === undefined || name === undefined || fault.name === name) &&
      (fault.how as string) !== "stopped" &&
      fault.at <= to &&
      from <= fault.until,
  );

/** How often a gate lost its memory between two moments. */
export const gateEnds = (history: History, key: string, from: number, to: number): number =>
  count(history, "gate-ended", (event) => event.kind === "gate-ended" && event.key === key, from, to);

export const isolateEnded = (history: History, isolate: string, from: number, to: number): boolean =>
  count(history, "isolate-ended", (event) => event.kind === "isolate-ended" && event.isolate === isolate, from, to) > 0;

/** By how many milliseconds clocks were stepped between two moments, whichever way. */
export const stepped = (history: History, from: number, to: number): number =>
  events(history, "clock-stepped")
    .filter((event) => event.at >= from && event.at <= to)
    .reduce((sum, event) => sum + (event.kind === "clock-stepped" ? Math.abs(event.by) : 0), 0);

/**
 * An age that an isolate may allow at a moment, by the world's clock: what it held while its clock stepped back seems younger by as much
 * (promises.md, "Not promised").
 */
export function ageWithSteps(history: History, isolate: string, ageMs: number, at: number): number {
  let [withSteps, allowedMs] = [ageMs, ageMs];
  for (const event of events(history, "clock-stepped").toReversed()) {
    if (event.kind !== "clock-stepped" || event.where !== isolate || event.at > at || event.by > 0) continue;
    withSteps -= event.by;
    // Only what was held before the step seems younger.
    if (event.at >= at - withSteps) allowedMs = withSteps;
  }
  return allowedMs;
}
/** Whether a clock has stepped back since `from`, and at `at` has not come to that time again. */
export const isBehind = (history: History, where: string, from: number, at: number): boolean =>
  events(history, "clock-stepped").some(
    (event) =>
      event.kind === "clock-stepped" &&
      event.where === where &&
      event.at >= from &&
      event.at <= at &&
      at < event.at - event.by,
  );

/** The next isolate of a machine has its clock. A gate's key is its own. */
const machineOf = (where: string): string | undefined => where.split(".", 1)[0];

/** By how many milliseconds some clocks were stepped: of isolates' machines, or of gates' keys. */
export function steppedAt(history: History, where: readonly string[], from: number, to: number): number {
  const machines = new Set(where.map(machineOf));
  return events(history, "clock-stepped").reduce(
    (sum, event) =>
      event.kind === "clock-stepped" && machines.has(machineOf(event.where)) && event.at >= from && event.at <= to
        ? sum + Math.abs(event.by)
        : sum,
    0,
  );
}

/** How often a gate crashed or was deployed anew. */
export const crashes = (history: History, key: string, from: number, to: number): number =>
  count(
    history,
    "gate-ended",
    (event) => event.kind === "gate-ended" && event.key === key && event.how !== "eviction",
    from,
    to,
  );

const kinds = new WeakMap<History, Map<string, History["events"]>>();

const events = (history: History, kind: string): History["events"] => {
  let byKind = kinds.get(history);
  if (byKind === undefined) {
    byKind = new Map();
    kinds.set(history, byKind);
  }
  let list = byKind.get(kind);
  if (list === undefined) {
    list = history.events.filter((event) => event.kind === kind);
    byKind.set(kind, list);
  }
  return list;
};

const count = (
  history: History,
  kind: string,
  matches: (event: History["events"][number]) => boolean,
  from: number,
  to: number,
): number => events(history, kind).filter((event) => event.at >= from && event.at <= to && matches(event)).length;
