/** Every test starts with the schema in an empty database, and all stores are emptied after it. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, vi } from "vitest";
import schema from "../../schema.sql?raw";

/** One isolate runs many files: a clock that one leaves behind would stop the timers of the next. */
const clock = () => [globalThis.setTimeout, globalThis.clearTimeout, globalThis.Date];
const REAL_CLOCK = clock();

beforeEach(async () => {
  await env.DB.prepare(schema).run();
});

afterEach(async () => {
  // In this order: a spy on a timer may stand on a faked one.
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(clock()).toEqual(REAL_CLOCK);
  await reset();
});
