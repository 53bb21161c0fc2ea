/** The real bindings, with every store call passed through one function: to count it, to observe it, or to make it fail. */
import type { ApiKeyGate } from "../../src/worker/api-key-gate/api-key-gate.ts";
import {
  type Interceptor,
  interceptDatabases,
  interceptObjects,
  interceptStore,
  type StoreCall,
} from "./intercept-binding.ts";

type Bindings = Pick<Env, "DB" | "CHANGELOGS" | "API_KEY_GATE">;

const GATE_METHODS = [
  "admit",
  "block",
  "forget",
  "ping",
  "report",
  "unsavedUse",
] as const satisfies readonly (keyof ApiKeyGate)[];

/** The same environment, intercepted. */
export function interceptStores<E extends Bindings>(env: E, interceptor: Interceptor): E {
  return {
    ...interceptDatabases(env, () => interceptor),
    CHANGELOGS: interceptStore(env.CHANGELOGS, interceptor),
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, GATE_METHODS, interceptor),
  };
}

/** Counts the calls of each kind. */
export function countStores<E extends Bindings>(env: E): { env: E; counts: Record<StoreCall, number> } {
  const counts = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };
  const counted = interceptStores(env, (kind, makeCall) => {
    counts[kind] += 1;
    return makeCall();
  });
  return { env: counted, counts };
}

/** Fails every call of these kinds, as a store that is down does. */
export const failStores = <E extends Bindings>(env: E, ...down: StoreCall[]): E =>
  interceptStores(env, (kind, makeCall) =>
    down.includes(kind) ? Promise.reject(new Error(`${kind === "d1" ? "D1_ERROR: " : ""}injected fault`)) : makeCall(),
  );

/** A gate whose D1 calls pass through the interceptor: they are made inside the object, with its own environment. */
export function interceptGateDatabase(gate: object, env: Env, interceptor: Interceptor): void {
  Object.assign(gate, { env: interceptStores(env, interceptor) });
}
