/** The keys with which GitHub signs its reports: asked for rarely, and kept for isolates to come. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { PublishedKeys } from "../../../src/worker/leaks/published-keys.ts";
import { freeze } from "../../support/clock.ts";

const URL = "https://keys.example/";
/** An isolate of its own. */
function open(source: { kv?: KVNamespace; token?: string } = {}) {
  const keys = new PublishedKeys();
  return {
    find: async (identifier: string, url = URL) => {
      const stored: Promise<void>[] = [];
      const waitUntil = (promise: Promise<void>) => void stored.push(promise);
      try {
        return await keys.find({ url, kv: env.CHANGELOGS, waitUntil, ...source }, identifier);
      } finally {
        await Promise.all(stored);
      }
    },
  };
}
const START = 1_900_000_000_000;
const answer = (keys: Record<string, string>, etag: string) =>
  Response.json(
    { public_keys: Object.entries(keys).map(([key_identifier, key]) => ({ key_identifier, key, is_current: true })) },
    { headers: { ETag: etag } },
  );

it("are asked for once an hour, with the ETag of before", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  const keys = open();
  expect(await keys.find("one")).toBe("first");
  freeze(START + 3_599_000);
  expect(await keys.find("one")).toBe("first");
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + 3_600_000);
  asked.mockResolvedValueOnce(new Response(null, { status: 304 }));
  expect(await keys.find("one")).toBe("first");
  expect(new Headers(asked.mock.calls[1]?.[1]?.headers).get("If-None-Match")).toBe('"a"');
  freeze(START + 7_300_000);
  asked.mockResolvedValueOnce(answer({ two: "second" }, '"b"'));
  expect(await keys.find("one")).toBeUndefined();
  expect(await keys.find("two")).toBe("second");
  expect(asked).toHaveBeenCalledTimes(3);
});

it("are asked for again for an unknown identifier, once in ten minutes at most", async () => {
  freeze(START);
  const asked = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => answer({ one: "first", ...(Date.now() > START && { two: "second" }) }, '"a"'));
  const keys = open();
  for (let each = 0; each < 50; each += 1) expect(await keys.find(`nobody's ${each}`)).toBeUndefined();
  expect(await keys.find("two")).toBeUndefined();
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + 599_000);
  expect(await keys.find("two")).toBeUndefined();
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + 600_000);
  expect(await keys.find("two")).toBe("second");
  expect(asked).toHaveBeenCalledTimes(2);
});

it("cannot be had: that is said, and asked again a minute later", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("no", { status: 500 }));
  const keys = open();
  for (let each = 0; each < 20; each += 1) await expect(keys.find("one")).rejects.toThrow("500");
  freeze(START + 59_000);
  await expect(keys.find("one")).rejects.toThrow("500");
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + 60_000);
  asked.mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await keys.find("one")).toBe("first");
});

it("cannot be had when a new one is asked for: that is said, and not that there is none", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  const keys = open();
  expect(await keys.find("one")).toBe("first");
  asked.mockResolvedValue(new Response("no", { status: 500 }));
  freeze(START + 601_000);
  await expect(keys.find("two")).rejects.toThrow("500");
  expect(await keys.find("one")).toBe("first");
});

it("that are known serve for 90 days while GitHub refuses to answer, which strangers can bring about", {
  tags: "slow",
}, async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  const keys = open();
  expect(await keys.find("one")).toBe("first");
  asked.mockImplementation(async () => new Response("rate limit exceeded", { status: 403 }));
  for (let minute = 0; minute < 120; minute += 1) {
    freeze(START + minute * 60_000);
    await keys.find(`nobody's ${minute}`).catch(() => undefined);
    expect(await keys.find("one")).toBe("first");
  }
  freeze(START + 90 * 86_400_000 + 7_300_000);
  await expect(keys.find("one")).rejects.toThrow("403");
});

it("are asked for a few times an hour, however many unknown identifiers come", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer({ one: "first" }, '"a"'));
  const keys = open();
  for (let second = 0; second < 3_600; second += 5) {
    freeze(START + second * 1_000);
    await keys.find(`nobody's ${second}`);
  }
  expect(asked.mock.calls.length).toBeLessThanOrEqual(6);
});

it("do not come: given up after five seconds", async () => {
  const clock = new AbortController();
  const deadline = vi.spyOn(AbortSignal, "timeout").mockReturnValue(clock.signal);
  vi.spyOn(globalThis, "fetch").mockImplementation(
    (_, init) => new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason))),
  );
  const found = open().find("one");
  await expect.poll(() => deadline.mock.calls).toEqual([[5_000]]);
  clock.abort(new Error("too late"));
  await expect(found).rejects.toThrow("too late");
});

it("outlive an isolate: a cold one asks nobody for an hour, and uses them while GitHub refuses", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await open().find("one")).toBe("first");
  asked.mockImplementation(async () => new Response("rate limit exceeded", { status: 403 }));
  freeze(START + 3_599_000);
  expect(await open().find("one")).toBe("first");
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + 30 * 86_400_000);
  const cold = open();
  await expect(cold.find("two")).rejects.toThrow("403");
  expect(await cold.find("one")).toBe("first");
  expect(await open().find("one")).toBe("first");
  expect(asked).toHaveBeenCalledTimes(3);
});

it("are asked for with the kept ETag by a cold isolate, and with the operator's token", async () => {
  freeze(START);
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await open().find("one")).toBe("first");
  freeze(START + 3_600_000);
  asked.mockResolvedValueOnce(new Response(null, { status: 304 }));
  expect(await open({ token: "github_pat_x" }).find("one")).toBe("first");
  const [first, second] = asked.mock.calls.map(([, init]) => new Headers(init?.headers));
  expect([first?.get("Authorization"), first?.get("If-None-Match")]).toEqual([null, null]);
  expect([second?.get("Authorization"), second?.get("If-None-Match")]).toEqual(["Bearer github_pat_x", '"a"']);
});

it.each([
  ["a minute, when it does not say", {}, 60],
  ["as long as it says", { "Retry-After": "120" }, 120],
  ["until its limit ends", { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(START / 1_000 + 900) }, 900],
  ["an hour at most", { "Retry-After": "86400" }, 3_600],
])("are not asked for again while GitHub refuses: %s", async (_, headers, seconds) => {
  freeze(START);
  const asked = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => new Response("no", { status: 429, headers }));
  const keys = open();
  await expect(keys.find("one")).rejects.toMatchObject({ until: START + seconds * 1_000 });
  freeze(START + (seconds - 1) * 1_000);
  await expect(keys.find("one")).rejects.toMatchObject({ until: START + seconds * 1_000 });
  expect(asked).toHaveBeenCalledTimes(1);
  freeze(START + seconds * 1_000);
  asked.mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await keys.find("one")).toBe("first");
});

it.each([
  "garbage",
  "null",
  "[]",
  JSON.stringify({ url: "https://other.example/", askedAt: START, etag: null, keys: { one: "x" } }),
])("are asked for when KV has %s", async (value) => {
  freeze(START);
  await env.CHANGELOGS.put("leaks/1/published-keys", value);
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await open().find("one")).toBe("first");
  expect(await open().find("constructor")).toBeUndefined();
});

it("are asked for while KV fails", async () => {
  freeze(START);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const fails = () => Promise.reject(new Error("KV is down"));
  const kv: KVNamespace = Object.assign(Object.create(env.CHANGELOGS), { get: fails, put: fails });
  vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(answer({ one: "first" }, '"a"'));
  expect(await open({ kv }).find("one")).toBe("first");
});
