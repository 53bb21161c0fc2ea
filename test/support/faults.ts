/** The real stores, each of whose calls can go wrong, in every way that stores do. */

import { DEADLINE_MS, DeadlineExceeded } from "../../src/worker/store/deadline.ts";
import { bindingsOf } from "./databases.ts";
import {
  type Interceptor,
  interceptDatabase,
  interceptDatabases,
  interceptObjects,
  interceptStore,
} from "./intercept-binding.ts";
import { SLOW_MS, type VirtualTime, virtually } from "./virtual-time.ts";

export const STORES = ["d1", "kv", "gate", "limiter"] as const;
export type Store = (typeof STORES)[number];

const lost = () => new Error("Network connection lost.");

/** What happens in place of a call, or before or after it. */
const WAY = {
  "an error": () => Promise.reject(new Error("D1_ERROR: injected fault")),
  "an error without a prefix": () => Promise.reject(lost()),
  "no answer": () => new Promise<never>(() => {}),
  "a slow answer": async (makeCall: () => Promise<unknown>) => {
    await virtually(SLOW_MS);
    return makeCall();
  },
  overload: () => Promise.reject(Object.assign(new Error("overloaded: injected fault"), { overloaded: true })),
  "an error that may pass": () => Promise.reject(Object.assign(lost(), { retryable: true })),
  "a crash after the work is done": async (makeCall: () => Promise<unknown>) => {
    await makeCall();
    throw lost();
  },
} as const;
/**
 * Inside a gate time is real, since what is resumed from outside cannot use its storage: a call that hangs has missed its
 * deadline already, and a slow one is no slower. How long a gate waits is in test/worker/api-key-gate/outage.test.ts.
 */
const IN_GATE: Partial<Record<Way, (makeCall: () => Promise<unknown>) => Promise<unknown>>> = {
  "no answer": () => Promise.reject(new DeadlineExceeded(DEADLINE_MS.without)),
  "a slow answer": (makeCall) => makeCall(),
};

export type Way = keyof typeof WAY;
export const WAYS = Object.keys(WAY) as Way[];

/** `only`: the binding of the one database that is at fault; all of them without it. */
export type Fault = { readonly store: Store; readonly way: Way; readonly only?: string; active: boolean };
export type Counts = Record<Store, number>;

/** The bindings with this fault, counted; of the Worker, or of what runs `inside` a gate. */
export function withFault(env: Env, time: VirtualTime, { fault, inside = false }: { fault?: Fault; inside?: boolean }) {
  const counts: Counts = { d1: 0, kv: 0, gate: 0, limiter: 0 };
  const interceptor =
    (store: Store, binding?: string): Interceptor =>
    (_, makeCall) => {
      counts[store] += 1;
      const call = () => time.call(makeCall);
      if (!fault?.active || fault.store !== store || (fault.only ?? binding) !== binding) return call();
      const way = inside ? (IN_GATE[fault.way] ?? WAY[fault.way]) : WAY[fault.way];
      return way(call);
    };
  const limited = (limiter: RateLimit): RateLimit => ({
    limit: async (options) => {
      let outcome: RateLimitOutcome = { success: true };
      await interceptor("limiter")("gate", async () => {
        outcome = await limiter.limit(options);
      });
      return outcome;
    },
  });
  const bindings: Env = {
    ...interceptDatabases(env, (binding) => interceptor("d1", binding)),
    CHANGELOGS: interceptStore(env.CHANGELOGS, interceptor("kv")),
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["admit", "forget"], interceptor("gate")),
    PANELIST_READS: limited(env.PANELIST_READS),
    PANELIST_WRITES: limited(env.PANELIST_WRITES),
    OWNER_WRITES: limited(env.OWNER_WRITES),
    OWNER_READS: limited(env.OWNER_READS),
  };
  return { bindings, counts };
}

/** The bindings with databases whose sessions never answer while the fault is active; without a session they answer as ever. */
export const hangSessions = (env: Env, fault: { active: boolean }): Env => ({
  ...env,
  ...Object.fromEntries(
    bindingsOf(env).map(([binding, database]) => {
      const hang: Interceptor = (_, makeCall) => (fault.active ? new Promise(() => {}) : makeCall());
      const withSession = (start?: string) => interceptDatabase(database.withSession(start), hang);
      return [
        binding,
        { prepare: (sql: string) => database.prepare(sql), batch: database.batch.bind(database), withSession },
      ];
    }),
  ),
});
