/** Leases and reserves over random traces of isolates, calls, deaths and crashes, against an oracle that knows requests and answers only. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LeasedWindow, RESERVE_MS } from "../../../src/worker/rate-limit/leased-window.ts";
import type { RateLimit } from "../../../src/worker/rate-limit/sliding-window.ts";
import { type Call, LeaseWorld } from "../../support/lease-world.ts";

const rateLimit = fc.record({
  limit: fc.integer({ min: 20, max: 400 }),
  windowMs: fc.constantFrom(1_000, 2_000, 5_000),
});
const skews = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 3 });
const call = fc.record({
  thereMs: fc.nat(60),
  backMs: fc.nat(60),
  lost: fc.constantFrom("no", "no", "no", "no", "request", "answer"),
} as const);
/** Requests that come together or apart: `times` every `everyMs`, through one isolate. */
const requests = fc.record({
  kind: fc.constant("requests"),
  index: fc.nat(2),
  times: fc.integer({ min: 1, max: 150 }),
  everyMs: fc.nat(25),
  call,
});
const pause = fc.record({ kind: fc.constant("pause"), forMs: fc.nat(1_500) });
const death = fc.record({ kind: fc.constant("isolate dies"), index: fc.nat(2) });
const crash = fc.record({ kind: fc.constant("gate crashes") });
const change = fc.record({ kind: fc.constant("limit changes"), limit: fc.integer({ min: 1, max: 400 }) });

type Arbitrary<Type> = Type extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Arbitrary<typeof requests | typeof pause | typeof death | typeof crash | typeof change>;

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
    else world.crashGate();
  }
  world.pass(5_000);
}

/** The most admissions in any window that starts at `from` or later. */
function most(world: LeaseWorld, from: number): number {
  const times = world.admitted.filter((at) => at >= from).sort((one, other) => one - other);
  const { windowMs } = world.rateLimit;
  let [start, found] = [0, 0];
  times.forEach((at, index) => {
    while (at - (times[start] ?? at) >= windowMs) start += 1;
    found = Math.max(found, index - start + 1);
  });
  return found;
}

