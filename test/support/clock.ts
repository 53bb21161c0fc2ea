/** A clock that stops at the test's time, for the Worker and its Durable Objects. Timers still run. */
import { vi } from "vitest";

/** `time` is in Unix milliseconds; move on with `vi.setSystemTime`. */
export function freeze(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
}
