/**
 * Whether a request may show that its database is at fault. Sessions that hang while the database answers without them excuse less than
 * other faults: "As ever from the fifth second on", because the isolate then uses the binding (promises.md, "When a store fails").
 */
import type { History } from "../../history.ts";
import { type Call, callsOf } from "./calls.ts";
import { type FaultSpan, faultsOf, REMEMBERED_MS, stepped } from "./faults.ts";

/** So long after its first wait an isolate uses the binding. */
const FOUND_MS = 5_000;
/** A call that has not been answered for so long has waited, and a view's read has missed its deadline. */
const WAITED_MS = 2_000;
/** While somebody asks again within so long of a failure, the others get the older view, or the failure. */
const TOLD_MS = 2_000;
/** The longest that a slow store takes in a history. */
const SLOWEST_MS = 25_000;

const DATABASES = ["0", "1"];

const hangs = ({ store, how }: FaultSpan): boolean => store === "d1" && how === "sessions-hang";
const isOf = ({ name }: FaultSpan, database: string): boolean => (name ?? database) === database;

/** What else is wrong with the database is over, and is felt no more: until then nobody can tell that its sessions alone hang. */
const clearFrom = (history: History, fault: FaultSpan, database: string): number =>
  Math.max(
    fault.at,
    ...faultsOf(history)
      .filter((other) => other.store === "d1" && !hangs(other) && other.how !== "stopped" && isOf(other, database))
      .filter((other) => other.at < fault.until)
      .map(({ until, how }) => until + (how === "slow" ? SLOWEST_MS : TOLD_MS)),
  );

const known = new WeakMap<FaultSpan, Map<string, number>>();

/** When an isolate first waited for a session of the database, for an answer that somebody got; Infinity if it never did. */
function findFirstWait(history: History, fault: FaultSpan, isolate: string, database: string): number {
  const from = clearFrom(history, fault, database);
  const waited = callsOf(history)
    .filter((call) => call.isolate === isolate && call.answer !== undefined && call.operation !== "getHealth")
    .flatMap((call) =>
      call.stores
        .filter(({ store, name, inSession }) => store === "d1" && name === database && inSession)
        .filter(({ at }) => at >= from && at < fault.until)
        .filter(({ at }) => call.status === 503 || call.answeredAt - at >= WAITED_MS)
        .map(({ at }) => at),
    );
  return Math.min(Infinity, ...waited);
}

/** When an isolate has begun to use the binding in place of a database's sessions; Infinity if it has not, or for another fault. */
export function bindingUsedFrom(history: History, fault: FaultSpan, isolate: string, database: string): number {
  if (!hangs(fault) || !isOf(fault, database)) return Infinity;
  const waits = known.get(fault) ?? new Map<string, number>();
  known.set(fault, waits);
  const name = `${isolate} ${database}`;
  const first = waits.get(name) ?? findFirstWait(history, fault, isolate, database);
  waits.set(name, first);
  return first + FOUND_MS;
}

/**
 * Whether an isolate uses the binding, and all that had begun before is over ("Deadlines"): a read that has missed its deadline, and the
 * failure that is told afterwards.
 */
const isOver = (history: History, fault: FaultSpan, { isolate, at }: Call, database: string): boolean =>
  at >= bindingUsedFrom(history, fault, isolate, database) + WAITED_MS + TOLD_MS + stepped(history, fault.at, at);

/** What is at fault between `from` and the answer, as this request may notice. Without `database`: any of them. */
const feltBy = (history: History, call: Call, database: string | undefined, from: number): readonly FaultSpan[] =>
  faultsOf(history).filter((fault) => {
    const databases = DATABASES.filter((each) => (database ?? each) === each && isOf(fault, each));
    return (
      fault.store === "d1" &&
      fault.at <= call.answeredAt &&
      from <= fault.until &&
      !databases.every((each) => isOver(history, fault, call, each))
    );
  });

/** A replica that is stopped answers: its age is what freshness is promised against, so it is no fault here. */
export const isDatabaseFaulty = (history: History, call: Call, database: string | undefined, from: number): boolean =>
  feltBy(history, call, database, from).some(({ how }) => how !== "stopped");

/** The same of a database's primary: a replica alone that does not answer is no excuse, since the primary does. */
export const isPrimaryFaulty = (history: History, call: Call, database: string): boolean =>
  feltBy(history, call, database, call.at - REMEMBERED_MS).some(({ part }) => part !== "replica");

/** An isolate tries sessions again with its first call that comes so long after it has last found that they hang. */
const AGAIN_MS = 10_000;
/** So long after that call it knows whether they answer. */
const KNOWN_MS = 1_000;

/**
 * Whether an isolate may use the binding, which has no bookmark, in place of sessions. An outage of the primary looks as if sessions
 * alone hung when the binding is the first that answers again.
 */
export const mayUseBinding = (history: History, call: Call, database: string): boolean => {
  const called = (from: number, to: number) =>
    history.events.some(
      (event) =>
        event.kind === "store-called" &&
        event.store === "d1" &&
        event.name === database &&
        event.isolate === call.isolate &&
        event.at >= from &&
        event.at <= to,
    );
  return faultsOf(history).some(
    (fault) =>
      fault.store === "d1" &&
      fault.part !== "replica" &&
      isOf(fault, database) &&
      called(fault.at, Math.min(fault.until, call.answeredAt)) &&
      !called(fault.until + AGAIN_MS, call.at - KNOWN_MS),
  );
};
