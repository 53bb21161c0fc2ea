/** The deployed bundles: their size and their content. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeAccountConfiguration } from "../../src/commands/deployment/account-configuration.ts";
import { makeCheckout, paste } from "../support/node/checkout.ts";

const MAX_GZIPPED_BYTES = 80 * 1024;
let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  checkout = await makeCheckout();
  await writeAccountConfiguration(checkout.folder);
});
afterAll(() => checkout.remove());

it.each([
  ["the front door", "wrangler.toml", "Your new API key"],
  ["Account Settings", "wrangler.account.json", "/ideabank/proposals"],
])(
  "the bundle of %s is at most 80 KiB gzipped, has nothing of the other's and no development code",
  async (_, config, foreign) => {
    await paste(
      `cd '${checkout.folder}' && node_modules/.bin/wrangler deploy --dry-run --config ${config} --outdir out`,
    );
    const out = join(checkout.folder, "out");
    const modules = (await readdir(out)).filter((name) => name.endsWith(".js"));
    expect(modules).toEqual(["index.js"]);
    const bundle = await readFile(join(out, "index.js"));
    expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(MAX_GZIPPED_BYTES);
    expect(bundle.toString()).not.toContain(foreign);
    // The demo data, and texts of the OpenAPI document.
    expect(bundle.toString()).not.toContain("Riverline");
    expect(bundle.toString()).not.toContain("Newest first");
  },
);
