import type { History, Store } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { append, type Call, callsOf, field } from "./seen/calls.ts";
import { type FaultSpan, faultsOf, faulty, stepped } from "./seen/faults.ts";

/** The bindings that an answer names: the store of each, and the digit of a database. */
const STORES: Readonly<Record<string, readonly [store: Store, name?: string]>> = {
  DB: ["d1", "0"],
  DB_1: ["d1", "1"],
  CHANGELOGS: ["kv"],
  API_KEY_GATE: ["gate"],
};
const DEADLINE_MS = 2_000;
/** For so long an answer is given again. */
const EVERY_MS = 5_000;
/** What a request, or a call to a store, takes on its way. */
const NETWORK_MS = 500;
const CALL_MS = 100;
const OLDEST_MS = EVERY_MS + DEADLINE_MS + NETWORK_MS;

/** It asks a database through a session, as requests do. */
const isDown = ({ how }: FaultSpan): boolean => how === "fails" || how === "hangs" || how === "sessions-hang";

/**
 * All of it, all the time, from before it was asked last: of a database both parts, and of gates every one. Of two faults at once the
 * milder one may be felt.
 */
function wasDown(history: History, store: Store, name: string | undefined, { at, answeredAt }: Call): boolean {
  const faults = faultsOf(history).filter(
    (fault) => fault.store === store && fault.at < answeredAt && fault.until > at - OLDEST_MS,
  );
  return (
    faults.every(isDown) &&
    faults.some(
      (fault) =>
        fault.part === undefined &&
        (fault.name === undefined || (store === "d1" && fault.name === name)) &&
        fault.at < at - OLDEST_MS &&
        fault.until > answeredAt,
    )
  );
}

function* answers(history: History, call: Call): Iterable<Finding> {
  const found = (what: string): Finding => ({ at: call.answeredAt, found: `/health ${what}`, calls: [call.call] });
  const took = call.answeredAt - call.at;
  // Of a clock that steps back nobody knows how long the stores were waited for: they are asked again.
  const times = stepped(history, call.at, call.answeredAt) > 0 ? 2 : 1;
  if (took > times * DEADLINE_MS + NETWORK_MS) yield found(`took ${took} ms`);
  const says = new Map(Object.keys(STORES).map((name) => [name, field(field(call.answer?.body, "stores"), name)]));
  const isWell = [...says.values()].every((each) => each === "ok");
  if (call.status !== (isWell ? 200 : 503)) yield found(`was answered ${call.status}`);
  if (stepped(history, 0, call.answeredAt) > 0) return;
  for (const [binding, [store, name]] of Object.entries(STORES)) {
    const said = says.get(binding);
    if (said !== "ok" && said !== "down") yield found(`says ${said} of ${binding}`);
    if (said === "ok" && wasDown(history, store, name, call)) yield found(`says ok of ${binding}, which is down`);
    const isTrue = faulty(history, store, name, call.at - OLDEST_MS, call.answeredAt);
    if (said === "down" && !isTrue) yield found(`says down of ${binding}, which is well`);
  }
}

/** An isolate whose clock has not stepped asks each store once in five seconds. */
function* asks(history: History): Iterable<Finding> {
  const asked = new Map<string, { at: number; call: number }[]>();
  for (const { operation, call, isolate, stores } of callsOf(history)) {
    if (operation !== "getHealth") continue;
    for (const { at, store, name } of stores) append(asked, `${isolate} ${store} ${name}`, { at, call });
  }
  for (const [name, all] of asked) {
    const inOrder = all.toSorted((one, other) => one.at - other.at);
    for (const [index, { at, call }] of inOrder.entries()) {
      const last = inOrder[index - 1];
      if (last === undefined || at - last.at >= EVERY_MS - CALL_MS || stepped(history, 0, at) > 0) continue;
      yield { at, found: `/health asked ${name} ${at - last.at} ms after the last time`, calls: [last.call, call] };
    }
  }
}

export const health = oracle(
  {
    name: "health",
    promise: "Served in an outage",
    words:
      "`GET /health` names the store that does not answer within 2 seconds, and an isolate asks each at most once in 5 seconds.",
  },
  function* (history: History): Iterable<Finding> {
    yield* asks(history);
    for (const call of callsOf(history))
      if (call.operation === "getHealth" && call.answer !== undefined) yield* answers(history, call);
  },
);
