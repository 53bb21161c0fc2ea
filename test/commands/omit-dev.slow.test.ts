/** A fresh clone with what `npm ci --omit=dev` installs: it deploys, and brings ideas in. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCheckout } from "../support/node/checkout.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;

beforeAll(async () => {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8")) as {
    packages: Record<string, { dev?: true }>;
  };
  const installed = Object.keys(packages).filter(
    (path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !packages[path]?.dev && existsSync(path),
  );
  expect(installed.length).toBeLessThan(80);
  // All of it is a copy: what is linked finds the packages of its own place.
  checkout = await makeCheckout();
  await rm(join(checkout.folder, "node_modules"));
  for (const path of installed) {
    // The Node that runs this test is one of them.
    if (!path.includes("/node-")) await cp(path, join(checkout.folder, path), { recursive: true });
  }
  // A clone does not have what is made of the OpenAPI document.
  for (const made of ["tenant-api.ts", "tenant-types.ts"]) await rm(join(checkout.folder, "src/client", made));
});
afterAll(() => checkout.remove());

/** What it printed, on either output. */
const run = (...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, args, {
    cwd: checkout.folder,
    env: { ...process.env, CLOUDFLARE_API_TOKEN: undefined, API_KEY: "ibk_a-key" },
  }).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }) => stdout + stderr,
  );

it("the import asks the API", async () => {
  await writeFile(join(checkout.folder, "ideas.csv"), "id,title\n1,Dark mode\n");
  const asked: unknown[] = [];
  const api = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers["x-api-key"]}`);
    response.writeHead(401, { "Content-Type": "application/problem+json" });
    response.end(JSON.stringify({ error: "unauthorized", detail: "Not this key." }));
  });
  await new Promise<void>((ready) => api.listen(0, "127.0.0.1", ready));
  const place = ["--idea-bank", "000000000000", "--url", `http://127.0.0.1:${(api.address() as AddressInfo).port}`];
  expect(await run("src/commands/import/import.ts", "--from", "csv", "ideas.csv", ...place)).toContain("Not this key.");
  expect(asked[0]).toMatch(/^PUT .* ibk_a-key$/);
  api.close();
});

it("a deployment is planned, and the Worker built", async () => {
  expect(await run("src/commands/deployment/deploy/deploy.ts", "--dry-run")).toContain("env.API_KEY_GATE (ApiKeyGate)");
});
