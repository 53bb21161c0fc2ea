/**
 * docs/operations.md, "What a key costs": its counts, counted on the real gate in simulated time, and the dollars that follow from
 * them. A Durable Object is billed for the time with an open call or a pending timer, too.
 */
import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import operations from "../../../docs/operations.md?raw";
import { createApp, createMemory } from "../../../src/worker/app.ts";
import { type Counts, NO_COUNTS } from "../../bench/counts.ts";
import { dollarsPerMillion } from "../../bench/prices.ts";
import { D1_SERVICE, OBJECT_SERVICE, PRIMARY, roundTrip } from "../../bench/world/latencies.ts";
import { freezeTimers } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { interceptStores } from "../../support/intercept.ts";
import { interceptObjects, meterDatabases } from "../../support/intercept-binding.ts";
import { addApiKey } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

const START = 1_900_000_000_000;
/** The gate of a server in Virginia; D1's primary is in Amsterdam. */
const VIRGINIA = 2;
const CALL_MS = OBJECT_SERVICE.p50;
const DATABASE_MS = D1_SERVICE.p50 + roundTrip(PRIMARY, VIRGINIA).p50;
/** An object that nothing calls, and that has no timer, loses its memory then. */
const IDLE_MS = 10_000;
const LOGGED = 1 / 100;

/** A key that one isolate sends requests with, and what they cost. */
async function createCounted() {
  freezeTimers(START);
  const key = await addApiKey({ limit: 1_000, windowSeconds: 60 });
  const gate = gateOf(key.id);
  const counts: Counts = { ...NO_COUNTS };
  const due: { readonly at: number; readonly work: () => Promise<void> }[] = [];
  const seen = new WeakSet();
  let calledAt = START;

  const bindings = interceptStores(
    meterDatabases(env, (results) => {
      for (const { meta } of results) {
        counts.rowsRead += meta.rows_read;
        counts.rowsWritten += meta.rows_written;
      }
    }),
    (_, makeCall) => {
      counts.d1RoundTrips += 1;
      vi.setSystemTime(Date.now() + DATABASE_MS);
      return makeCall();
    },
  );
  /** Every call of the object: of a method, or its alarm. */
  const call = async <Answer>(make: () => Promise<Answer>): Promise<Answer> => {
    if (Date.now() - calledAt >= IDLE_MS) await evictDurableObject(gate);
    await runInDurableObject(gate, (instance, { storage }) => {
      if (seen.has(instance)) return;
      seen.add(instance);
      Object.assign(instance, { env: bindings });
      const [put, setAlarm] = [storage.kv.put.bind(storage.kv), storage.setAlarm.bind(storage)];
      storage.kv.put = (...entry) => {
        counts.rowsWritten += 1;
        put(...entry);
      };
      storage.setAlarm = (time) => {
        counts.rowsWritten += 1;
        return setAlarm(time);
      };
    });
    counts.objectRequests += 1;
    const since = Date.now();
    const answer = await make();
    vi.setSystemTime(Date.now() + CALL_MS);
    calledAt = Date.now();
    counts.objectMs += calledAt - since;
    return answer;
  };

  const app = createApp(
    undefined,
    createMemory((milliseconds, work) => due.push({ at: Date.now() + milliseconds, work })),
  );
  const isolate = {
    ...env,
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["admit", "report"], (_, make) => call(make)),
  };
  const pass = (until: number) => {
    // A timer keeps the object awake until it fires.
    if (vi.getTimerCount() > 0) counts.objectMs += Math.max(0, until - Date.now());
    vi.setSystemTime(Math.max(until, Date.now()));
  };
  return {
    counts,
    async whoami() {
      counts.requests += 1;
      const context = createExecutionContext();
      const request = new Request("https://api.example/tenant/whoami", { headers: { "X-API-Key": key.text } });
      const { status } = await app.fetch(request, isolate, context);
      await waitOnExecutionContext(context);
      // A gate may read its record after the answer: that read's deadlines end with it.
      for (let times = 0; times < 1_000 && vi.getTimerCount() > 0; times++) await scheduler.wait(1);
      return status;
    },
    /** Time passes, and what is due in it happens. */
    async elapse(until: number) {
      for (;;) {
        const alarm = await runInDurableObject(gate, (_, { storage }) => storage.getAlarm());
        const next = Math.min(alarm ?? until, ...due.map(({ at }) => at));
        if (next >= until) break;
        pass(next);
        if (alarm !== null && alarm <= Date.now()) await call(() => runDurableObjectAlarm(gate));
        for (const each of due.filter(({ at }) => at <= Date.now())) {
          due.splice(due.indexOf(each), 1);
          await each.work();
        }
      }
      pass(until);
    },
  };
}

/** How often, for how many requests; and the most that a million may cost in dollars. */
const RATES: [string, number, number, number][] = [
  ["ten times a second", 100, 1_200, 0.55],
  ["once a second", 1_000, 300, 0.8],
  ["once in six seconds", 6_000, 150, 1.5],
  ["once in a minute", 60_000, 60, 1.65],
  // Two days: D1 takes the counts of each.
  ["once in ten minutes", 600_000, 288, 2],
];

const documented = new Map(
  [...operations.matchAll(/^\| (.+?) \|((?: [\d.]+ \|){6})$/gm)].map(([, rate = "", cells = ""]) => [
    rate,
    cells.split("|").slice(0, 6).map(Number),
  ]),
);

it.each(RATES)(
  "a key that is asked %s costs what the table says, and no timer is pending after an answer",
  async (rate, everyMs, requests, most) => {
    const { counts, whoami, elapse } = await createCounted();
    const warmUp = Math.ceil(60_000 / everyMs);
    let begins = START;
    for (let each = 0; each < warmUp + requests; each++) {
      if (each === warmUp) Object.assign(counts, NO_COUNTS);
      expect(await whoami()).toBe(200);
      expect(vi.getTimerCount()).toBe(0);
      begins += everyMs;
      await elapse(begins);
    }
    counts.logLines = requests * LOGGED;
    const { objectRequests, objectMs, d1RoundTrips, rowsRead, rowsWritten } = counts;
    const dollars = dollarsPerMillion(counts);
    const each = [objectRequests, objectMs, d1RoundTrips, rowsRead, rowsWritten].map((count) => count / requests);
    expect(documented.get(rate)).toEqual([...each, dollars].map((figure) => Number(figure.toFixed(3))));
    expect(dollars).toBeLessThanOrEqual(most);
  },
);
