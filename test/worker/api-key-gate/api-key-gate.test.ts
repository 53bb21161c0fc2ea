/** The gate of an API key: its record, revoking, and the limit. */

import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf, revokeInDatabase, watchDatabase } from "../../support/gate.ts";
import { interceptGateDatabase } from "../../support/intercept.ts";
import { addApiKey, newId } from "../../support/world.ts";

describe("the gate's record", () => {
  it("admits its key with the tenant, the scopes and the quota", async () => {
    const key = await addApiKey({ limit: 3, windowSeconds: 10, scopes: ["surveys:read"] });
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({
      outcome: "admitted",
      tenant: { accountId: key.accountId, accountSuspended: false, scopes: ["surveys:read"] },
      rateLimit: { limit: 3, windowMs: 10_000 },
      quota: { rateLimit: { limit: 3, windowMs: 10_000 }, remaining: 2, waitMs: 10_000 },
    });
  });

  it("says why it refuses", async () => {
    const now = Date.now();
    const key = await addApiKey();
    const revoked = await addApiKey({ revokedAt: now });
    const expired = await addApiKey({ expiresAt: now });
    const refusals = [
      await gateOf(newId()).admit(key.secretHash, 0),
      await gateOf(key.id).admit(revoked.secretHash, 0),
      await gateOf(revoked.id).admit(revoked.secretHash, 0),
      await gateOf(expired.id).admit(expired.secretHash, 0),
    ];
    expect(refusals).toEqual(
      ["unknown", "wrong-secret", "revoked", "expired"].map((reason) => ({ outcome: "refused", reason })),
    );
  });

  it("spends nothing of the limit on a wrong secret", async () => {
    const key = await addApiKey({ limit: 1 });
    await gateOf(key.id).admit("0".repeat(64), 0);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
  });

  it("comes from D1 once, and again when it is 60 seconds old", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    const watched = await watchDatabase(gateOf(key.id));
    await gateOf(key.id).admit(key.secretHash, 0);
    vi.setSystemTime(1_900_000_059_999);
    await gateOf(key.id).admit(key.secretHash, 0);
    expect(watched.calls).toBe(1);
    await revokeInDatabase(key.id);
    vi.setSystemTime(1_900_000_060_000);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "refused", reason: "revoked" });
    // The read, and the audit trail's entry for the use of a revoked key.
    expect(watched.calls).toBe(1 + 2);
  });

  it("is read once for many requests that wait for it", async () => {
    const key = await addApiKey();
    const watched = await watchDatabase(gateOf(key.id));
    await Promise.all(Array.from({ length: 20 }, () => gateOf(key.id).admit(key.secretHash, 0)));
    expect(watched.calls).toBe(1);
  });

  it("outlives an eviction", async () => {
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash, 0);
    await evictDurableObject(gateOf(key.id));
    const watched = await watchDatabase(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
    expect(watched.calls).toBe(0);
  });
});

describe("revoking", () => {
  it("is seen by the first request after the gate was told", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    await revokeInDatabase(key.id);
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "refused", reason: "revoked" });
  });

  it("costs D1 a read, and an entry in the audit trail, however often the key is still used within the hour", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ revokedAt: 1 });
    const watched = await watchDatabase(gateOf(key.id));
    for (let times = 0; times < 5; times++) await gateOf(key.id).admit(key.secretHash);
    expect(watched.calls).toBe(2);
  });

  it("is not undone by a read that was in flight when it committed", async () => {
    const key = await addApiKey();
    const gate = gateOf(key.id);
    let readBegan = () => {};
    const reading = new Promise<void>((resolve) => {
      readBegan = resolve;
    });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    await runInDurableObject(gate, async (instance) => {
      interceptGateDatabase(instance, env, async (_, makeCall) => {
        reads += 1;
        if (reads > 1) return makeCall();
        const row = await makeCall();
        readBegan();
        await held;
        return row;
      });
      const early = instance.admit(key.secretHash, 0);
      await reading;
      await revokeInDatabase(key.id);
      instance.forget();
      release();
      expect(await early).toEqual({ outcome: "refused", reason: "revoked" });
      expect(await instance.admit(key.secretHash, 0)).toEqual({ outcome: "refused", reason: "revoked" });
    });
    // The dropped read, the read in its place, and the audit trail's entry.
    expect(reads).toBe(3);
  });

  it("holds after an eviction that follows at once", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    await revokeInDatabase(key.id);
    await gateOf(key.id).forget();
    await evictDurableObject(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "refused", reason: "revoked" });
  });
});

