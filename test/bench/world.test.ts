/** The simulated world's calculations, and its report. */
import { describe, expect, it } from "vitest";
import { outcome, worldResult } from "../support/node/bench-world.ts";
import { percentile, Random, zipf } from "../support/random.ts";
import { ends, grow, tenantsPerDatabase } from "./growth.ts";
import { PLACES, REPLICA_LAG, REPLICAS, roundTrip } from "./world/latencies.ts";
import { Observations } from "./world/observations.ts";
import { arrivals, changes } from "./world/traffic.ts";
import { worldPlots, worldReport } from "./world-report.ts";

describe("the table of distances", () => {
  it("is the same in both directions, and shortest within a city", () => {
    for (const [from] of PLACES.entries()) {
      for (const [to] of PLACES.entries()) {
        expect(roundTrip(from, to)).toEqual(roundTrip(to, from));
        expect(roundTrip(from, to).p50).toBeGreaterThanOrEqual(roundTrip(from, from).p50);
      }
    }
  });

  it("sends each place to the nearest replica", () => {
    for (const [place, { replica }] of PLACES.entries())
      for (const other of REPLICAS)
        expect(roundTrip(place, replica).p50).toBeLessThanOrEqual(roundTrip(place, other).p50);
  });
});

describe("randomness", () => {
  it("has the median and the 99th percentile that were asked for", { tags: "slow" }, () => {
    const random = new Random(7);
    const sorted = Array.from({ length: 100_000 }, () => random.latency(REPLICA_LAG)).toSorted((a, b) => a - b);
    expect(percentile(sorted, 0.5) / REPLICA_LAG.p50).toBeCloseTo(1, 1);
    expect(percentile(sorted, 0.99) / REPLICA_LAG.p99).toBeCloseTo(1, 1);
    // The third figure of its source, which the distribution was not fitted to.
    expect(percentile(sorted, 0.95) / 3_400).toBeCloseTo(1, 1);
  });

  it("draws the second by Zipf's law half as often as the first", () => {
    const draw = zipf(50, new Random(7));
    const drawn = Array.from({ length: 100_000 }, draw);
    const times = (index: number) => drawn.filter((each) => each === index).length;
    expect(times(1) / times(0)).toBeCloseTo(0.5, 1);
    expect(Math.max(...drawn)).toBe(49);
  });
});

describe("the traffic of a day", () => {
  const day = arrivals(60, 20_000, 50, false);

  it("comes in order, within the day, the same in every run", { tags: "slow" }, () => {
    expect(day.every(({ at }, index) => at >= (day[index - 1]?.at ?? 0) && at < 60_000)).toBe(true);
    expect(arrivals(60, 20_000, 50, false)).toEqual(day);
  });

  it("has a busy and a quiet half in each place, by its own time", () => {
    for (const place of PLACES.keys()) {
      const hours = Array.from({ length: 24 }, () => 0);
      for (const arrival of day)
        if (arrival.place === place)
          hours[Math.floor(arrival.at / 2_500)] = (hours[Math.floor(arrival.at / 2_500)] ?? 0) + 1;
      expect(Math.max(...hours)).toBeGreaterThan(3 * Math.min(...hours));
    }
  });

  it("has changes all over it", () => {
    const times = changes(60, 120, 50).map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times).toHaveLength(120);
  });
});

