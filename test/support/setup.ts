/** Every test starts with the schema in an empty database, and all stores are emptied after it. */
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
