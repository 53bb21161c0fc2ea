/** The deployed bundle: its size and its content. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCheckout, paste } from "../support/node/checkout.ts";

const MAX_GZIPPED_BYTES = 80 * 1024;
let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  checkout = await makeCheckout();
});
afterAll(() => checkout.remove());

it("the Worker's bundle is at most 80 KiB gzipped, and contains no development code", async () => {
  await paste(`cd '${checkout.folder}' && node_modules/.bin/wrangler deploy --dry-run --outdir out`);
  const out = join(checkout.folder, "out");
  const modules = (await readdir(out)).filter((name) => name.endsWith(".js"));
  expect(modules).toEqual(["index.js"]);
  const bundle = await readFile(join(out, "index.js"));
  expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
  // The demo data, and texts of the OpenAPI document.
  expect(bundle.toString()).not.toContain("Riverline");
  expect(bundle.toString()).not.toContain("Newest first");
});
