/** `npm run deploy -- --dry-run`: the plan, without a network. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
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
  expect(stdout).toContain(`   ${steps[0]}\n`);
  expect(stdout).toContain("deploy the Worker edge-access-api-account, which is Account Settings\n");
  expect(account.calls()).toEqual([
    expect.stringMatching(/^deploy --config wrangler.account.json --dry-run --outdir /),
    expect.stringMatching(/^deploy --config wrangler.front-door.toml --dry-run --outdir /),
  ]);
  expect(await configuration()).toBe(before);
});

it("--dry-run works with wrangler itself, which makes no call over the network", async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["src/commands/deployment/deploy.ts", "--dry-run"], {
    cwd: account.checkout,
    env: {
      ...process.env,
      HTTPS_PROXY: address,
      HTTP_PROXY: address,
      CLOUDFLARE_API_TOKEN: undefined,
      PATH: `node_modules/.bin:${process.env.PATH}`,
    },
  });
  proxy.close();
  expect(stdout).toContain("--dry-run: exiting now.");
  expect(connections).toBe(0);
  expect(existsSync(join(account.checkout, ".dev.vars"))).toBe(false);
});
