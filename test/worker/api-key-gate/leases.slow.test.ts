/** Leases through the real gate: what they spare, what they count, and what ends them. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Gatekeeper } from "../../../src/worker/api-key-gate/gatekeeper.ts";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import { LeasedWindow } from "../../../src/worker/rate-limit/leased-window.ts";
import { Databases } from "../../../src/worker/store/databases.ts";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { CONTEXT, databaseOf, openDatabase } from "../../support/databases.ts";
import { gateOf } from "../../support/gate.ts";
import { holdTimers } from "../../support/hang.ts";
import { countStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey, type KeyOptions } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

const START = 1_900_000_000_000;
const FAST = { perSecond: 50 };

const leaseOf = (admission: Admission) => (admission.outcome === "admitted" ? admission.lease : undefined);

async function grant(options: KeyOptions, ask = FAST) {
  const key = await addApiKey(options);
  return leaseOf(await gateOf(key.id).admit(key.secretHash, null, ask));
}

describe("a key in busy use", () => {
  it("makes at most two gate calls a second, and each answer tells what remains", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 10_000 });
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const remaining = await use(isolate, key.text, 500, 50);
    expect(counts.gate).toBeGreaterThan(5);
    expect(counts.gate).toBeLessThanOrEqual(20 + 5);
    expect(remaining).toEqual(Array.from({ length: 500 }, (_, index) => 9_999 - index));
    await isolate.elapse();
    expect(await usageOf(key.id)).toEqual({ admitted: 500, limited: 0 });
  });

  it("asks its gate for each request when leases are off, or its limit is below 20", async () => {
    for (const [seconds, limit] of [
      ["0", 10_000],
      ["1", 19],
    ] as const) {
      freeze(START);
      const key = await addApiKey({ limit, windowSeconds: 1 });
      await runInDurableObject(gateOf(key.id), (instance) =>
        Object.assign(instance, { env: { ...env, LEASE_SECONDS: seconds } }),
      );
      const { env: counted, counts } = countStores(env);
      await use(createIsolate(counted), key.text, 60, 15);
      expect(counts.gate).toBe(60);
    }
  });

  it("gives back what it has not used", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 1_000 });
    const isolate = createIsolate();
    await use(isolate, key.text, 20, 50);
    await isolate.elapse();
    const admission = await gateOf(key.id).admit(key.secretHash);
    expect(admission).toMatchObject({ outcome: "admitted", quota: { remaining: 1_000 - 21 } });
  });
});

it.each(BROKEN)("a call for the next lease that %s costs no request, and what it reports is lost", async (_, way) => {
  freezeTimers(START);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const key = await addApiKey({ limit: 10_000 });
  let asked = Promise.withResolvers<void>();
  const gates = interceptObjects(env.API_KEY_GATE, ["report"], () => {
    asked.resolve();
    return way();
  });
  const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
  let requests = 0;
  for (let calls = 0; calls < 2; requests++) {
    const answer = whoami(isolate, key.text);
    const isAsking = await Promise.race([answer.then(() => false), asked.promise.then(() => true)]);
    if (isAsking) {
      calls += 1;
      asked = Promise.withResolvers();
      await vi.advanceTimersByTimeAsync(2_000);
    }
    expect((await answer).status).toBe(200);
    vi.setSystemTime(Date.now() + 20);
  }
  const usage = await usageOf(key.id);
  expect(usage?.admitted).toBeGreaterThan(0);
  expect(usage?.admitted).toBeLessThanOrEqual(requests);
});

it("a key in slow use asks its gate once for each request, and nothing besides", async () => {
  freeze(START);
  const key = await addApiKey();
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  await use(isolate, key.text, 20, 1 / 5);
  await isolate.elapse();
  expect(counts.gate).toBe(20);
});

describe("a lease", () => {
  it("ends with the key, and with the grace of the secret before a rotation", async () => {
    freeze(START);
    expect(await grant({})).toMatchObject({ forMs: 1_000, admissions: 15 });
    expect(await grant({ expiresAt: START + 300 })).toMatchObject({ forMs: 300 });
    const key = await addApiKey();
    await databaseOf(key.id)
      .prepare(
        "UPDATE api_keys SET previous_secret_hash = secret_hash, secret_hash = ?2, previous_expires_at = ?3 WHERE id = ?1",
      )
      .bind(key.id, "0".repeat(64), START + 400)
      .run();
    expect(leaseOf(await gateOf(key.id).admit(key.secretHash, null, FAST))).toMatchObject({ forMs: 400 });
  });

  it("lasts a tenth of the window, and takes half of the twentieth of the limit that is left, and a quarter of what remains", async () => {
    freeze(START);
    const much = { perSecond: 100_000 };
    expect(await grant({ limit: 200, windowSeconds: 2 }, much)).toMatchObject({ forMs: 200, admissions: 5 });
    const key = await addApiKey({ limit: 200 });
    const next = async (of = key) => leaseOf(await gateOf(of.id).admit(of.secretHash, null, much))?.admissions;
    // Half of 10, then of 5; less than two of the 3 that are left then are none.
    expect([await next(), await next(), await next()]).toEqual([5, 2, undefined]);
    const full = await addApiKey({ limit: 200 });
    for (let times = 0; times < 190; times++) await gateOf(full.id).admit(full.secretHash);
    expect(await next(full)).toBe(2);
  });

  it("is charged at its end, also by a gate that has restarted", () => {
    const limit = { limit: 80, windowMs: 1_000 };
    const first = new LeasedWindow(limit, { stored: new Float64Array(), now: 0 });
    expect(first.grant(0, { id: "a", admissions: 2, forMs: 100 })).toBe(2);
    const restarted = new LeasedWindow(limit, { stored: first.store(1), now: 1 });
    expect([1, 1_050, 1_099, 1_100].map((now) => restarted.remaining(now))).toEqual([78, 78, 78, 80]);
  });

  it.each(["with an answer", "ahead of the end of another"])(
    "that was granted %s is stored before it leaves",
    async (way) => {
      freeze(START);
      const key = await addApiKey({ limit: 200 });
      const ahead = way !== "with an answer";
      const ask = { perSecond: 100_000 };
      const answer = await gateOf(key.id).admit(key.secretHash, null, ahead ? undefined : ask);
      const next = ahead ? await gateOf(key.id).report(key.secretHash, undefined, ask.perSecond) : answer;
      expect(next && leaseOf(next)).toMatchObject({ admissions: 5 });
      await evictDurableObject(gateOf(key.id));
      expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ quota: { remaining: 200 - 1 - 5 - 1 } });
    },
  );

  it("is covered by what is stored, with all that has left the gate, at each moment", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 1_000 });
    await runInDurableObject(gateOf(key.id), async (instance, { storage }) => {
      let [left, leased] = [0, 0];
      for (let times = 0; times < 150; times++) {
        const admission = await instance.admit(key.secretHash, null, { perSecond: times % 10 === 9 ? 2 : 0 });
        const admissions = leaseOf(admission)?.admissions ?? 0;
        left += 1 + admissions;
        leased += admissions;
        expect(storage.kv.get<{ times: Float64Array }>("gate/1")?.times.length).toBeGreaterThanOrEqual(left);
      }
      expect(leased).toBeGreaterThan(10);
    });
  });

  it("is not granted to a caller that does not ask", async () => {
    const key = await addApiKey();
    expect(leaseOf(await gateOf(key.id).admit(key.secretHash, null))).toBeUndefined();
  });
});

describe("after the owner's answer to a revocation, or to what narrows a key, no request is admitted", () => {
  /** A key, and an isolate that decides by a lease. In real time: a lease's end is a timer's. */
  async function leased() {
    const owner = createOwner();
    const { apiKey, key } = await owner.create("Busy", { limit: 10_000, windowSeconds: 60 });
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    for (let calls = -1; calls !== counts.gate; ) {
      calls = counts.gate;
      expect((await whoami(isolate, key)).status).toBe(200);
    }
    return { owner, apiKey, isolate, status: async () => (await whoami(isolate, key)).status };
  }

  it("although an isolate holds a lease", async () => {
    const { owner, apiKey, status } = await leased();
    expect((await owner.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
    expect(await status()).toBe(401);
  });

  it("although the gate that has granted it has crashed", async () => {
    const { owner, apiKey, status } = await leased();
    await evictDurableObject(gateOf(apiKey.id));
    expect((await owner.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
    expect(await status()).toBe(401);
  });

  const REVOKED = "revoked_at = 1";
  it.each([
    [500, "a revocation", REVOKED, { reason: "revoked" }],
    [1_500, "a revocation", REVOKED, { reason: "revoked" }],
    [6_000, "a revocation", REVOKED, { reason: "revoked" }],
    [6_000, "a pause", "paused_at = 1", { reason: "paused" }],
    [6_000, "a change of addresses", `allowed_addresses = '["203.0.113.7"]'`, { reason: "address" }],
  ])("although the gate's answer with a lease comes %d ms after the grant; %s", async (lateMs, _, change, refusal) => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 10_000 });
    const [granted, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gates = interceptObjects(env.API_KEY_GATE, ["admit"], async (_, makeCall) => {
      const answer = await makeCall();
      if (leaseOf(answer as Admission) === undefined) return answer;
      granted.resolve();
      await held.promise;
      return answer;
    });
    const isolate = new Gatekeeper(() => {});
    const caller = { env: { ...env, API_KEY_GATE: gates }, executionCtx: CONTEXT };
    const database = openDatabase(databaseOf(key.id), new Databases());
    const from = { address: null, operation: "whoami", sent: new Request("https://api.example/") };
    const ask = () => isolate.admit(caller, database, { apiKey: key, sender: { ...from, now: Date.now() } });
    for (let times = 0; times < 5; times++) {
      expect(await ask()).toMatchObject({ outcome: "admitted" });
      vi.setSystemTime(Date.now() + 20);
    }
    const late = ask();
    await granted.promise;
    await databaseOf(key.id).prepare(`UPDATE api_keys SET ${change} WHERE id = ?1`).bind(key.id).run();
    const forgotten = vi.fn();
    const forgetting = new Gatekeeper().forget({ env, executionCtx: CONTEXT }, key.id).then(forgotten);
    for (let passed = 0; forgotten.mock.calls.length === 0 || passed <= lateMs; passed += 100) {
      if (passed >= lateMs) held.resolve();
      await scheduler.wait(1);
      await vi.advanceTimersByTimeAsync(100);
    }
    await Promise.all([late, forgetting]);
    expect(await ask()).toMatchObject({ outcome: "refused", ...refusal });
  });

  it("although the next lease is asked for while the owner waits", async () => {
    const { owner, apiKey, status } = await leased();
    let revoked = false;
    const revocation = owner.json("DELETE", `/keys/${apiKey.id}`).then(({ status: answered }) => {
      revoked = true;
      return answered;
    });
    while (!revoked) {
      await status();
      // A request that is decided in memory lets no timer fire.
      await scheduler.wait(0);
    }
    expect(await revocation).toBe(200);
    expect(await status()).toBe(401);
  });

  it.each([
    ["whether one is out or not", "1", "1"],
    ["by the setting of a gate that a deployment has not reached", "0", "1"],
    ["by the setting of a Worker that a deployment has not reached", "1", "0"],
  ])("and the owner waits as long as a lease can last, %s", async (_, ofWorker, ofGate) => {
    const { revoke, answered } = await revocable(ofWorker, ofGate);
    const revoked = vi.fn();
    const revocation = revoke().finally(revoked);
    await answered;
    await vi.advanceTimersByTimeAsync(999);
    expect(revoked).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await revocation).status).toBe(200);
  });

  it("and with LEASE_SECONDS=0 the owner waits for nothing", async () => {
    const { revoke, answered } = await revocable("0", "0");
    const revocation = revoke();
    await answered;
    await vi.advanceTimersByTimeAsync(1);
    expect((await revocation).status).toBe(200);
  });
});

/** A key of an owner, under each side's LEASE_SECONDS. `answered` resolves when its gate has answered that it forgets. */
async function revocable(ofWorker: string, ofGate: string) {
  const owner = createOwner();
  const { apiKey } = await owner.create();
  await runInDurableObject(gateOf(apiKey.id), (instance) =>
    Object.assign(instance, { env: { ...env, LEASE_SECONDS: ofGate } }),
  );
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const gates = interceptObjects(env.API_KEY_GATE, ["forget"], async (_, makeCall) => {
    const answer = await makeCall();
    resolve();
    return answer;
  });
  holdTimers();
  const isolate = createOwner(owner.email, { ...env, API_KEY_GATE: gates, LEASE_SECONDS: ofWorker });
  return { revoke: () => isolate.json("DELETE", `/keys/${apiKey.id}`), answered };
}
