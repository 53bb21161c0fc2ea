/** How long an isolate uses a lease, by its own clock. */
import { describe, expect, it } from "vitest";
import { HeldLease } from "../../../src/worker/rate-limit/lease.ts";

const held = () => new HeldLease({ id: "a", admissions: 3, forMs: 1_000 }, 10_000);

describe("a lease that is held", () => {
  it("admits until nine tenths of what the gate counts on, from before the call", () => {
    expect(held().admit(10_899)).toBe(true);
    expect(held().admit(10_900)).toBe(false);
  });

  it("admits as many as were granted", () => {
    const lease = held();
    expect([1, 2, 3, 4].map(() => lease.admit(10_000))).toEqual([true, true, true, false]);
    expect(lease.use).toEqual({ id: "a", used: 3 });
  });

  it("admits nothing while the clock is behind what was seen by more than requests differ", () => {
    const lease = held();
    expect([10_800, 10_750, 10_749, 9_000, 10_800].map((now) => lease.admit(now))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
