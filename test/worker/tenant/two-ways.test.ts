/** whoami by a lease, or over the limit, is given by one synchronous function before any middleware: it answers what the longer way does. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { usageOf } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

const START = 1_900_000_000_000;
const WHOAMI = "https://api.example/tenant/whoami";
const short: Env = Object.assign({}, env, { REQUESTS: undefined, REQUEST_LOG_SHARE: "0" });
const logged: Env = { ...short, REQUEST_LOG_SHARE: "1" };
const measured: Env = { ...env, REQUEST_LOG_SHARE: "0" };

type Sent = { readonly url?: string; readonly method?: string; readonly headers?: Record<string, string> };

/** An isolate in which a key was used `times` times in frozen time, 50 a second, the longer way: with more than a few it holds a lease, or is limited. */
async function setUp({ limit = 10_000, times = 40, suspended = false, allowed = "null" } = {}) {
  freeze(START);
  const key = await addApiKey({ limit });
  if (suspended)
    await databaseOf(key.accountId)
      .prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?1")
      .bind(key.accountId)
      .run();
  await databaseOf(key.id)
    .prepare("UPDATE api_keys SET allowed_addresses = nullif(?2, 'null') WHERE id = ?1")
    .bind(key.id, allowed)
    .run();
  const later: (() => Promise<void>)[] = [];
  const app = createApp(undefined, (_, work) => void later.push(work));
  const { env: counted, counts } = countStores(short);
  const send = async ({ url = WHOAMI, method = "GET", headers = {} }: Sent = {}, bindings: Env = counted) => {
    const context = createExecutionContext();
    const request = new Request(url, { method, headers: { "X-Request-Id": "one", "X-API-Key": key.text, ...headers } });
    const answer = app.fetch(request, bindings, context);
    const isSynchronous = answer instanceof Response;
    const response = await answer;
    const remaining = Number(/r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]);
    const seen = {
      status: response.status,
      headers: [...response.headers].filter(([name]) => name !== "ratelimit").toSorted(),
      quota: response.headers.get("RateLimit")?.replace(/r=\d+/, "r"),
      body: await response.text(),
    };
    await waitOnExecutionContext(context);
    return { isSynchronous, seen, remaining };
  };
  for (let time = 0; time < times; time++) {
    await send({}, logged);
    vi.setSystemTime(Date.now() + 20);
  }
  const elapse = async () => {
    for (const work of later.splice(0)) await work();
  };
  counts.gate = 0;
  return { key, send, counts, elapse };
}

it.each([
  ["a plain request", {}],
  ["a query", { url: `${WHOAMI}?a=b` }],
  ["an address", { headers: { "CF-Connecting-IP": "203.0.113.7" } }],
])("%s on a lease is answered the same, and counted once", async (_, sent) => {
  const { key, send, counts, elapse } = await setUp();
  const [longer, shorter] = [await send(sent, logged), await send(sent)];
  expect([longer.isSynchronous, shorter.isSynchronous]).toEqual([false, true]);
  expect(shorter.seen).toEqual(longer.seen);
  expect(shorter.seen).toMatchObject({ status: 200, body: JSON.stringify({ apiKeyId: key.id }) });
  expect(shorter.remaining).toBe(longer.remaining - 1);
  expect((await send(sent, measured)).isSynchronous).toBe(false);
  expect(counts.gate).toBe(0);
  await elapse();
  expect(await usageOf(key.id)).toEqual({ admitted: 43, limited: 0 });
});

it("a key over its limit is refused the same, and counted once", async () => {
  const { key, send, counts, elapse } = await setUp({ limit: 5, times: 6 });
  const [longer, shorter] = [await send({}, logged), await send()];
  expect([longer.isSynchronous, shorter.isSynchronous]).toEqual([false, true]);
  expect(shorter.seen).toEqual(longer.seen);
  expect(shorter.seen.status).toBe(429);
  expect(counts.gate).toBe(0);
  await elapse();
  expect(await usageOf(key.id)).toEqual({ admitted: 5, limited: 3 });
});

it("a suspended account's key is refused the same", async () => {
  const { send } = await setUp({ suspended: true });
  const [longer, shorter] = [await send({}, logged), await send()];
  expect([longer.isSynchronous, shorter.isSynchronous]).toEqual([false, true]);
  expect(shorter.seen).toEqual(longer.seen);
  expect(shorter.seen.status).toBe(403);
});

it("a key on a lease that may not be used from an address is refused the same", async () => {
  const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });
  const { send, counts } = await setUp({ allowed: '["203.0.113.0/24"]', times: 0 });
  for (let times = 0; times < 40; times++) {
    await send(from("203.0.113.7"), logged);
    vi.setSystemTime(Date.now() + 20);
  }
  counts.gate = 0;
  const [longer, shorter] = [await send(from("198.51.100.9"), logged), await send(from("198.51.100.9"))];
  expect([longer.isSynchronous, shorter.isSynchronous]).toEqual([false, true]);
  expect(shorter.seen).toEqual(longer.seen);
  expect([shorter.seen.status, counts.gate]).toEqual([403, 0]);
  expect(JSON.parse(shorter.seen.body)).toMatchObject({ reason: "address" });
});

const NOT_A_KEY: [string, string, string][] = [
  ["forged", `ibk_${"0".repeat(47)}`, "forged"],
  ["malformed", "ibk_forged", "malformed"],
  ["empty", "", "missing"],
];
it.each(NOT_A_KEY)("a key that is %s is refused the same, and logged the same", async (_, sent, cause) => {
  const debug = vi.spyOn(console, "debug");
  const { send } = await setUp({ times: 1 });
  const refusals = [];
  for (const bindings of [logged, short, measured]) {
    vi.setSystemTime(Date.now() + 1_000);
    refusals.push((await send({ headers: { "X-API-Key": sent } }, bindings)).seen);
  }
  const [longer, shorter, third] = refusals;
  expect(shorter).toEqual(longer);
  expect(third).toEqual(longer);
  expect(shorter?.status).toBe(401);
  const line = { requestId: "one", problem: "unauthorized", cause, unlogged: 0 };
  expect(debug.mock.calls).toEqual([[line], [line], [line]]);
});

it("a key that is not forged, and not known, is drawn for the log once", async () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  const log = vi.spyOn(console, "log");
  const { send } = await setUp({ times: 0 });
  random.mockClear();
  expect((await send({}, { ...short, REQUEST_LOG_SHARE: "0.4" })).seen.status).toBe(200);
  expect([random.mock.calls.length, log.mock.calls.length]).toEqual([1, 0]);
});

const LONGER: [string, Sent, number][] = [
  ["HEAD", { method: "HEAD" }, 200],
  ["POST", { method: "POST" }, 405],
  ["a longer path", { url: `${WHOAMI}s` }, 404],
  ["another operation", { url: "https://api.example/tenant/surveys" }, 200],
];
it.each(LONGER)("%s takes the longer way", async (_, sent, status) => {
  const { send } = await setUp();
  const { isSynchronous, seen } = await send(sent);
  expect([isSynchronous, seen.status]).toEqual([false, status]);
});

it("a key that its gate has to decide takes the longer way", async () => {
  const { send, counts } = await setUp({ times: 1 });
  const { isSynchronous, seen } = await send();
  expect([isSynchronous, seen.status, counts.gate]).toEqual([false, 200, 1]);
});