describe("what is observed", () => {
  const START = 1_000;

  it("of a write is the age at which it was last not shown, in each place", () => {
    const observations = new Observations(START);
    const write = observations.wrote(5, START);
    observations.showed(0, 5, START + 100, -1);
    observations.showed(0, 5, START + 300, -1);
    observations.showed(0, 5, START + 400, write);
    observations.showed(1, 5, START + 50, write);
    observations.showed(2, 6, START + 900, -1);
    observations.showed(3, 5, START - 1, -1);
    const visible = observations.places.map(({ visible: { requests, max } }) => [requests, max]);
    expect(visible).toEqual([
      [1, 300],
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it.each([
    [[true, false], 1, 10],
    [[false, false], 0, 0],
    [[true, true], 2, null],
  ])("of a revocation is who was admitted after its answer: %j", (admitted, admittedAfter, lastAdmittedMs) => {
    const observations = new Observations(START);
    observations.triedRevoked(START, true);
    observations.revoked(START, START + 5);
    observations.triedRevoked(START + 5, true);
    for (const [index, each] of admitted.entries()) observations.triedRevoked(START + 15 + index, each);
    expect(observations.revocation).toEqual({ answeredMs: 5, admittedAfter, lastAdmittedMs });
  });

  it("of latencies leaves out what came before the count", () => {
    const observations = new Observations(START);
    observations.answered(0, 0, START - 1, START + 500);
    observations.answered(0, 0, START, START + 20);
    observations.answered(0, 1, START, START + 40);
    expect(observations.places[0]).toMatchObject({ requests: 2, max: 40, busiest: { requests: 1, max: 20 } });
  });
});

describe("growth", () => {
  const counted = {
    changelog: outcome("changelog: ours, quiet idea banks", { primaryTrips: 500 }),
    whoami: outcome("whoami: ours, quiet keys", { primaryTrips: 100, objectCalls: 1_000 }),
    busyChangelog: outcome("changelog: ours"),
    busyWhoami: outcome("whoami: ours", { objectCalls: 50 }),
    bytesPerProposal: 500,
  };

  it("is in proportion to the tenants", () => {
    const [one, ten] = [grow(counted, 1_000), grow(counted, 10_000)];
    expect(ten.primaryPerSecond / one.primaryPerSecond).toBeCloseTo(10, 6);
    expect(ten.dollarsPerMonth / one.dollarsPerMonth).toBeCloseTo(10, 6);
    expect(ten.dollarsPerMillion).toBe(one.dollarsPerMillion);
  });

  it("counts what reaches the primary at the peak: half the changelogs, a tenth of the whoamis, all writes", () => {
    // 0.1 a second of each, and 0.005 writes; the peak is three times as high.
    expect(grow(counted, 1_000).primaryPerSecond).toBeCloseTo(3 * 1_000 * (0.05 + 0.01 + 0.005), 6);
  });

  it("needs a database more where one is full", () => {
    const fit = tenantsPerDatabase(counted);
    expect(grow(counted, fit).databases).toBe(1);
    expect(grow(counted, fit + 1).databases).toBe(2);
  });

  it("says first what ends first", () => {
    const [first, second] = ends(counted, 12);
    expect([first?.what, second?.what]).toEqual(["queries at D1's primary", "bytes in D1"]);
    const [bytes] = ends({ ...counted, bytesPerProposal: 5_000 }, 12);
    expect(bytes?.what).toBe("bytes in D1");
    const gate = ends(counted, 12).find(({ what }) => what === "calls to one key's gate");
    expect(gate?.ends).toBe("20,000 requests a second with one key");
  });
});

describe("the report of the world", () => {
  const world = worldResult(outcome("changelog: ours", { busiest: [1, 2], primaryTrips: 10 }));
  const plan = {
    seconds: 60,
    requests: 1,
    peerRequests: 1,
    writes: 1,
    keys: 1,
    quiet: { seconds: 1, requests: 1, banks: 1 },
  };

  it("has a row for every subject, and no figure that is none", () => {
    const report = worldReport(world, plan);
    for (const { subject } of world.outcomes) expect(report).toContain(`| ${subject} |`);
    expect(report).not.toMatch(/NaN|undefined/);
  });

  it("has plots with a background of their own, light and dark", () => {
    for (const plot of Object.values(worldPlots(world))) {
      expect(plot).toContain("<rect class='page' width='100%' height='100%'");
      expect(plot).toMatch(/prefers-color-scheme: dark\) \{ \.page \{ fill: #1b1f24 \}/);
      expect(plot).not.toMatch(/NaN|undefined/);
    }
  });
});
