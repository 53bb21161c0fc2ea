import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores, failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addAccount, addApiKey } from "../../support/world.ts";

const as = (text: string) => ({ headers: { "X-API-Key": text } });

describe("GET /tenant/whoami", () => {
  it('answers {"apiKeyId": …} and nothing else, with the quota in the headers', async () => {
    const key = await addApiKey({ limit: 7, windowSeconds: 30 });
    const response = await createIsolate().request("/tenant/whoami", as(key.text));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ apiKeyId: key.id });
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("RateLimit-Policy")).toBe('"api-key";q=7;w=30');
    expect(response.headers.get("RateLimit")).toBe('"api-key";r=6;t=30');
  });

  it("opens no session of a database", async () => {
    const key = await addApiKey();
    const opened = vi.fn();
    const watch = (database: D1Database) =>
      new Proxy(database, {
        get(target, name) {
          if (name === "withSession") opened();
          const member: unknown = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    const watched = { ...env, DB: watch(env.DB), DB_1: watch(env.DB_1) };
    const isolate = createIsolate(watched);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(200);
    expect(opened).not.toHaveBeenCalled();
    await isolate.request("/tenant/surveys", as(key.text));
    expect(opened).toHaveBeenCalledOnce();
  });

  it("ignores a query string", async () => {
    const key = await addApiKey();
    const response = await createIsolate().request("/tenant/whoami?apiKeyId=other&x[]=%00", as(key.text));
    expect(await response.json()).toEqual({ apiKeyId: key.id });
  });

  it("answers 403 when the account is suspended, after counting the request", async () => {
    const key = await addApiKey({ accountId: await addAccount({ status: "suspended" }), limit: 1 });
    const isolate = createIsolate();
    const suspended = await isolate.request("/tenant/whoami", as(key.text));
    expect(suspended.status).toBe(403);
    expect(await suspended.json()).toMatchObject({ error: "forbidden" });
    expect(suspended.headers.get("RateLimit")).toBe('"api-key";r=0;t=60');
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(429);
  });

  it("answers 429 over the limit, with Retry-After and the registered problem type", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 1, windowSeconds: 60 });
    const isolate = createIsolate();
    await isolate.request("/tenant/whoami", as(key.text));
    vi.setSystemTime(1_900_000_019_500);
    const limited = await isolate.request("/tenant/whoami", as(key.text));
    expect(limited.status).toBe(429);
    expect(limited.headers.get("Retry-After")).toBe("41");
    expect(limited.headers.get("RateLimit-Policy")).toBe('"api-key";q=1;w=60');
    expect(limited.headers.get("RateLimit")).toBe('"api-key";r=0;t=41');
    expect(await limited.json()).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Too Many Requests",
      status: 429,
      detail: "The API key or the panelist is over its rate limit. Wait for the seconds in `Retry-After`.",
      error: "too-many-requests",
      "violated-policies": ["api-key"],
    });
    vi.setSystemTime(1_900_000_060_000);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(200);
  });
});

