/** `npm run suspend`, used as an operator uses it, against a running server. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { originOf, suspend } from "../../../src/commands/deployment/suspend.ts";
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
      runWrangler: () => expect.unreachable("wrangler is not asked"),
    },
  );
  expect([code, printed]).toEqual([1, expect.stringContaining(message)]);
  expect(printed).not.toContain(SECRET);
});

it.each(["https://api.example.com/x", "http://localhost:8787", "http://127.0.0.1:1", "http://[::1]:8787"])(
  "sends the secret to %s",
  (address) => expect(originOf(address)).toBe(new URL(address).origin),
);

it.each(["http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://api.example", "ftp://localhost"])(
  "does not send the secret to %s, where others could read it",
  (address) => expect(() => originOf(address)).toThrow("is not https"),
);

it("does not send the secret to what is no address", () => {
  expect(() => originOf("api.example")).toThrow("an address such as https://");
});
