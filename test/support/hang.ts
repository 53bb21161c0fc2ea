/** Stores that never answer, and timers that a test moves on: nothing is waited for. */
import { vi } from "vitest";
import { interceptStores } from "./intercept.ts";
import type { StoreCall } from "./intercept-binding.ts";

/** The same environment, whose stores of these kinds never answer; `reached` resolves when the first call has come. */
export function hangStores(env: Env, ...kinds: StoreCall[]): { env: Env; reached: Promise<void> } {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const hanging = interceptStores(env, (kind, makeCall) => {
    if (!kinds.includes(kind)) return makeCall();
    resolve();
    return new Promise(() => {});
  });
  return { env: hanging, reached };
}

const LOOK_AT_MOST_MS = 100;
const run = setTimeout;

/** No deadline passes. Who looks at memory every few milliseconds goes on: a gate's timers cannot be moved on by a test. */
export function holdDeadlines(): void {
  const hold = (work: () => void, milliseconds = 0) =>
    milliseconds > LOOK_AT_MOST_MS ? undefined : run(work, milliseconds);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout);
}

/** Deadlines pass when the test says so: `vi.advanceTimersByTimeAsync`. The stores themselves answer in real time. */
export const holdTimers = (): void => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
};
