/** What a gate finds in its storage, and does with it: a state of another format costs no key its limit or its use. */

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { readStoredState, STATE } from "../../../src/worker/api-key-gate/gate-state.ts";
import { LeasedWindow } from "../../../src/worker/rate-limit/leased-window.ts";
import { SlidingWindow } from "../../../src/worker/rate-limit/sliding-window.ts";
import { freeze } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;
const DAY = 86_400_000;

const record = {
  accountId: "a",
  accountSuspended: false,
  secretHash: "0".repeat(64),
  previous: null,
  scopes: ["surveys:read"],
  rateLimit: { limit: 2, windowMs: 60_000 },
  expiresAt: null,
  revokedAt: null,
  pausedAt: null,
  allowedAddresses: null,
};
const kept = { value: record, readAt: START };
const usage = {
  hours: [{ hour: START, admitted: 1, limited: 0, operations: { whoami: 1 } }],
  isPending: true,
  triedAt: 0,
  refusedAt: 0,
  seen: {},
};
const times = Float64Array.of(START - 10, START);
const valid = { kept, times, usage };

const everything = ["times", "usage"];
/** States that another version, a defect or a broken disk could leave, and the parts that are discarded. */
const BROKEN: [string, unknown, string[]][] = [
  ["null", null, everything],
  ["a number", 42, everything],
  ["a string", "gate/2", everything],
  ["a list", [valid], everything],
  ["nothing in it", {}, everything],
  ["a future format", { format: 2, window: { at: [START] }, leases: [] }, everything],
  ["no times", { kept, usage }, ["times"]],
  ["times in a list", { ...valid, times: [START] }, ["times"]],
  ["times of less precision", { ...valid, times: Float32Array.of(START) }, ["times"]],
  ["times in text", { ...valid, times: "1900000000000" }, ["times"]],
  ["NaN among the times", { ...valid, times: Float64Array.of(START, Number.NaN) }, ["times"]],
  ["NaN first", { ...valid, times: Float64Array.of(Number.NaN, START) }, ["times"]],
  ["times without end", { ...valid, times: Float64Array.of(START, Number.POSITIVE_INFINITY) }, ["times"]],
  ["times before all time", { ...valid, times: Float64Array.of(Number.NEGATIVE_INFINITY, START) }, ["times"]],
  ["times out of order", { ...valid, times: Float64Array.of(START, START - 10) }, ["times"]],
  ["more times than any limit", { ...valid, times: new Float64Array(10_001).fill(START) }, ["times"]],
  ["a record of another shape", { ...valid, kept: { row: record, readAt: START } }, ["kept"]],
  ["a record without its limit", { ...valid, kept: { ...kept, value: { ...record, rateLimit: undefined } } }, ["kept"]],
  [
    "a limit of NaN",
    { ...valid, kept: { ...kept, value: { ...record, rateLimit: { limit: Number.NaN, windowMs: 1_000 } } } },
    ["kept"],
  ],
  [
    "a limit of nothing",
    { ...valid, kept: { ...kept, value: { ...record, rateLimit: { limit: 0, windowMs: 1_000 } } } },
    ["kept"],
  ],
  [
    "a window of NaN",
    { ...valid, kept: { ...kept, value: { ...record, rateLimit: { limit: 2, windowMs: Number.NaN } } } },
    ["kept"],
  ],
  [
    "a scope that is not known",
    { ...valid, kept: { ...kept, value: { ...record, scopes: ["everything"] } } },
    ["kept"],
  ],
  ["a record read at no time", { ...valid, kept: { ...kept, readAt: Number.NaN } }, ["kept"]],
  ["a record without its key", { ...valid, kept: { value: undefined, readAt: START } }, ["kept"]],
  ["usage of another shape", { ...valid, usage: { ...usage, hours: { "12": 1 } } }, ["usage"]],
  [
    "usage of NaN",
    { ...valid, usage: { ...usage, hours: [{ hour: START, admitted: Number.NaN, limited: 0, operations: {} }] } },
    ["usage"],
  ],
  ["usage handed over at no time", { ...valid, usage: { ...usage, triedAt: Number.NaN } }, ["usage"]],
  ["usage without a time", { ...valid, usage: { hours: [] } }, ["usage"]],
];

