/**
 * Every test starts with the schema in two empty databases, and all stores are emptied after it. What the Worker has logged and
 * measured holds no credential.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { restartTurns } from "./databases.ts";
import { recordDataPoints, takeLeaks } from "./observed.ts";
import { emptyStores, makeStores } from "./stores.ts";

/** A revocation waits as long as a lease can last, so it is short. Tests of leases set it to a second. */
const A_MOMENT = "0.05";
// For the environments that files copy when they are loaded, too.
env.LEASE_SECONDS = A_MOMENT;

/** One isolate runs many files: a clock that one leaves behind would stop the timers of the next. */
const clock = () => [globalThis.setTimeout, globalThis.clearTimeout, globalThis.Date];
const REAL_CLOCK = clock();

beforeEach(async () => {
  env.LEASE_SECONDS = A_MOMENT;
  restartTurns();
  await makeStores();
  recordDataPoints();
});

afterEach(async () => {
  const leaks = takeLeaks();
  // In this order: a spy on a timer may stand on a faked one.
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(clock()).toEqual(REAL_CLOCK);
  await emptyStores();
  expect(leaks).toEqual([]);
});
