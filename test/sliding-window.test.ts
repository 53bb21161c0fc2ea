import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RateLimit, SlidingWindow } from "../src/sliding-window.ts";

/** The rule by brute force: every admission is remembered for ever, and counted each time. */
class Oracle {
  readonly admissions: number[] = [];
  readonly rateLimit: RateLimit;

  constructor(rateLimit: RateLimit) {
    this.rateLimit = rateLimit;
  }

  admit(now: number) {
    const inWindow = () => this.admissions.filter((time) => time > now - this.rateLimit.windowMs);
    const admitted = inWindow().length < this.rateLimit.limit;
    if (admitted) this.admissions.push(now);
    const counted = inWindow();
    const remaining = this.rateLimit.limit - counted.length;
    return { admitted, remaining, waitMs: (counted[0] ?? Number.NaN) + this.rateLimit.windowMs - now };
  }
}

const rateLimit = fc.record({ limit: fc.integer({ min: 1, max: 12 }), windowMs: fc.integer({ min: 1, max: 60 }) });
/** Steps in milliseconds, some of them with an eviction before the request. */
const trace = fc.array(fc.record({ step: fc.nat(25), evicted: fc.boolean() }), { maxLength: 150 });

describe("the sliding window", () => {
  it("decides like the brute-force rule for any sequence of requests and evictions", () => {
    fc.assert(
      fc.property(rateLimit, trace, (limit, steps) => {
        const oracle = new Oracle(limit);
        let window = new SlidingWindow(limit);
        let now = 1_000_000;
        for (const { step, evicted } of steps) {
          now += step;
          if (evicted) window = new SlidingWindow(limit, structuredClone(window.times(now)));
          expect(window.admit(now)).toEqual(oracle.admit(now));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never admits more than the limit in any span, wherever the span starts", () => {
    fc.assert(
      fc.property(rateLimit, trace, ({ limit, windowMs }, steps) => {
        const window = new SlidingWindow({ limit, windowMs });
        const admitted: number[] = [];
        let now = 0;
        for (const { step } of steps) {
          now += step;
          if (window.admit(now).admitted) admitted.push(now);
        }
        for (const start of admitted) {
          expect(admitted.filter((time) => time >= start && time < start + windowMs).length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("admits nothing before the wait is over, and one request exactly when it is", () => {
    fc.assert(
      fc.property(rateLimit, trace, (limit, steps) => {
        const window = new SlidingWindow(limit);
        let now = 0;
        for (const { step } of steps) {
          now += step;
          const { admitted, waitMs } = window.admit(now);
          if (admitted) continue;
          const copy = () => new SlidingWindow(limit, window.times(now));
          expect(copy().admit(now + waitMs - 1).admitted).toBe(false);
          expect(copy().admit(now + waitMs).admitted).toBe(true);
        }
      }),
    );
  });

  it("keeps the limit when the clock steps back", () => {
    const window = new SlidingWindow({ limit: 2, windowMs: 100 });
    expect([1_000, 900, 800].map((now) => window.admit(now).admitted)).toEqual([true, true, false]);
    expect(window.admit(1_050)).toEqual({ admitted: false, remaining: 0, waitMs: 50 });
    expect(window.admit(1_099).admitted).toBe(false);
    expect(window.admit(1_100).admitted).toBe(true);
  });

  it("keeps what still counts when the limit changes", () => {
    const three = new SlidingWindow({ limit: 3, windowMs: 100 });
    for (const now of [10, 20, 30]) three.admit(now);
    expect(new SlidingWindow({ limit: 2, windowMs: 100 }, three.times(40)).admit(119).admitted).toBe(false);
    expect(new SlidingWindow({ limit: 2, windowMs: 100 }, three.times(40)).admit(120).admitted).toBe(true);
    const four = new SlidingWindow({ limit: 4, windowMs: 100 }, three.times(40));
    expect([four.admit(40).admitted, four.admit(40).admitted]).toEqual([true, false]);
  });
});
