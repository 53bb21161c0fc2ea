/** The deployed bundle: its size and its content. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { makeCheckout } from "../support/node/checkout.ts";

const MAX_GZIPPED_BYTES = 150 * 1024;
let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  checkout = await makeCheckout();
});
afterAll(() => checkout.remove());

it("the bundle is at most 150 KiB gzipped, and has no development code", async () => {
  const bundle = await buildWorker(checkout.folder);
  expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
  // The demo data.
  expect(bundle).not.toContain("contactless at the gate");
});
