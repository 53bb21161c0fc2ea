import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RateLimit, SlidingWindow } from "../../../src/worker/rate-limit/sliding-window.ts";

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
    // A clock that has stepped back can bring more than the limit together: the newest of them decide.
    const counted = inWindow().slice(-this.rateLimit.limit);
    const remaining = this.rateLimit.limit - counted.length;
    return { admitted, remaining, waitMs: (counted[0] ?? Number.NaN) + this.rateLimit.windowMs - now };
  }
}

const rateLimit = fc.record({ limit: fc.integer({ min: 1, max: 12 }), windowMs: fc.integer({ min: 1, max: 60 }) });
/** Steps in milliseconds, some of them with an eviction before the request. */
const trace = fc.array(fc.record({ step: fc.nat(25), evicted: fc.boolean() }), { maxLength: 150 });

/** How far a clock moves between two requests, in milliseconds: mostly on, at times back, at times far. */
const clockStep = fc.oneof(
  { weight: 8, arbitrary: fc.nat(25) },
  { weight: 2, arbitrary: fc.integer({ min: -60, max: -1 }) },
  { weight: 1, arbitrary: fc.constantFrom(-3_600_000, 3_600_000, 86_400_000) },
);
/** Time that passes, and how far the clock is set back meanwhile. */
const backwardTrace = fc.array(
  fc.record({
    step: fc.nat(25),
    back: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(1, 30, 3_600_000) },
    ),
    evicted: fc.boolean(),
  }),
  { maxLength: 150 },
);

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

  it("holds the limit when the clock steps back, and no longer than one window", () => {
    const window = new SlidingWindow({ limit: 2, windowMs: 100 });
    expect([1_000, 900, 800].map((now) => window.admit(now).admitted)).toEqual([true, true, false]);
    expect(window.admit(850)).toEqual({ admitted: false, remaining: 0, waitMs: 50 });
    expect(window.admit(899).admitted).toBe(false);
    expect(window.admit(900).admitted).toBe(true);
  });

  it("forgets nothing of before a glitch to the future, and waits for nothing of it", () => {
    const window = new SlidingWindow({ limit: 3, windowMs: 100 });
    const day = 86_400_000;
    expect([10, 20, day].map((now) => window.admit(now).admitted)).toEqual([true, true, true]);
    expect(window.admit(30)).toEqual({ admitted: false, remaining: 0, waitMs: 80 });
    expect([110, 120, 129, 130].map((now) => window.admit(now).admitted)).toEqual([true, true, false, true]);
  });

  it("decides as the brute-force rule does when the clock steps, which takes nothing to be ahead of the clock", () => {
    fc.assert(
      fc.property(rateLimit, fc.array(clockStep, { maxLength: 150 }), (limit, steps) => {
        const oracle = new Oracle(limit);
        const window = new SlidingWindow(limit);
        let now = 1_000_000;
        for (const step of steps) {
          now += step;
          oracle.admissions.splice(0, Infinity, ...oracle.admissions.map((time) => Math.min(time, now)));
          expect(window.admit(now)).toEqual(oracle.admit(now));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never holds more than the limit in any span of real time, however often the clock steps back", () => {
    fc.assert(
      fc.property(rateLimit, backwardTrace, (limit, steps) => {
        let window = new SlidingWindow(limit);
        const admitted: number[] = [];
        let [real, behind] = [0, 0];
        for (const { step, back, evicted } of steps) {
          real += step;
          behind += back;
          const clock = 1_000_000 + real - behind;
          if (evicted) window = new SlidingWindow(limit, structuredClone(window.times(clock)));
          if (window.admit(clock).admitted) admitted.push(real);
        }
        for (const start of admitted) {
          const span = admitted.filter((time) => time >= start && time < start + limit.windowMs);
          expect(span.length).toBeLessThanOrEqual(limit.limit);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("lets nobody wait longer than the window, whatever the clock has done", () => {
    fc.assert(
      fc.property(rateLimit, fc.array(clockStep, { maxLength: 60 }), fc.boolean(), (limit, steps, evicted) => {
        let window = new SlidingWindow(limit);
        let now = 1_000_000;
        for (const step of steps) {
          now += step;
          if (evicted) window = new SlidingWindow(limit, window.times(now));
          const { admitted, waitMs } = window.admit(now);
          expect(waitMs).toBeLessThanOrEqual(limit.windowMs);
          if (!admitted) {
            expect(waitMs).toBeGreaterThan(0);
            expect(new SlidingWindow(limit, window.times(now)).admit(now + waitMs).admitted).toBe(true);
          }
        }
      }),
    );
  });

  it("is exact however often the limit is lowered and raised within a window", () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 30 }), limit: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const windowMs = 60;
        const all = new Oracle({ limit: 12, windowMs });
        let window = new SlidingWindow(all.rateLimit);
        let now = 1_000_000;
        for (const { waitMs, limit } of steps) {
          now += waitMs;
          window = new SlidingWindow({ limit, windowMs }, window.times(now));
          const counted = all.admissions.filter((time) => time > now - windowMs);
          const decision = window.admit(now);
          expect(decision.admitted).toBe(counted.length < limit);
          if (decision.admitted) all.admissions.push(now);
          else expect(decision.waitMs).toBe((counted.at(-limit) ?? Number.NaN) + windowMs - now);
        }
      }),
    );
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
