/** A clock that stops at the test's time, for the Worker and its Durable Objects. */
import { vi } from "vitest";

/** Timers still run. `time` is in Unix milliseconds; move on with `vi.setSystemTime`. */
export function freeze(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
}

/** The same, and timers stand still with it: move on with `vi.advanceTimersByTimeAsync`. */
export const freezeTimers = (time: number): void => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: time });
};
