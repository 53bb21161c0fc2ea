/** Every test starts with an empty, loaded database and ends with nothing stored anywhere. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import schema from "../../schema.sql?raw";

beforeEach(async () => {
  await env.DB.prepare(schema).run();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});
