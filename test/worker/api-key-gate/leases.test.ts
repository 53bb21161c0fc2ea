/** Leases through the real gate: what they spare, what they count, and what ends them. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import { LeasedWindow } from "../../../src/worker/rate-limit/leased-window.ts";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf, revokeInDatabase } from "../../support/gate.ts";
import { countStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey, type KeyOptions } from "../../support/world.ts";

const START = 1_900_000_000_000;
const FAST = { perSecond: 50 };

const leaseOf = (admission: Admission) => (admission.outcome === "admitted" ? admission.lease : undefined);

async function grant(options: KeyOptions, wish = FAST) {
  const key = await addApiKey(options);
  return leaseOf(await gateOf(key.id).admit(key.secretHash, 0, null, wish));
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

it.each(BROKEN)(
  "a renewal that %s costs no request and no count: the next lease comes with a request",
  async (_, way) => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 10_000 });
    let renewed = Promise.withResolvers<void>();
    const gates = interceptObjects(env.API_KEY_GATE, ["renew"], () => {
      renewed.resolve();
      return way();
    });
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    let requests = 0;
    for (let renewals = 0; renewals < 2; requests++) {
      const answer = whoami(isolate, key.text);
      const isRenewing = await Promise.race([answer.then(() => false), renewed.promise.then(() => true)]);
      if (isRenewing) {
        renewals += 1;
        renewed = Promise.withResolvers();
        await vi.advanceTimersByTimeAsync(2_000);
      }
      expect((await answer).status).toBe(200);
      vi.setSystemTime(Date.now() + 20);
    }
    await isolate.elapse();
    await gateOf(key.id).forget([], true);
    expect(await usageOf(key.id)).toEqual({ admitted: requests, limited: 0 });
  },
);

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
    expect(await grant({})).toMatchObject({ forMs: 1_000, admissions: 60 });
    expect(await grant({ expiresAt: START + 300 })).toMatchObject({ forMs: 300 });
    const key = await addApiKey();
    await databaseOf(key.id)
      .prepare(
        "UPDATE api_keys SET previous_secret_hash = secret_hash, secret_hash = ?2, previous_expires_at = ?3 WHERE id = ?1",
      )
      .bind(key.id, "0".repeat(64), START + 400)
      .run();
    expect(leaseOf(await gateOf(key.id).admit(key.secretHash, 0, null, FAST))).toMatchObject({ forMs: 400 });
  });

  it("lasts a tenth of the window, holds a tenth of the limit, and takes a quarter of what remains", async () => {
    freeze(START);
    const much = { perSecond: 100_000 };
    expect(await grant({ limit: 200, windowSeconds: 2 }, much)).toMatchObject({ forMs: 200, admissions: 20 });
    const key = await addApiKey({ limit: 20 });
    for (let times = 0; times < 9; times++) await gateOf(key.id).admit(key.secretHash);
    const third = async () => leaseOf(await gateOf(key.id).admit(key.secretHash, 0, null, much))?.admissions;
    // The limit's tenth is 2: nothing is left of it for another isolate.
    expect([await third(), await third()]).toEqual([2, undefined]);
    const full = await addApiKey({ limit: 40 });
    for (let times = 0; times < 28; times++) await gateOf(full.id).admit(full.secretHash);
    expect(leaseOf(await gateOf(full.id).admit(full.secretHash, 0, null, much))?.admissions).toBe(2);
  });

  it("is charged at its end, also by a gate that has restarted", () => {
    const limit = { limit: 20, windowMs: 1_000 };
    const first = new LeasedWindow(limit, new Float64Array(), 0);
    expect(first.grant(0, { id: "a", admissions: 2, forMs: 100, renews: undefined })).toBe(2);
    const restarted = new LeasedWindow(limit, first.times(1), 1);
    expect([1, 1_050, 1_099, 1_100].map((now) => restarted.remaining(now))).toEqual([18, 18, 18, 20]);
  });

  it("is not granted to a caller that does not ask, as isolates of an earlier release do not", async () => {
    const key = await addApiKey();
    expect(leaseOf(await gateOf(key.id).admit(key.secretHash, 0, null))).toBeUndefined();
  });
});

it("a gate writes down how long leases may last at most once in four seconds", async () => {
  freeze(START);
  const key = await addApiKey({ limit: 10_000 });
  const writes = await runInDurableObject(gateOf(key.id), (_, { storage: { kv } }) => vi.spyOn(kv, "put"));
  await use(createIsolate(), key.text, 600, 30);
  const durable = writes.mock.calls.filter(([name]) => name === "leased-until/1");
  expect(durable.length).toBeGreaterThan(1);
  expect(durable.length).toBeLessThanOrEqual(1 + 20 / 4);
});

describe("after the owner's answer to a revocation, no request is admitted", () => {
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

  it("not before a lease ends that another run of the gate has granted", async () => {
    freeze(START);
    const key = await addApiKey();
    const admission = await gateOf(key.id).admit(key.secretHash, 0, null, FAST);
    expect(leaseOf(admission)).toMatchObject({ forMs: 1_000 });
    await evictDurableObject(gateOf(key.id));
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: START + 10 });
    await runInDurableObject(gateOf(key.id), async (instance) => {
      let confirmed = false;
      const revocation = instance.forget([], true).then(() => {
        confirmed = true;
      });
      await vi.advanceTimersByTimeAsync(989);
      expect(confirmed).toBe(false);
      await vi.advanceTimersByTimeAsync(4_001);
      await revocation;
    });
  });

  it("although the lease is renewed while the gate waits for its end", async () => {
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

  it("and an idle key's revocation waits for nothing", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await revokeInDatabase(key.id);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    // A wait for a timer would never end here.
    await runInDurableObject(gateOf(key.id), (instance) => instance.forget([], true));
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
  });
});
