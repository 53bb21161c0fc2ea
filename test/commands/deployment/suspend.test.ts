/** `npm run suspend`, used as an operator uses it, against a running server. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, paste, startDev } from "../../support/node/checkout.ts";

const SECRET = "an-operator-secret-that-only-this-test-has";
let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let url: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  url = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port), "--var", `OPERATOR_SECRET:${SECRET}`);
});
afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

/** What it prints, and with which status it ends. */
const run = (args: string, secret: string | undefined = SECRET) =>
  paste(
    `cd '${checkout.folder}' && ${secret && `OPERATOR_SECRET='${secret}'`} npm run --silent suspend -- ${args} 2>&1; echo "exit $?"`,
  );
const whoami = async () => {
  const [, key = ""] = server.output.match(/^API key: (\S+)$/m) ?? [];
  return (await fetch(`${url}/tenant/surveys`, { headers: { "X-API-Key": key } })).status;
};

it("suspends an account before it says so, and resumes it", async () => {
  expect(await whoami()).toBe(200);
  const suspended = await run(`owner@example.com --url ${url}`);
  expect(await whoami()).toBe(403);
  expect(suspended).toMatch(
    /^owner@example.com \(account \w+\) is suspended\. Its API key's gate has confirmed it\.\n/,
  );
  expect(suspended).toContain(`npm run suspend -- owner@example.com --url ${url} --resume`);
  expect(suspended).toContain("exit 0");
  expect(await run(`owner@example.com --url ${url} --resume`)).toContain("is active.");
  expect(await whoami()).toBe(200);
});

it.each([
  ["an account that does not exist", "nobody@example.com --url URL", SECRET, "404: There is no such account."],
  ["another secret", "owner@example.com --url URL", "x".repeat(32), "401: This needs the operator's secret"],
  ["no secret", "owner@example.com --url URL", "", "Set OPERATOR_SECRET"],
  ["no account", "--url URL", SECRET, "Usage: npm run suspend"],
  ["an unknown option", "owner@example.com --url URL --now", SECRET, "Usage: npm run suspend"],
  ["an address that is none", "owner@example.com --url api.example", SECRET, "an address such as https://"],
  ["a deployment without https", "owner@example.com --url http://api.example", SECRET, "is not https"],
  ["a server that is not there", "owner@example.com --url http://localhost:9", SECRET, "does not answer"],
])("with %s it says what is wrong, and fails", async (_, args, secret, message) => {
  const printed = await run(args.replace("URL", url), secret);
  expect(printed).toContain(message);
  expect(printed).toContain("exit 1");
  expect(printed).not.toMatch(/^\s+at /m);
});
