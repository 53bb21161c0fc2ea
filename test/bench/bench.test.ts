/** The benchmark's calculations. `npm run bench -- --quick` tests the measuring itself. */
import { describe, expect, it } from "vitest";
import { outcome, worldResult } from "../support/node/bench-world.ts";
import { NO_COUNTS } from "./counts.ts";
import { dollarsPerMillion } from "./prices.ts";
import type { Results } from "./results.ts";
import { middleHalfOf, spreadOf } from "./statistics.ts";
import { judge } from "./targets.ts";

const NOTHING = { ...NO_COUNTS, requests: 1_000 };

describe("the spread", () => {
  it.each([
    [[3, 1, 2], { median: 2, min: 1, max: 3 }],
    [[4, 1, 2, 10], { median: 3, min: 1, max: 10 }],
    [[7], { median: 7, min: 7, max: 7 }],
  ])("of %j", (values, spread) => expect(spreadOf(values)).toEqual(spread));

  it("of the middle half leaves out what single values show", () => {
    expect(middleHalfOf([0.01, 0.9, 1, 1.1, 0.95, 1055, 1.05, 0.2])).toEqual({ median: 0.975, min: 0.9, max: 1.05 });
    expect(middleHalfOf([7])).toEqual({ median: 7, min: 7, max: 7 });
  });

  it("of no values throws", () => expect(() => spreadOf([])).toThrow(RangeError));
});

it.each([
  ["a request alone", {}, 0.3],
  ["one Durable Object call", { objectRequests: 1_000 }, 0.45],
  ["a row written in 50 requests", { rowsWritten: 20 }, 0.32],
  ["three rows read", { rowsRead: 3_000 }, 0.303],
  ["a log line in a hundred requests", { logLines: 10 }, 0.306],
  ["a KV read and a KV write", { kvReads: 1_000, kvWrites: 1_000 }, 5.8],
])("a million requests cost their operations: %s", (_, counts, dollars) =>
  expect(dollarsPerMillion({ ...NOTHING, ...counts })).toBeCloseTo(dollars, 10),
);

/** A run in which every subject of ours makes `share` of 1,000 requests a second, and the peers 1 a second. */
function resultsWith(
  share: number,
  {
    rowsRead = [22, 22],
    p50 = [1, 1.4],
    isolateBytes = 0,
    dollars = 0.3,
    start = 1,
    firstByteMs = 190,
    world = worldResult(),
  } = {},
): Results {
  const subject = (name: string, requests: number) => ({
    name,
    rounds: new Map([[16, [{ requests, seconds: 1, p50: 1, p99: 2, processorUs: 1e6 / requests }]]]),
    short: [1e6 / requests],
  });
  const group = (title: string, ...names: string[]) => ({
    title,
    subjects: [
      subject("limit: bare Hono route", 1_000),
      ...names.map((name) => subject(name, name.startsWith("peer") ? 1 : 1_000 * share)),
    ],
  });
  const cost = (path: "whoami" | "changelog", name: string) => ({ path, name, counts: NOTHING, dollars });
  return {
    plan: {
      speed: {
        connections: [16],
        rounds: 1,
        seconds: 1,
        coldReads: 1,
        short: { connections: 16, rounds: 1, seconds: 1 },
      },
      cost: { steadySeconds: 1, reads: 1 },
      scale: { proposals: [1, 2], keys: [], rounds: 1, requests: 1 },
      memory: { ideaBanks: 1, reads: 1, batches: 1 },
      world: {
        seconds: 1,
        requests: 1,
        peerRequests: 1,
        writes: 1,
        keys: 1,
        quiet: { seconds: 1, requests: 1, banks: 1 },
      },
      desk: { visits: 1 },
      starts: 1,
    },
    startedAt: new Date(0),
    minutes: 1,
    versions: {},
    speed: [
      group("whoami, key in use", "limit: the same after one empty Durable Object call", "ours", "peer: better-auth"),
      group("whoami, key over its limit", "ours"),
      group("whoami, forged key", "ours"),
      group("changelog", "ours", "ours, FRESHNESS_SECONDS=0", "peer: D1 each time"),
      group("changelog, 304", "ours"),
      group("proposals by votes", "ours", "peer: count(*) each time"),
    ],
    cost: [cost("whoami", "ours, keys near their default limit"), cost("changelog", "ours, fresh")],
    scale: [
      { name: "a list", sizes: [0, 1].map((size) => ({ size, rowsRead: rowsRead[size] ?? 0, p50: [p50[size] ?? 0] })) },
    ],
    memory: {
      ideaBanks: 1,
      ours: [
        { reads: 0, isolateBytes: 0, residentBytes: 0 },
        { reads: 1, isolateBytes, residentBytes: 0 },
      ],
      keepingNothing: [],
    },
    world,
    desk: [{ page: "/account", firstByteMs: [firstByteMs] }],
    startUp: { bytes: 1, gzippedBytes: 1, ours: [start], released: [1], bare: [0.3], betterAuthGzippedBytes: 1 },
  };
}

describe("a target", () => {
  const missedBy = (results: Results) => judge(results).filter(({ met }) => !met);

  it("is met at its figure", () => expect(missedBy(resultsWith(0.97))).toEqual([]));

  it("is missed below it, with the reason", () => {
    const missed = missedBy(resultsWith(0.6));
    expect(missed.map(({ what }) => what)).toEqual([
      "Changelog, fresh",
      "Changelog, 304",
      "Forged key",
      "Key over its limit",
      "whoami, key in use",
    ]);
    for (const { finding } of missed) expect(finding).not.toBe("Not looked into yet.");
  });

  it.each([
    ["rows that grow", { rowsRead: [22, 23] }, "Scale: a list"],
    ["a p50 that grows", { p50: [1, 1.6] }, "Scale: a list"],
    ["memory beyond the caches' bound", { isolateBytes: 49 * 2 ** 20 }, "Memory of the isolate"],
    ["a page of the desk that waits a third time", { firstByteMs: 260 }, "First byte of the slowest page of the desk"],
    ["a start that is slower", { start: 1.01 }, "Start-up, processor time"],
    ["an expensive changelog", { dollars: 0.32 }, "Cost of the changelog"],
    [
      "a key in use that waits for its gate",
      { world: worldResult(outcome("whoami: ours", { busiest: [0, 90] })) },
      "whoami, a key in use, across the world",
    ],
    [
      "a reader of a busy idea bank who waits",
      { world: worldResult(outcome("changelog: ours", { busiest: [0, 2] })) },
      "Changelog, a busy idea bank",
    ],
    [
      "an answer that is too old",
      { world: worldResult(outcome("changelog: ours", { oldest: 11_001 })) },
      "Changelog, the oldest answer",
    ],
    [
      "a token that is never refused",
      { world: worldResult(outcome("changelog: ours", { lastAdmittedMs: null })) },
      "A revoked token, last admitted",
    ],
    [
      "a key that is admitted after the owner's answer",
      { world: worldResult(outcome("whoami: ours", { admittedAfter: 1 })) },
      "A revoked key, admitted after the owner's answer",
    ],
  ])("is missed by %s", (_, measured, what) =>
    expect(missedBy(resultsWith(1, measured)).map((verdict) => verdict.what)).toEqual([what]),
  );
});
