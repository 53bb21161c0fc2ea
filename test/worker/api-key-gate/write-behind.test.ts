/** When a gate writes its state, in virtual time. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { WriteBehind } from "../../../src/worker/api-key-gate/write-behind.ts";

const holdTime = () => vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 0 });

const decision = fc.record({ afterMs: fc.constantFrom(0, 1, 400, 2_500, 6_000, 70_000), admitted: fc.boolean() });

describe("writing behind", () => {
  it("leaves fewer than a tenth of the limit's admissions unwritten, none when it is reached, and nothing for long", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(decision, { maxLength: 120 }), (limit, decisions) => {
        holdTime();
        let [writes, unwritten, left] = [0, 0, limit];
        let changedSince: number | undefined;
        const behind = new WriteBehind(() => {
          writes += 1;
          unwritten = 0;
          changedSince = undefined;
        });
        for (const { afterMs, admitted } of decisions) {
          vi.advanceTimersByTime(afterMs);
          if (afterMs >= 60_000) left = limit;
          const passes = admitted && left > 0;
          if (passes) {
            left -= 1;
            unwritten += 1;
          }
          changedSince ??= Date.now();
          behind.decided(passes ? 1 : 0, left, limit);
          expect(unwritten).toBeLessThan(Math.max(1, limit / 10));
          if (left === 0) expect(unwritten).toBe(0);
          expect(Date.now() - (changedSince ?? Date.now())).toBeLessThan(60_000);
        }
        vi.advanceTimersByTime(5_000);
        expect(changedSince).toBeUndefined();
        const written = writes;
        vi.advanceTimersByTime(600_000);
        expect(writes).toBe(written);
      }),
      { numRuns: 300 },
    );
  });

  it("writes once a minute in slow, steady use, and once when it falls quiet", () => {
    holdTime();
    const write = vi.fn();
    const behind = new WriteBehind(write);
    for (let second = 0; second < 180; second++) {
      behind.decided(1, 9_000, 10_000);
      vi.advanceTimersByTime(1_000);
    }
    expect(write).toHaveBeenCalledTimes(3);
    behind.decided(0, 9_000, 10_000);
    vi.advanceTimersByTime(4_999);
    expect(write).toHaveBeenCalledTimes(3);
    vi.advanceTimersByTime(1);
    expect(write).toHaveBeenCalledTimes(4);
  });

  it("writes after each tenth of the limit, also while the limit stays reached", () => {
    holdTime();
    const write = vi.fn();
    const behind = new WriteBehind(write);
    for (let admitted = 1; admitted <= 180; admitted++) {
      behind.decided(1, 600 - admitted, 600);
      expect(write).toHaveBeenCalledTimes(Math.floor(admitted / 60));
    }
    behind.decided(1, 0, 600);
    expect(write).toHaveBeenCalledTimes(3 + 1);
    for (let admitted = 0; admitted < 60; admitted++) behind.decided(1, 0, 600);
    expect(write).toHaveBeenCalledTimes(3 + 1 + 1);
  });

  it("writes once when the limit is reached, not for each request that is refused", () => {
    holdTime();
    const write = vi.fn();
    const behind = new WriteBehind(write);
    behind.decided(1, 0, 100);
    for (let refused = 0; refused < 50; refused++) behind.decided(0, 0, 100);
    expect(write).toHaveBeenCalledTimes(1);
    behind.decided(1, 1, 100);
    behind.decided(1, 0, 100);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it("at once leaves no timer behind", () => {
    holdTime();
    const write = vi.fn();
    const behind = new WriteBehind(write);
    behind.decided(1, 90, 1_000);
    behind.writeNow();
    expect([write.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
