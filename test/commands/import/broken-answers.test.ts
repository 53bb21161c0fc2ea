/** `npm run import`, when an answer breaks off or is not the tenant API's: nothing is taken for written that may not be. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { ImportClient } from "../../../src/commands/import/import-client.ts";

async function ask(answers: readonly RequestListener[], call: (client: ImportClient) => Promise<unknown>) {
  let count = 0;
  const server = createServer((request, response) =>
    request.resume().on("end", () => answers[Math.min(count++, answers.length - 1)]?.(request, response)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const complained: string[] = [];
  const client = new ImportClient({
    url: origin,
    apiKey: "ibk_any",
    signal: new AbortController().signal,
    complain: (line) => complained.push(line),
    pause: async () => {},
  });
  try {
    return { answer: await call(client).catch((error: Error) => error.message), count, complained, origin };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const whole: RequestListener = (_, response) => response.end('{"id":"p1"}');
const cutOff: RequestListener = (_, response) => {
  response.writeHead(200, { "Content-Length": 11 });
  response.write('{"id":');
  setImmediate(() => response.destroy());
};
const html: RequestListener = (_, response) => response.end("<html>Welcome</html>");
const write = (client: ImportClient) => client.whoami();

it("sends a request again whose answer breaks off", async () => {
  const { answer, count } = await ask([cutOff, whole], write);
  expect([answer, count]).toEqual([{ id: "p1" }, 2]);
});

it("gives up on an answer that breaks off each time, and says why", async () => {
  const { answer, count, complained, origin } = await ask([cutOff], write);
  expect([answer, count]).toEqual([expect.stringContaining("run the same command again to go on"), 6]);
  expect(complained[0]).toContain(`${origin} does not answer (the connection broke off): waiting for `);
});

it("says once that the limit is reached, however many requests wait for it, and how to speed the import up", async () => {
  const limited: RequestListener = (_, response) => response.writeHead(429, { "Retry-After": "1" }).end();
  const { answer, complained } = await ask([limited, limited, limited, limited, whole], (client) =>
    Promise.all([write(client), write(client)]),
  );
  expect(answer).toHaveLength(2);
  expect(complained).toEqual([expect.stringMatching(/limit is reached: waiting for 1 s\..+raise the limit/)]);
});

it("takes a success that is no JSON for none: the address is another site's", async () => {
  const { answer, count } = await ask([html], write);
  expect([answer, count]).toEqual([expect.stringContaining("is the address right? --url is http"), 1]);
});

it("says where a redirect leads, and does not follow it with the key", async () => {
  const moved: RequestListener = (_, response) => response.writeHead(308, { Location: "https://www.example" }).end();
  const { answer, count } = await ask([moved], write);
  expect([answer, count]).toEqual([expect.stringContaining("308"), 1]);
  expect(answer).toContain("https://www.example");
});
