/** A clock that stands where the test puts it, for the Worker and its Durable Objects. Timers go on. */
import { vi } from "vitest";

/** `time` is in Unix milliseconds; move on with `vi.setSystemTime`. */
export function freeze(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(time);
}
