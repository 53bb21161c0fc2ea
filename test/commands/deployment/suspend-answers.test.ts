/** `npm run suspend`, when the answer is not what the operator may rely on. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { suspend } from "../../../src/commands/deployment/suspend.ts";

async function run(args: readonly string[], answer: RequestListener) {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [printed, complained]: [string[], string[]] = [[], []];
  try {
    const code = await suspend.run(["owner@example.com", "--url", url, ...args], {
      folder: ".",
      variables: { OPERATOR_SECRET: "x".repeat(32) },
      print: (line) => printed.push(line),
      complain: (line) => complained.push(line),
      runWrangler: () => expect.unreachable(),
    });
    return { code, printed, complained: complained.join("\n") };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it.each<[string, RequestListener]>([
  ["is of another site", (_, response) => response.end("<html>Welcome</html>")],
  ["is empty JSON", (_, response) => response.end("{}")],
  ["names the other status", (_, response) => response.end('{"accountId":"0a","status":"active","apiKeys":1}')],
  [
    "breaks off",
    (request, response) =>
      request.resume().on("end", () => {
        response.writeHead(200, { "Content-Length": 100 });
        response.write('{"accountId":');
        setImmediate(() => response.destroy());
      }),
  ],
])("confirms nothing when the answer %s", async (_, answer) => {
  const { code, printed, complained } = await run([], answer);
  expect([code, printed]).toEqual([1, []]);
  expect(complained).toContain("Nothing is certain");
});

it("confirms what the deployment has confirmed", async () => {
  const { code, printed } = await run(["--resume"], (_, response) =>
    response.end('{"accountId":"0a","status":"active","apiKeys":1}'),
  );
  expect([code, printed[0]]).toEqual([
    0,
    "owner@example.com (account 0a) is active. Its API key's gate has confirmed it.",
  ]);
});