/** The gate of a key, started from this state. */
async function startFrom(id: string, state: unknown) {
  const gate = gateOf(id);
  await runInDurableObject(gate, (_, { storage }) => storage.kv.put(STATE, state));
  await evictDurableObject(gate);
  return gateOf(id);
}

describe("a stored state", () => {
  it("that is valid is taken as it is", () => {
    expect(readStoredState(structuredClone(valid))).toEqual({
      state: valid,
      discarded: [],
    });
    expect(readStoredState({ ...valid, kept: undefined })).toMatchObject({ state: { times, usage }, discarded: [] });
    expect(readStoredState({ ...valid, kept: { value: null, readAt: START } })).toMatchObject({ discarded: [] });
  });

  it("that was never written is no state, and no defect", () => {
    expect(readStoredState(undefined)).toEqual({ state: {}, discarded: [] });
  });

  it.each(BROKEN)("with %s is discarded where it is broken, and said in the log", async (_, state, discarded) => {
    freeze(START);
    const log = vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 2, windowSeconds: 60 });
    const gate = await startFrom(key.id, state);
    // What is good of it holds: the record, which is another key's here, and the times, which are those of a key at its limit.
    if (!discarded.includes("kept") && Object.hasOwn(Object(state), "kept")) {
      expect(await gate.admit(key.secretHash)).toEqual({ outcome: "refused", reason: "wrong-secret" });
      await gate.forget();
    }
    const used = discarded.includes("times") ? 0 : 2;
    for (let times = used; times < 2; times++) {
      expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "admitted", quota: { remaining: 1 - times } });
    }
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "limited", quota: { remaining: 0 } });
    vi.setSystemTime(START + 60_000);
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    expect(log.mock.calls).toEqual([[expect.stringContaining("stored state"), discarded.join(", ")]]);
  });

  it("with times far ahead keeps the limit, for one window", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 2, windowSeconds: 60 });
    const gate = await startFrom(key.id, { usage, times: Float64Array.of(START + DAY, START + 2 * DAY) });
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "limited", quota: { waitMs: 60_000 } });
    vi.setSystemTime(START + 60_000);
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
  });

  it("is never read as anything but what a gate can work with, whatever is in it", { tags: "slow" }, () => {
    const part = <Part>(whole: Part) =>
      fc.oneof(fc.constant(whole), fc.anything({ withTypedArray: true, maxDepth: 3 }));
    const recordWith = fc.record({
      ...Object.fromEntries(Object.entries(record).map(([name, field]) => [name, part<unknown>(field)])),
    });
    const numbers = fc.float64Array({ maxLength: 20 });
    const state = fc.record(
      {
        kept: fc.oneof(part<unknown>(kept), fc.record({ value: recordWith, readAt: part(START) })),
        times: fc.oneof(
          part<unknown>(times),
          numbers,
          numbers.map((list) => list.toSorted()),
        ),
        usage: part<unknown>(usage),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(state, fc.anything()), fc.integer({ min: 1, max: 30 }), (stored, limit) => {
        const found = readStoredState(stored).state;
        const window = new SlidingWindow({ limit, windowMs: 60_000 }, found.times);
        const { waitMs } = window.admit(START);
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(60_000);
        expect(window.admit(START + waitMs).admitted).toBe(true);
        const numbersOfRecord = found.kept?.value ? Object.values(found.kept.value.rateLimit) : [];
        for (const number of numbersOfRecord) expect(number).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

it("what a longer window takes over is stored so that it is read again, with the most admissions that a limit has", () => {
  const [limit, now] = [10_000, 100_000];
  const admitted = Float64Array.from({ length: limit }, (_, index) => 20_000 + 7 * index);
  const window = new LeasedWindow({ limit, windowMs: 60_000 }, { stored: admitted, now });
  expect(window.grant(now, { id: "a", admissions: 200, forMs: 1_000 })).toBe(200);
  const longer = { limit, windowMs: 3_600_000 };
  const { state, discarded } = readStoredState({ ...valid, times: window.under(longer, now).store(now) });
  expect(discarded).toEqual([]);
  expect(
    new LeasedWindow(longer, { stored: state.times ?? new Float64Array(), now: now + 20_000 }).remaining(now + 20_000),
  ).toBe(0);
});
