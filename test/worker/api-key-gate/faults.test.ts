/** "What fails, and how" (design section 3), the row of a key's gate: each way to fail, with a second tenant beside it. */

import { createExecutionContext, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import type { ApiKeyCredential } from "../../../src/worker/credentials/api-key.ts";
import { freeze } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { hangStores, holdDeadlines, holdTimers } from "../../support/hang.ts";
import { countStores, failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addAccount, addApiKey } from "../../support/world.ts";

const PATHS = ["/tenant/whoami", "/tenant/surveys"];
const as = (text: string) => ({ headers: { "X-API-Key": text } });
const fault = (marks: object = {}) => Object.assign(new Error("injected fault: gate"), marks);

describe.each(PATHS)("GET %s, when the gate", (path) => {
  it.each([
    ["is cold", 0],
    ["is warm", 1],
  ])("hangs and %s: after two seconds the key is checked against D1", async (_, before) => {
    const isolate = createIsolate();
    const key = await addApiKey({ limit: 1 });
    const revoked = await addApiKey({ revokedAt: Date.now() });
    const suspended = await addApiKey({ accountId: await addAccount({ status: "suspended" }) });
    for (let times = 0; times < before; times++) await isolate.request(path, as(key.text));
    holdTimers();
    for (const [{ text }, status] of [
      [key, 200],
      [revoked, 401],
      [suspended, 403],
    ] as const) {
      const hanging = hangStores(env, "gate");
      const answered = vi.fn();
      const answer = isolate.request(path, as(text), hanging.env).finally(answered);
      await hanging.reached;
      await vi.advanceTimersByTimeAsync(1_999);
      expect(answered).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      const response = await answer;
      expect([response.status, response.headers.get("RateLimit")]).toEqual([status, null]);
    }
    // And it is back with the repair.
    const back = await isolate.request(path, as(key.text));
    expect([back.status, back.headers.get("RateLimit") !== null]).toEqual([before === 0 ? 200 : 429, true]);
  });

  it("hangs, and D1 too: 503 after ten seconds", async () => {
    const key = await addApiKey();
    holdTimers();
    const hanging = hangStores(env, "gate", "d1");
    // Not by an isolate of the tests, which waits for what goes on after the answer.
    const request = new Request(`https://api.example${path}`, as(key.text));
    const answer = createApp().fetch(request, hanging.env, createExecutionContext());
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(10_000);
    const response = await answer;
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    // The abandoned read of D1 ends by its own deadline, and so does the sign of life that was asked for.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["an error", {}, 0, 200],
    ["an error, once", {}, 1, 200],
    ["a retryable error, once", { retryable: true }, 1, 200],
    ["a reset of the object, once", { durableObjectReset: true, retryable: true }, 1, 200],
    ["overload", { overloaded: true }, 0, 503],
    ["overload, retryable", { overloaded: true, retryable: true }, 0, 503],
  ])("answers with %s", async (_, marks, failures, status) => {
    const key = await addApiKey();
    let calls = 0;
    const failing = interceptStores(env, (kind, makeCall) => {
      if (kind !== "gate") return makeCall();
      calls += 1;
      return calls <= failures || failures === 0 ? Promise.reject(fault(marks)) : makeCall();
    });
    const response = await createIsolate(failing).request(path, as(key.text));
    expect(response.status).toBe(status);
    // Asked twice, with a new stub, unless it is overloaded: that is caused by this key. What the gate admits is counted.
    expect(calls).toBe("overloaded" in marks ? 1 : 2);
    expect(response.headers.get("RateLimit") !== null).toBe(failures === 1);
    if (status === 503) expect(response.headers.get("Retry-After")).toBe("5");
  });
});

describe("a gate that crashes while 60 requests wait for it", { tags: "slow" }, () => {
  /** The first 60 calls end with the crash: they never arrive, or their answers are lost. The gate starts again from its storage. */
  async function crash(key: ApiKeyCredential, arrive: boolean) {
    await gateOf(key.id).forget();
    holdDeadlines();
    // At the same moment, however slow the machine is: none of them is worth a lease.
    freeze(Date.now());
    const crashed = Promise.withResolvers<void>();
    let [calls, lost] = [0, 0];
    const crashing = interceptStores(env, async (kind, makeCall) => {
      if (kind !== "gate") return makeCall();
      calls += 1;
      if (calls > 60) return makeCall();
      if (arrive) await makeCall();
      lost += 1;
      if (lost === 60) {
        await evictDurableObject(gateOf(key.id));
        crashed.resolve();
      }
      await crashed.promise;
      throw fault();
    });
    const isolate = createIsolate(crashing);
    const answers = Array.from({ length: 60 }, () => isolate.request("/tenant/whoami", as(key.text)));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    return {
      admitted: statuses.filter((status) => status === 200).length,
      limited: statuses.filter((status) => status === 429).length,
    };
  }

  it("decides after its restart: none passes over the limit", async () => {
    expect(await crash(await addApiKey({ limit: 1 }), false)).toEqual({ admitted: 1, limited: 59 });
    expect(await crash(await addApiKey({ limit: 25 }), false)).toEqual({ admitted: 25, limited: 35 });
  });

  it("counts a request twice whose answer was lost, and what was reserved before the crash", async () => {
    expect(await crash(await addApiKey({ limit: 1 }), true)).toEqual({ admitted: 0, limited: 60 });
    const { admitted, limited } = await crash(await addApiKey({ limit: 90 }), true);
    expect(admitted + limited).toBe(60);
    expect(admitted).toBeLessThanOrEqual(90 - 60);
    expect(admitted).toBeGreaterThanOrEqual(90 - 60 - Math.floor(90 / 20));
  });
});

describe("a gate that is late", () => {
  /** The gate answers when `release` is called. */
  function lateGate() {
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = interceptStores(env, async (kind, makeCall) => {
      if (kind !== "gate") return makeCall();
      reached.resolve();
      await held.promise;
      return makeCall();
    });
    return { late, reached: reached.promise, release: held.resolve };
  }

  it("still decides, and counts, when D1 is later", async () => {
    const key = await addApiKey({ limit: 1 });
    holdTimers();
    const { late, reached, release } = lateGate();
    const asked = Promise.withResolvers<void>();
    const slow = interceptStores(late, (kind, makeCall) => {
      if (kind !== "d1") return makeCall();
      asked.resolve();
      return new Promise(() => {});
    });
    const isolate = createIsolate(slow);
    const answer = isolate.request("/tenant/whoami", as(key.text));
    await reached;
    await vi.advanceTimersByTimeAsync(2_000);
    await asked.promise;
    release();
    const response = await answer;
    expect([response.status, response.headers.get("RateLimit")]).toEqual([200, '"api-key";r=0;t=60']);
    expect((await isolate.request("/tenant/whoami", as(key.text))).status).toBe(429);
  });

  it("still decides when D1 fails: its own record is enough", async () => {
    const key = await addApiKey();
    await createIsolate().request("/tenant/whoami", as(key.text));
    holdTimers();
    const { late, reached, release } = lateGate();
    const answer = createIsolate(failStores(late, "d1")).request("/tenant/whoami", as(key.text));
    await reached;
    await vi.advanceTimersByTimeAsync(4_000);
    release();
    expect((await answer).status).toBe(200);
  });
});

describe("a gate that is late, and fails at last", () => {
  it("leaves the decision to D1", async () => {
    const key = await addApiKey();
    holdTimers();
    const [called, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = interceptStores(env, async (kind, makeCall) => {
      if (kind === "gate") {
        called.resolve();
        await failed.promise;
        throw fault();
      }
      asked.resolve();
      await answered.promise;
      return makeCall();
    });
    const answer = createIsolate(late).request("/tenant/whoami", as(key.text));
    await called.promise;
    await vi.advanceTimersByTimeAsync(2_000);
    await asked.promise;
    failed.resolve();
    await vi.advanceTimersByTimeAsync(1);
    answered.resolve();
    expect((await answer).status).toBe(200);
  });
});

describe("a second tenant, in the same isolate, while the gate of the first", () => {
  it.each([
    ["hangs", () => hangStores(env, "gate").env],
    ["fails", () => failStores(env, "gate")],
    ["and D1 hang", () => hangStores(env, "gate", "d1").env],
  ])("%s: sees the same status at the same cost", async (_, broken) => {
    const [mine, theirs] = [await addApiKey(), await addApiKey()];
    const isolate = createIsolate();
    await isolate.request("/tenant/whoami", as(theirs.text));
    holdTimers();
    const faults = Array.from({ length: 3 }, () => isolate.request("/tenant/whoami", as(mine.text), broken()));
    const { env: counted, counts } = countStores(env);
    expect((await isolate.request("/tenant/whoami", as(theirs.text), counted)).status).toBe(200);
    expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 1 });
    // Ten seconds more: what goes on after the answers ends by its own deadline.
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(faults);
  });
});