describe("the limit", () => {
  it("holds across evictions", async () => {
    const key = await addApiKey({ limit: 4 });
    for (let times = 0; times < 4; times++) {
      expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
      await evictDurableObject(gateOf(key.id));
    }
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "limited" });
  });

  it("holds across an idle eviction, which waits for what is written behind", async () => {
    const key = await addApiKey({ limit: 600 });
    for (let times = 0; times < 7; times++) await gateOf(key.id).admit(key.secretHash, 0);
    await evictDurableObject(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ quota: { remaining: 592 } });
  });

  it("holds exactly under requests at the same time", async () => {
    const key = await addApiKey({ limit: 30 });
    const admissions = await Promise.all(Array.from({ length: 100 }, () => gateOf(key.id).admit(key.secretHash, 0)));
    expect(admissions.filter(({ outcome }) => outcome === "admitted")).toHaveLength(30);
  });

  it("forgets less than a tenth of itself in a crash, and nothing once it is reached", async () => {
    const key = await addApiKey({ limit: 52 });
    for (let times = 0; times < 19; times++) await gateOf(key.id).admit(key.secretHash, 0);
    await abortAllDurableObjects();
    const after = await gateOf(key.id).admit(key.secretHash, 0);
    expect(after).toMatchObject({ outcome: "admitted", quota: { remaining: 52 - 15 - 1 } });
    for (let times = 0; times < 36; times++) await gateOf(key.id).admit(key.secretHash, 0);
    await abortAllDurableObjects();
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "limited" });
  });

  it("stores no row for each request", async () => {
    const key = await addApiKey({ limit: 600 });
    const writes = await runInDurableObject(gateOf(key.id), async (instance, state) => {
      const put = vi.spyOn(state.storage.kv, "put");
      for (let times = 0; times < 120; times++) await instance.admit(key.secretHash, 0);
      return put.mock.calls.length;
    });
    expect(writes).toBe(2);
  });

  it("is stored once a minute in slow, steady use, and within five seconds of the last request", async () => {
    const key = await addApiKey({ limit: 10_000 });
    await runInDurableObject(gateOf(key.id), async (instance, state) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const put = vi.spyOn(state.storage.kv, "put");
      for (let second = 0; second < 120; second++) {
        await instance.admit(key.secretHash);
        vi.advanceTimersByTime(1_000);
      }
      expect(put).toHaveBeenCalledTimes(2);
      await instance.admit(key.secretHash);
      vi.advanceTimersByTime(5_000);
      expect(put).toHaveBeenCalledTimes(3);
      vi.advanceTimersByTime(600_000);
      expect(put).toHaveBeenCalledTimes(3);
      await instance.admit(key.secretHash);
      instance.forget();
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it("stores no row for each request of a key that stays at its limit either", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 100, windowSeconds: 1 });
    const writes = await runInDurableObject(gateOf(key.id), async (instance, state) => {
      const put = vi.spyOn(state.storage.kv, "put");
      for (let time = 0; time < 3_000; time += 10) {
        vi.setSystemTime(1_900_000_000_000 + time);
        await instance.admit(key.secretHash);
      }
      return put.mock.calls.length;
    });
    expect(writes).toBeLessThanOrEqual(300 / 10 + 1);
  });

  it("follows a changed limit, keeping what was admitted", async () => {
    const key = await addApiKey({ limit: 2 });
    for (let times = 0; times < 2; times++) await gateOf(key.id).admit(key.secretHash, 0);
    await databaseOf(key.id).prepare("UPDATE api_keys SET rate_limit = 3 WHERE id = ?1").bind(key.id).run();
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "limited" });
  });
});