describe("a key over its limit", () => {
  it("calls the gate once per Retry-After, and every request is still counted for the owner", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 2, windowSeconds: 60 });
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (let times = 0; times < 50; times++) await isolate.request("/tenant/whoami", as(key.text));
    expect(counts.gate).toBe(3);
    vi.setSystemTime(1_900_000_059_999);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(429);
    expect(counts.gate).toBe(3);
    vi.setSystemTime(1_900_000_060_000);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(200);
    expect(counts.gate).toBe(4);
    await runDurableObjectAlarm(env.API_KEY_GATE.getByName(key.id));
    const usage = databaseOf(key.id).prepare(
      "SELECT sum(admitted) AS admitted, sum(limited) AS limited FROM api_key_usage",
    );
    expect(await usage.first()).toEqual({ admitted: 3, limited: 49 });
  });

  it.each([
    // 1 by the gate and 9 by the isolate in the first minute; in the second, 1 passes.
    ["once for requests at the same time", env, 10 + 10],
    ["and is lost with a call that fails, never counted twice", failStores(env, "gate"), 1 + 9],
  ])("is reported to the gate, %s", { tags: "slow" }, async (_, bindings, limited) => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 1, windowSeconds: 60 });
    const isolate = createIsolate();
    for (let times = 0; times < 11; times++) await isolate.request("/tenant/whoami", as(key.text));
    vi.setSystemTime(1_900_000_060_000);
    await isolate.request("/tenant/whoami", as(key.text), bindings);
    await Promise.all(Array.from({ length: 10 }, () => isolate.request("/tenant/whoami", as(key.text))));
    await runDurableObjectAlarm(env.API_KEY_GATE.getByName(key.id));
    const usage = databaseOf(key.id).prepare(
      "SELECT sum(admitted) AS admitted, sum(limited) AS limited FROM api_key_usage",
    );
    expect(await usage.first()).toEqual({ admitted: 2, limited });
  });

  it("is checked again after a minute, so that a revocation during a long window takes effect", {
    tags: "slow",
  }, async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 1, windowSeconds: 3_600 });
    const isolate = createIsolate();
    await isolate.request("/tenant/whoami", as(key.text));
    const limited = await isolate.request("/tenant/whoami", as(key.text));
    expect(limited.headers.get("Retry-After")).toBe("3600");
    await databaseOf(key.id).prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = ?1").bind(key.id).run();
    await env.API_KEY_GATE.getByName(key.id).forget();
    vi.setSystemTime(1_900_000_060_000);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(401);
  });

  it("does not affect other keys", { tags: "slow" }, async () => {
    const accountId = await addAccount();
    const [flooded, other] = [await addApiKey({ accountId, limit: 1 }), await addApiKey({ accountId, limit: 1 })];
    const isolate = createIsolate();
    for (let times = 0; times < 3; times++) await isolate.request("/tenant/whoami", as(flooded.text));
    expect((await isolate.request("/tenant/whoami", as(other.text))).status).toBe(200);
  });
});

describe("when a key's gate is down", () => {
  it("the key is checked against D1: unverifiable keys are refused, the rate limit is not enforced", async () => {
    const isolate = createIsolate(failStores(env, "gate"));
    const key = await addApiKey({ limit: 1 });
    for (let times = 0; times < 3; times++) {
      const response = await isolate.request("/tenant/whoami", as(key.text));
      expect(await response.json()).toEqual({ apiKeyId: key.id });
      expect(response.headers.get("RateLimit-Policy")).toBe('"api-key";q=1;w=60');
      expect(response.headers.get("RateLimit")).toBeNull();
    }
    const revoked = await addApiKey({ revokedAt: Date.now() });
    expect((await isolate.request("/tenant/whoami", as(revoked.text))).status).toBe(401);
    const suspended = await addApiKey({ accountId: await addAccount({ status: "suspended" }) });
    expect((await isolate.request("/tenant/whoami", as(suspended.text))).status).toBe(403);
  });

  it("and D1 too, the answer is 503 with Retry-After", async () => {
    const key = await addApiKey();
    const response = await createIsolate(failStores(env, "gate", "d1")).request("/tenant/whoami", as(key.text));
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(await response.json()).toMatchObject({ error: "service-unavailable" });
  });

  it("for a moment, it is called once more, whatever the error; an overloaded gate gives 503, without a D1 call", async () => {
    const key = await addApiKey();
    for (const [marks, calls, status] of [
      [{ retryable: true }, 2, 200],
      [{}, 2, 200],
      [{ retryable: true, overloaded: true }, 1, 503],
      [{ overloaded: true }, 1, 503],
    ] as const) {
      let made = 0;
      const flaky = interceptStores(env, (kind, makeCall) => {
        if (kind !== "gate") return makeCall();
        made += 1;
        return made === 1 ? Promise.reject(Object.assign(new Error("injected fault"), marks)) : makeCall();
      });
      const response = await createIsolate(flaky).request("/tenant/whoami", as(key.text));
      expect([made, response.status]).toEqual([calls, status]);
    }
  });
});
