/** `GET /health`: which stores answer, within a deadline, asked rarely, and nothing else. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { hangStores, holdTimers } from "../../support/hang.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import type { StoreCall } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";

const PATH = "/health";
const OK = { DB: "ok", DB_1: "ok", CHANGELOGS: "ok", API_KEY_GATE: "ok" };
const DOWN: [StoreCall, object][] = [
  ["d1", { DB: "down", DB_1: "down" }],
  ["kv.read", { CHANGELOGS: "down" }],
  ["gate", { API_KEY_GATE: "down" }],
];

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

it("is 200 with each store, for anybody, and is never cached", async () => {
  const response = await createIsolate().request(PATH);
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.json()).toEqual({ stores: OK });
});

describe.each(DOWN)("when %s", (kind, down) => {
  it("fails, it is 503 and says so, and another isolate's is not", async () => {
    const response = await createIsolate(failStores(env, kind)).request(PATH);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ error: "service-unavailable", stores: { ...OK, ...down } });
    expect((await createIsolate().request(PATH)).status).toBe(200);
  });

  it("hangs, it is 503 after two seconds", async () => {
    const isolate = createIsolate();
    holdTimers();
    const hanging = hangStores(env, kind);
    const answered = vi.fn();
    const answer = isolate.request(PATH, {}, hanging.env).finally(answered);
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(1_999);
    expect(answered).not.toHaveBeenCalled();
    // Who waits looks every few milliseconds.
    await vi.advanceTimersByTimeAsync(100);
    expect(await (await answer).json()).toMatchObject({ status: 503, stores: { ...OK, ...down } });
  });

  it("hangs, each store is asked once, however many wait", async () => {
    freezeTimers(1_900_000_000_000);
    const hanging = hangStores(env, kind);
    const { env: counted, counts } = countStores(hanging.env);
    const isolate = createIsolate(counted);
    const answers = [isolate.request(PATH)];
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(1_200);
    answers.push(isolate.request(PATH));
    await vi.advanceTimersByTimeAsync(900);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503]);
    expect(counts).toEqual({ d1: 2, "kv.read": 1, "kv.write": 0, gate: 1 });
  });
});

it("does not say ok of a database without tables", async () => {
  await env.DB.prepare("DROP TABLE idempotency_keys").run();
  await env.DB.prepare("ALTER TABLE accounts RENAME TO elsewhere").run();
  expect((await createIsolate().request(PATH)).status).toBe(503);
});

it("a hundred requests at once, and more in the next five seconds, ask each store once", { tags: "slow" }, async () => {
  freeze(1_900_000_000_000);
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  const all = await Promise.all(Array.from({ length: 100 }, () => isolate.request(PATH)));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  vi.setSystemTime(1_900_000_002_000);
  await isolate.request(PATH);
  expect(counts).toEqual({ d1: 2, "kv.read": 1, "kv.write": 0, gate: 1 });
  vi.setSystemTime(1_900_000_005_000);
  await isolate.request(PATH);
  expect(counts).toEqual({ d1: 4, "kv.read": 2, "kv.write": 0, gate: 2 });
});

it("notices a repair within five seconds", async () => {
  freeze(1_900_000_000_000);
  const isolate = createIsolate();
  expect((await isolate.request(PATH, {}, failStores(env, "d1"))).status).toBe(503);
  vi.setSystemTime(1_900_000_005_000);
  expect((await isolate.request(PATH)).status).toBe(200);
});

it("shows no error, setting or credential, whatever the store says", async () => {
  const text = await (await createIsolate(failStores(env, "d1", "kv.read", "gate")).request(PATH)).text();
  expect(Object.keys(JSON.parse(text)).toSorted()).toEqual(["detail", "error", "status", "stores", "title", "type"]);
  expect(text).not.toContain("injected");
});
