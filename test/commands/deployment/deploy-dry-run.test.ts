/** `npm run deploy -- --dry-run`: the plan, without a network. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSchemaSteps } from "../../../src/commands/deployment/schema-steps.ts";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

const steps = (await readSchemaSteps()).map(({ name }) => name);
let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

it("--dry-run prints the plan and asks Cloudflare nothing", async () => {
  const configuration = () => readFile(join(account.checkout, "wrangler.toml"), "utf8");
  const before = await configuration();
  const { code, stdout } = await account.run("deploy", "--dry-run", "--location", "weur");
  expect(code).toBe(0);
  expect(stdout).toContain(
    "2. find the D1 database edge-access-api for DB, or create it in weur, and write its id into wrangler.toml",
  );
  expect(stdout).toContain(`   ${steps[0]}\n   ${steps[1]}\n`);
  expect(account.calls()).toEqual([expect.stringMatching(/^deploy --dry-run --outdir /)]);
  expect(await configuration()).toBe(before);
});

it("--dry-run works with wrangler itself, without a network", () => {
  const offline = { ...process.env, HTTPS_PROXY: "http://127.0.0.1:9", CLOUDFLARE_API_TOKEN: undefined };
  const output = execFileSync(process.execPath, ["src/commands/deployment/deploy.ts", "--dry-run"], {
    cwd: account.checkout,
    env: { ...offline, PATH: `node_modules/.bin:${process.env.PATH}` },
    encoding: "utf8",
  });
  expect(output).toContain("--dry-run: exiting now.");
  expect(existsSync(join(account.checkout, ".dev.vars"))).toBe(false);
});
