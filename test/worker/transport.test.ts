/** Plain http: a credential that was sent so may have been read on its way, so it gets no answer but one. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/commands/openapi/operations.ts";
import { createApp } from "../../src/worker/app.ts";
import { countStores } from "../support/intercept.ts";
import { fillPath } from "../support/operations.ts";
import { addApiKey, addIdeaBank } from "../support/world.ts";

const app = createApp(async () => ({ email: "owner@example.com", actor: "owner@example.com" }));
const send = (url: string, init: RequestInit = {}, bindings: Env = env) =>
  app.fetch(new Request(url, init), bindings, createExecutionContext());

const PATHS = [
  ...OPERATIONS.map(({ method, path }) => [method, fillPath(path, {})] as const),
  ...["/nothing", "/account/api-keys", "/leaks/reports"].map((path) => ["GET", path] as const),
  ["OPTIONS", "/ideabank/proposals"] as const,
  ["POST", "/tenant/whoami"] as const,
];

it("every request over http gets the same 403, with a valid and an invalid credential, and calls no store", {
  tags: "slow",
}, async () => {
  const [key, { token }] = [await addApiKey(), await addIdeaBank()];
  const { env: counted, counts } = countStores(env);
  const bodies = new Set<string>();
  for (const [method, path] of PATHS) {
    for (const headers of [
      {},
      { "X-API-Key": key.text, Authorization: token },
      { "X-API-Key": "no", Accept: "text/html" },
    ]) {
      const response = await send(`http://api.example${path}`, { method, headers }, counted);
      expect([method, path, response.status]).toEqual([method, path, 403]);
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
      bodies.add(await response.text());
    }
  }
  expect([...bodies].map((text) => JSON.parse(text).error)).toEqual(["insecure-transport"]);
  expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
});

it.each(["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787"])("http://%s is this machine", async (host) => {
  const { token } = await addIdeaBank();
  const response = await send(`http://${host}/ideabank`, { headers: { Authorization: token } });
  expect(response.status).toBe(200);
});

it.each(["localhost.example", "notlocalhost", "127.0.0.1.example", "127.0.0.2", "[::2]"])(
  "http://%s is not",
  async (host) => {
    expect((await send(`http://${host}/ideabank`)).status).toBe(403);
  },
);