describe("leases", () => {
  it("never admit more than the limit in any window, whatever is late, lost, dies or crashes", () => {
    let leases = 0;
    fc.assert(
      fc.property(rateLimit, skews, trace(requests, requests, pause, death, crash), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        run(world, steps);
        leases += world.leases;
        expect(most(world, 0)).toBeLessThanOrEqual(limit.limit);
      }),
      { numRuns: 300 },
    );
    // Otherwise this shows nothing.
    expect(leases).toBeGreaterThan(600);
  });

  it("never admit more than a changed limit, from when the change is confirmed", () => {
    fc.assert(
      fc.property(rateLimit, skews, trace(requests, pause, change), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        let holdsFrom = 0;
        run(world, steps, (from) => {
          holdsFrom = from;
        });
        expect(most(world, holdsFrom + 1)).toBeLessThanOrEqual(world.rateLimit.limit);
      }),
      { numRuns: 150 },
    );
  });

  it("refuse nobody who has used less than nine tenths of the limit, whatever is late, lost or dies", () => {
    let [refusals, leases] = [0, 0];
    fc.assert(
      fc.property(rateLimit, skews, trace(requests, requests, requests, pause, death), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        run(world, steps);
        for (const { counted } of world.refused) expect(counted).toBeGreaterThanOrEqual(limit.limit * 0.9);
        refusals += world.refused.length;
        leases += world.leases;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(refusals, leases)).toBeGreaterThan(600);
  });

  it("and a reserve, which a crash of the gate counts as used, refuse a twentieth more for each crash in the window", () => {
    fc.assert(
      fc.property(rateLimit, skews, trace(requests, requests, pause, crash), (limit, skew, steps) => {
        const world = new LeaseWorld(limit, skew);
        run(world, steps);
        for (const { at, counted } of world.refused) {
          const since = at - limit.windowMs - RESERVE_MS;
          const crashes = world.crashes.filter((crashed) => crashed >= since && crashed <= at).length;
          expect(counted).toBeGreaterThanOrEqual(limit.limit * (0.9 - crashes / 20));
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** As evenly as a client can: `times` requests in each window, by turns through these isolates. */
function steadily(limit: RateLimit, times: number, isolates: number, call: (index: number) => Call): LeaseWorld {
  const world = new LeaseWorld(limit, Array(isolates).fill(0));
  for (let index = 0; index < 4 * times; index++) {
    world.request(index, call(index));
    world.pass(limit.windowMs / times);
  }
  return world;
}

describe.each([
  ["600 in 60 s", { limit: 600, windowMs: 60_000 }],
  ["400 in 5 s", { limit: 400, windowMs: 5_000 }],
])("a client that keeps below nine tenths of %s", (_, limit) => {
  const below = limit.limit * 0.9 - 1;

  it.each([1, 2])("is never refused, through isolates: %d", (isolates) => {
    const world = steadily(limit, below, isolates, () => ({ thereMs: 15, backMs: 15, lost: "no" }));
    expect([world.refused, world.admitted.length]).toEqual([[], 4 * below]);
    expect(world.leases).toBeGreaterThan(10);
  });

  it.each(["request", "answer"] as const)("is never refused when every third %s is lost", (lost) => {
    const world = steadily(limit, Math.floor(below * 0.7), 2, (index) => ({
      thereMs: 15,
      backMs: 15,
      lost: index % 3 === 0 ? lost : "no",
    }));
    expect(world.refused.filter(({ counted }) => counted < limit.limit * 0.9)).toEqual([]);
  });
});

describe("a gate's writes", () => {
  it("are one for many requests in quick use, and one for each in slow use", () => {
    const quick = steadily({ limit: 600, windowMs: 60_000 }, 530, 1, () => ({ thereMs: 5, backMs: 5, lost: "no" }));
    expect(quick.writes).toBeLessThan((4 * 530) / 5);
    const slow = steadily({ limit: 600, windowMs: 60_000 }, 10, 1, () => ({ thereMs: 5, backMs: 5, lost: "no" }));
    expect(slow.writes).toBe(40);
  });
});

describe("what a lease has used", () => {
  const limit = { limit: 100, windowMs: 10_000 };
  /** A lease of two, until 1,000, that is reported at `reportedAt`; how much remains just before `at`, and then. */
  function reported(reportedAt: number, at: number) {
    const window = new LeasedWindow(limit, { stored: new Float64Array(), now: 0 });
    expect(window.grant(0, { id: "a", admissions: 2, forMs: 1_000 })).toBe(2);
    window.settle({ id: "a", used: 2 }, reportedAt);
    return [window.remaining(at - 1), window.remaining(at)];
  }

  it("is dated no later than its report, and no later than the lease's end", () => {
    expect(reported(300, 10_300)).toEqual([98, 100]);
    expect(reported(4_000, 11_000)).toEqual([98, 100]);
  });
});

describe("a key in steady use: once it has leases, no request waits for its gate, which is called", () => {
  it.each([
    // Of nine tenths of a second: less three calls, and twice the time between requests.
    [80, 5, 1.3],
    [80, 50, 1.7],
    [80, 90, 1.7],
    [10, 5, 1.5],
    [4, 5, 2],
  ])("with %d requests a second and calls of %d ms each way", (perSecond, wayMs, callsASecond) => {
    const world = new LeaseWorld({ limit: 100_000, windowMs: 60_000 }, [0]);
    const use = (seconds: number) => {
      for (let each = 0; each < seconds * perSecond; each++) {
        world.request(0, { thereMs: wayMs, backMs: wayMs, lost: "no" });
        world.pass(1_000 / perSecond);
      }
    };
    use(2);
    const before = world.gateCalls;
    world.waited = 0;
    use(60);
    expect(world.waited).toBe(0);
    expect((world.gateCalls - before) / 60).toBeLessThan(callsASecond);
  });
});

it("a changed limit takes over the leases that are out", () => {
  const windowMs = 60_000;
  const before = new LeasedWindow({ limit: 200, windowMs }, { stored: new Float64Array(), now: 0 });
  expect(before.grant(0, { id: "a", admissions: 5, forMs: 1_000 })).toBe(5);
  const changed = before.under({ limit: 300, windowMs }, 100);
  expect(changed.remaining(100)).toBe(295);
  changed.settle({ id: "a", used: 4 }, 200);
  expect(changed.remaining(300)).toBe(296);
});

it("who is refused waits for a lease to be given back: until its end, then as long again, then for the oldest admission", () => {
  const window = new LeasedWindow({ limit: 100, windowMs: 60_000 }, { stored: new Float64Array(), now: 0 });
  expect(window.grant(0, { id: "a", admissions: 2, forMs: 1_000 })).toBe(2);
  for (let times = 0; times < 98; times++) window.admit(0);
  const waits = [10, 999, 1_000, 1_500, 2_000].map((now) => window.admit(now));
  expect(waits.map(({ admitted, waitMs }) => [admitted, waitMs])).toEqual(
    [990, 1, 1_000, 500, 58_000].map((waitMs) => [false, waitMs]),
  );
});

describe("a reserve", () => {
  it("of a full window takes the place of the oldest admissions: no more times than the limit are stored", () => {
    const window = new LeasedWindow({ limit: 100, windowMs: 60_000 }, { stored: new Float64Array(), now: 0 });
    for (let times = 0; times < 100; times++) window.admit(times);
    const stored = window.store(100);
    expect([stored.length, stored[0], stored.at(-1)]).toEqual([100, 5, 100 + RESERVE_MS]);
  });

  it("is used until its end only, also by a lease", () => {
    const window = new LeasedWindow({ limit: 600, windowMs: 60_000 }, { stored: new Float64Array(), now: 0 });
    for (let times = 0; times < 10; times++) window.admit(0);
    window.store(0);
    expect(window.takeReserved(1, RESERVE_MS + 1)).toBe(false);
    expect(window.takeReserved(1, RESERVE_MS)).toBe(true);
  });
});

describe("what a clock has left an hour ahead", () => {
  it("still counts, for a window and the longest reserve at most", () => {
    const windowMs = 60_000;
    const window = new LeasedWindow({ limit: 400, windowMs }, { stored: new Float64Array(), now: 0 });
    const [late, early] = [7_200_000, 3_600_000];
    for (let each = 0; each < 3; each++) window.grant(late + each, { id: `${each}`, admissions: 4, forMs: 1_000 });
    const left = window.remaining(late + 5);
    expect(left).toBe(400 - 12);
    expect(window.remaining(early)).toBe(left);
    for (let times = 0; times < left; times++) expect(window.admit(early).admitted).toBe(true);
    const { admitted, waitMs } = window.admit(early);
    expect([admitted, waitMs <= windowMs]).toEqual([false, true]);
    expect(window.remaining(early + windowMs + RESERVE_MS)).toBe(400);
  });
});

it("a limit that is lowered and raised again within one window admits no more than the higher one, also through a restart", () => {
  const windowMs = 10_000;
  let window = new LeasedWindow({ limit: 20, windowMs }, { stored: new Float64Array(), now: 0 });
  for (let count = 0; count < 20; count++) expect(window.admit(count).admitted).toBe(true);
  window = window.under({ limit: 5, windowMs }, 100);
  expect(window.admit(100).admitted).toBe(false);
  window = new LeasedWindow({ limit: 5, windowMs }, { stored: window.store(200), now: 200 });
  expect(window.admit(200).admitted).toBe(false);
  window = window.under({ limit: 100, windowMs }, 300);
  let admitted = 0;
  while (window.admit(300).admitted) admitted += 1;
  expect(admitted).toBe(80);
});

it.each(["reported", "stored"])("and no more with a lease that is %s while the limit is lower", (way) => {
  const windowMs = 10_000;
  let window = new LeasedWindow({ limit: 100, windowMs }, { stored: new Float64Array(), now: 0 });
  expect(window.grant(0, { id: "a", admissions: 2, forMs: 1_000 })).toBe(2);
  for (let count = 0; count < 98; count++) expect(window.admit(count).admitted).toBe(true);
  window = window.under({ limit: 5, windowMs }, 200);
  if (way === "reported") window.settle({ id: "a", used: 2 }, 300);
  else window = new LeasedWindow({ limit: 5, windowMs }, { stored: window.store(300), now: 300 });
  expect(window.under({ limit: 100, windowMs }, 400).admit(400).admitted).toBe(false);
});

it("a window that is made shorter and longer again, or only longer, takes over what was admitted in the longer one", () => {
  const [limit, short, long] = [20, 1_000, 60_000];
  let window = new LeasedWindow({ limit, windowMs: long }, { stored: new Float64Array(), now: 0 });
  for (let count = 0; count < limit; count++) expect(window.admit(count).admitted).toBe(true);
  window = window.under({ limit, windowMs: short }, 3_000);
  expect(window.remaining(3_000)).toBe(limit);
  expect(window.under({ limit, windowMs: long }, 3_000).remaining(3_000)).toBe(0);
  expect(window.admit(3_000).admitted).toBe(true);
  expect(window.under({ limit, windowMs: long }, 10_000).remaining(10_000)).toBe(0);
  expect(window.under({ limit, windowMs: long }, 60_019).remaining(60_019)).toBe(limit - 1);
  const steady = new LeasedWindow({ limit, windowMs: short }, { stored: new Float64Array(), now: 0 });
  for (let now = 0; now < 50_000; now += 100) expect(steady.admit(now).admitted).toBe(true);
  expect(steady.under({ limit, windowMs: long }, 50_000).remaining(50_000)).toBe(0);
});
