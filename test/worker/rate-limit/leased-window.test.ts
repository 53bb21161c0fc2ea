/** Leases over random traces of isolates, calls and deaths, against a brute-force oracle of what was really admitted. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LeasedWindow, MAX_LEASE_MS } from "../../../src/worker/rate-limit/leased-window.ts";
import type { RateLimit } from "../../../src/worker/rate-limit/sliding-window.ts";
import { LeaseWorld } from "../../support/lease-world.ts";

const rateLimit = fc.record({ limit: fc.integer({ min: 20, max: 90 }), windowMs: fc.constantFrom(1_000, 2_000) });
const skews = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 3 });
const call = fc.record({
  thereMs: fc.nat(60),
  backMs: fc.nat(60),
  lost: fc.constantFrom("no", "no", "no", "no", "request", "answer"),
} as const);
const quick = fc.record({ thereMs: fc.nat(5), backMs: fc.nat(5), lost: fc.constant("no") } as const);
/** Requests that come together or apart: `times` every `everyMs`, through one isolate. */
const requests = (calls: typeof call | typeof quick) =>
  fc.record({
    kind: fc.constant("requests"),
    index: fc.nat(2),
    times: fc.integer({ min: 1, max: 60 }),
    everyMs: fc.nat(25),
    call: calls,
  });
const pause = fc.record({ kind: fc.constant("pause"), forMs: fc.nat(1_500) });
const death = fc.record({ kind: fc.constant("isolate dies"), index: fc.nat(2) });
const restart = fc.record({ kind: fc.constant("gate restarts") });
const change = fc.record({ kind: fc.constant("limit changes"), limit: fc.integer({ min: 1, max: 90 }) });

type Arbitrary<Type> = Type extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Arbitrary<ReturnType<typeof requests> | typeof pause | typeof death | typeof restart | typeof change>;

const trace = (...steps: fc.Arbitrary<Step>[]) => fc.array(fc.oneof(...steps), { maxLength: 14 });

function run(world: LeaseWorld, steps: readonly Step[], changed: (holdsFrom: number) => void = () => {}): void {
  for (const step of steps) {
    if ("times" in step) {
      for (let times = 0; times < step.times; times++) {
        world.request(step.index, step.call);
        world.pass(step.everyMs);
      }
    } else if ("forMs" in step) world.pass(step.forMs);
    else if ("limit" in step) changed(world.changeLimit(step.limit));
    else if ("index" in step) world.kill(step.index);
    else world.restartGate();
  }
  world.pass(5_000);
}

const at = (index: number, times: number, everyMs: number, thereMs: number): Step => ({
  kind: "requests",
  index,
  times,
  everyMs,
  call: { thereMs, backMs: 0, lost: "no" },
});

/** A lease is used up, and its isolate says so, while its renewal is on its way. */
const usedUpInRenewal: [RateLimit, number[], Step[]] = [
  { limit: 60, windowMs: 2_000 },
  [0],
  [
    at(0, 48, 8, 0),
    { kind: "pause", forMs: 650 },
    at(0, 21, 4, 0),
    { kind: "pause", forMs: 9 },
    at(0, 60, 25, 0),
    at(0, 4, 0, 1),
    at(0, 1, 0, 0),
    at(0, 13, 0, 2),
  ],
];

/** The most admissions in any window that starts at `from` or later. */
function most(world: LeaseWorld, from: number): number {
  const times = world.admitted.filter((at) => at >= from).sort((one, other) => one - other);
  const { windowMs } = world.rateLimit;
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + windowMs).length));
}

describe("leases", () => {
  it("never admit more than the limit in any window, whatever is late, lost or dies", () => {
    let leases = 0;
    fc.assert(
      fc.property(
        rateLimit,
        skews,
        trace(requests(call), requests(call), pause, death, restart),
        (limit, skew, steps) => {
          const world = new LeaseWorld(limit, skew);
          run(world, steps);
          leases += world.granted.length;
          expect(most(world, 0)).toBeLessThanOrEqual(limit.limit);
        },
      ),
      { numRuns: 10_000 },
    );
    // Otherwise this shows nothing.
    expect(leases).toBeGreaterThan(10_000);
  });

  it("never admit more than a changed limit, from when the change is confirmed", () => {
    fc.assert(
      fc.property(rateLimit, skews, trace(requests(call), pause, change), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        let holdsFrom = 0;
        run(world, steps, (from) => {
          holdsFrom = from;
        });
        expect(most(world, holdsFrom + 1)).toBeLessThanOrEqual(world.rateLimit.limit);
      }),
      { numRuns: 3_000 },
    );
  });

  it("refuse early only what leases hold, a tenth of the limit at most, and what has left the window for a lease's length", () => {
    let refusals = 0;
    fc.assert(
      fc.property(rateLimit, skews, trace(requests(quick), requests(quick), pause), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        run(world, steps);
        for (const { counted, outstanding, unused } of world.refused) {
          expect(outstanding).toBeLessThanOrEqual(limit.limit / 10);
          expect(counted + unused).toBeGreaterThanOrEqual(limit.limit);
        }
        refusals += world.refused.length;
      }),
      { numRuns: 10_000, examples: [usedUpInRenewal] },
    );
    expect(refusals).toBeGreaterThan(1_000);
  });

  it("that a clock has left an hour ahead still count, for a window and the longest lease at most", () => {
    const windowMs = 60_000;
    const window = new LeasedWindow({ limit: 40, windowMs }, new Float64Array(), 0);
    const [late, early] = [7_200_000, 3_600_000];
    for (let each = 0; each < 5; each++) {
      const id = `lease ${each}`;
      const used = window.grant(late + each, { id, admissions: 4, forMs: 1_000, renews: undefined });
      window.settle({ id, used });
    }
    const left = window.remaining(late + 5);
    expect(left).toBeLessThan(40);
    expect(window.remaining(early)).toBe(left);
    for (let times = 0; times < left; times++) expect(window.admit(early).admitted).toBe(true);
    const { admitted, waitMs } = window.admit(early);
    expect([admitted, waitMs <= windowMs]).toEqual([false, true]);
    expect(window.remaining(early + windowMs + MAX_LEASE_MS)).toBe(40);
  });
});
