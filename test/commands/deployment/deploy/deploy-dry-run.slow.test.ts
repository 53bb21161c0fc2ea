/** `npm run deploy -- --dry-run`: the plan, without a network. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSchemaSteps } from "../../../../src/commands/deployment/databases/schema-steps.ts";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

const steps = (await readSchemaSteps()).map(({ name }) => name);
let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
});
afterEach(() => account.close());

it("--dry-run prints the plan and asks Cloudflare nothing", async () => {
  const configuration = () => readFile(join(account.checkout, "wrangler.toml"), "utf8");
  const before = await configuration();
  const { code, stdout } = await account.run("deploy", "--dry-run", "--database-location", "weur");
  expect(code).toBe(0);
  expect(stdout).toContain(
    "2. find the D1 database edge-access-api for DB, or create it in weur, and write its id into wrangler.toml",
  );
  expect(stdout).toContain(`   ${steps[0]}\n`);
  expect(stdout).toContain("deploy the Worker edge-access-api\n");
  expect(account.calls()).toEqual([expect.stringMatching(/^deploy --dry-run --outdir /)]);
  expect(await configuration()).toBe(before);
});

it("--dry-run works with wrangler itself, makes no call over the network, and builds what `npx wrangler deploy` builds", async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    HTTPS_PROXY: address,
    HTTP_PROXY: address,
    CLOUDFLARE_API_TOKEN: undefined,
    PATH: `node_modules/.bin:${process.env.PATH}`,
  };
  /** The size of the Worker and its bindings, as wrangler prints them last. */
  const built = async (program: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(program, args, { cwd: account.checkout, env });
    return stdout.slice(stdout.indexOf("Total Upload: ")).trim();
  };
  const ours = await built(process.execPath, "src/commands/deployment/deploy/deploy.ts", "--dry-run");
  expect(connections).toBe(0);
  expect(ours).toContain("env.API_KEY_GATE (ApiKeyGate)");
  expect(await built("wrangler", "deploy", "--dry-run")).toBe(ours);
  proxy.close();
  expect(existsSync(join(account.checkout, ".dev.vars"))).toBe(false);
});
