/** The deployed bundles: their size and their content. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { makeCheckout } from "../support/node/checkout.ts";

const MAX_GZIPPED_BYTES = 80 * 1024;
let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  checkout = await makeCheckout();
});
afterAll(() => checkout.remove());

it.each([
  ["front door", "frontDoor", "Your new API key"],
  ["Account Settings", "account", "/ideabank/proposals"],
] as const)(
  "the bundle of %s is at most 80 KiB gzipped, has nothing of the other's and no development code",
  async (_, which, foreign) => {
    const bundle = await buildWorker(which, checkout.folder);
    expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
    // The demo data, and texts of the OpenAPI document.
    for (const absent of [foreign, "Riverline", "Newest first"]) expect(bundle).not.toContain(absent);
  },
);
