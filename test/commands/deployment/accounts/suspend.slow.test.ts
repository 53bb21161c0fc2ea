/** `npm run suspend`, and the part of `npm run account` that changes keys, used as an operator uses them, against a running server. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { suspend } from "../../../../src/commands/deployment/accounts/suspend.ts";
import { type DevServer, freePort, makeCheckout, runCommand, startDev } from "../../../support/node/checkout.ts";

const SECRET = "an-operator-secret-that-only-this-test-has";
let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let url: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  await writeFile(join(checkout.folder, ".dev.vars"), `OPERATOR_SECRET="${SECRET}"\n`);
  const port = await freePort();
  url = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port));
});
afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

/** What it prints, and with which status it ends. */
const run = (args: string, secret: string | undefined = SECRET) =>
  runCommand(checkout.folder, `suspend -- ${args}`, secret && `OPERATOR_SECRET='${secret}'`);
const demoKey = () => server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
const whoami = async () => (await fetch(`${url}/tenant/surveys`, { headers: { "X-API-Key": demoKey() } })).status;

it("suspends an account before it says so, and resumes it", async () => {
  expect(await whoami()).toBe(200);
  const suspended = await run(`owner@example.com --url ${url} --yes`);
  expect(await whoami()).toBe(403);
  expect(suspended).toMatch(
    /^owner@example.com \(account \w+\) is suspended\. Its API key's Durable Object has confirmed it\.\n/,
  );
  expect(suspended).toContain(`npm run suspend -- owner@example.com --url ${url} --resume`);
  expect(suspended).toContain("exit 0");
  expect(await run(`owner@example.com --url ${url} --resume`)).toContain("is active.");
  expect(await whoami()).toBe(200);
});

it("suspends and resumes an account of this machine, with nothing to name but the account", async () => {
  const suspended = await run("owner@example.com --on-this-machine --yes", "");
  expect(await whoami()).toBe(403);
  expect(suspended).toContain("npm run suspend -- owner@example.com --on-this-machine --resume");
  expect(await run("owner@example.com --on-this-machine --resume", "")).toContain("is active.");
  expect(await whoami()).toBe(200);
});

it("deletes an account of this machine, once it is suspended as the refusal says", async () => {
  const account = (args: string) => runCommand(checkout.folder, `account -- ${args} --on-this-machine`);
  const refused = await account("delete owner@example.com --yes");
  const [line = ""] = refused.match(/^npm run suspend .*$/m) ?? [];
  expect([refused, line]).toEqual([
    expect.stringContaining("is active. Nothing was deleted."),
    "npm run suspend -- owner@example.com --on-this-machine",
  ]);
});

it("says of a machine without data what makes it, and no SQL", async () => {
  const empty = await makeCheckout();
  const said = await runCommand(empty.folder, "account -- list --on-this-machine");
  expect(said).toBe(
    "\nDB has no tables yet. `npm run dev` creates the databases of this machine, in .wrangler/state.\nexit 1\n",
  );
  await empty.remove();
});

it.each([
  ["an account that does not exist", ["nobody@example.com", "--url", "URL"], SECRET, "404: There is no such account."],
  ["another secret", ["owner@example.com", "--url", "URL"], "x".repeat(32), "401: This needs the operator's secret"],
  ["no secret", ["owner@example.com", "--url", "URL"], "", "Set OPERATOR_SECRET"],
  [
    "a secret of two lines",
    ["owner@example.com", "--url", "URL"],
    `${SECRET}\nmore`,
    "OPERATOR_SECRET has a line break",
  ],
  ["an unknown option", ["owner@example.com", "--url", "URL", "--now"], SECRET, "Usage: npm run suspend"],
  ["a server that is not there", ["owner@example.com", "--url", "http://localhost:9"], SECRET, "does not answer"],
])("with %s it says what is wrong, and fails", async (_, args, secret, message) => {
  let printed = "";
  const code = await suspend.run(
    args.map((arg) => arg.replace("URL", url)),
    {
      folder: checkout.folder,
      variables: { OPERATOR_SECRET: secret },
      print: (line) => expect.unreachable(line),
      complain: (line) => {
        printed += line;
      },
      ask: async () => "yes",
      runWrangler: () => expect.unreachable("wrangler is not asked"),
    },
  );
  expect([code, printed]).toEqual([1, expect.stringContaining(message)]);
  expect(printed).not.toContain(SECRET);
});

it("another command revokes and limits a key of the server of this folder, and ends when it holds", async () => {
  const who = await fetch(`${url}/tenant/whoami`, { headers: { "X-API-Key": demoKey() } });
  const { apiKeyId } = (await who.json()) as { apiKeyId: string };
  const account = (args: string) => runCommand(checkout.folder, `account -- ${args} --on-this-machine`);
  expect(await account(`limit ${apiKeyId} 1 3600`)).toMatch(/may make 1 requests in 3600 seconds\. .*\nexit 0/);
  expect(await whoami()).toBe(429);
  expect(await account(`revoke ${apiKeyId} --yes`)).toMatch(
    /is revoked\. Its Durable Object has confirmed it.*\nexit 0/,
  );
  expect(await account(`revoke ${apiKeyId} --yes`)).toContain("exit 0");
  expect(await account(`limit ${apiKeyId} 5`)).toMatch(/409: This key is revoked or expired.*\nexit 1/);
  expect(await account("sign-out OWNER@example.com")).toMatch(
    /^owner@example.com is signed out everywhere: 0 .*\nexit 0/,
  );
  expect(await account("move-member nobody@example.com new@example.com --yes")).toMatch(
    /404: nobody@example.com is a member of no account\..*\nexit 1/,
  );
  expect(await account("move-member owner@example.com OWNER@two.example --yes")).toMatch(
    /^OWNER@two.example has the accounts of owner@example.com now: \w{12}\.\nexit 0/,
  );
  expect(await account("move-member owner@two.example owner@example.com")).toMatch(/--yes.*\nexit 1/s);
  expect(await account("move-member owner@two.example owner@example.com --yes")).toContain("exit 0");
  expect(await account("bind-subject customer-42 OWNER@example.com")).toMatch(
    /^The subject customer-42 has the address owner@example.com\.\nexit 0/,
  );
  expect(await account("bind-subject customer-42 owner")).toMatch(/owner: an owner's e-mail address\.\nexit 1/);
  expect(await account("sign-out owner")).toMatch(/owner: an owner's e-mail address\.\nexit 1/);
  expect(await account("revoke 0Nothing0000 --yes")).toMatch(/404: There is no such API key\.\nexit 1/);
});
