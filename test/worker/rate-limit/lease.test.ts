/** How long an isolate uses a lease, by its own clock. */
import { describe, expect, it } from "vitest";
import { IsolateLease } from "../../../src/worker/rate-limit/lease.ts";

const begin = (aheadMs = 0) => new IsolateLease({ id: "a", admissions: 3, forMs: 1_000 }, 10_000, aheadMs);

describe("a lease that is held", () => {
  it("admits until nine tenths of what the gate counts on, from before the call", () => {
    expect(begin().admit(10_899)).toBe(true);
    expect(begin().admit(10_900)).toBe(false);
  });

  it("admits as many as were granted", () => {
    const lease = begin();
    expect([1, 2, 3, 4].map(() => lease.admit(10_000))).toEqual([true, true, true, false]);
    expect(lease.use).toEqual({ id: "a", used: 3 });
  });

  it.each([
    ["as long before its end as the call for it takes", 100, 10_800],
    ["not before two thirds of its time", 500, 10_600],
    ["by its end, when a clock that stepped back says that the call took less than nothing", -500, 10_900],
  ])("is to be followed by the next one %s", (_, aheadMs, at) => {
    expect([at - 1, at].map((now) => begin(aheadMs).isDue(now))).toEqual([false, true]);
  });

  it("is to be followed when two thirds of its admissions are used", () => {
    const lease = begin();
    const due = [1, 2].map(() => lease.admit(10_000) && lease.isDue(10_000));
    expect(due).toEqual([false, true]);
  });

  it("admits nothing while the clock is behind what was seen by more than requests differ", () => {
    const lease = begin();
    expect([10_800, 10_750, 10_749, 9_000, 10_800].map((now) => lease.admit(now))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});
