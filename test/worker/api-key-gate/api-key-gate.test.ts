/** The gate of an API key: its record, revoking, and the limit. */

import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
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
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({
      outcome: "admitted",
      tenant: { accountId: key.accountId, accountSuspended: false, scopes: ["surveys:read"], allowedAddresses: null },
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
      await gateOf(newId()).admit(key.secretHash),
      await gateOf(key.id).admit(revoked.secretHash),
      await gateOf(revoked.id).admit(revoked.secretHash),
      await gateOf(expired.id).admit(expired.secretHash),
    ];
    expect(refusals).toEqual(
      ["unknown", "wrong-secret", "revoked", "expired"].map((reason) => ({ outcome: "refused", reason })),
    );
  });

  it("spends nothing of the limit on a wrong secret", async () => {
    const key = await addApiKey({ limit: 1 });
    await gateOf(key.id).admit("0".repeat(64));
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
  });

  it("comes from D1 once, and again after an answer when it is 60 seconds old", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    const watched = await watchDatabase(gateOf(key.id));
    await gateOf(key.id).admit(key.secretHash);
    vi.setSystemTime(1_900_000_059_999);
    await gateOf(key.id).admit(key.secretHash);
    expect(watched.calls).toBe(1);
    await revokeInDatabase(key.id);
    vi.setSystemTime(1_900_000_060_000);
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    await vi.waitUntil(async () => (await gateOf(key.id).admit(key.secretHash)).outcome === "refused");
    // The read, and the audit trail's entry for the use of a revoked key.
    expect(watched.calls).toBe(1 + 2);
  });

  it("is read once for many requests that wait for it", async () => {
    const key = await addApiKey();
    const watched = await watchDatabase(gateOf(key.id));
    await Promise.all(Array.from({ length: 20 }, () => gateOf(key.id).admit(key.secretHash)));
    expect(watched.calls).toBe(1);
  });

  it("outlives an eviction", async () => {
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    await evictDurableObject(gateOf(key.id));
    const watched = await watchDatabase(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    expect(watched.calls).toBe(0);
  });
});

describe("revoking", () => {
  it("is seen by the first request after the gate was told", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await revokeInDatabase(key.id);
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
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
      const early = instance.admit(key.secretHash);
      await reading;
      await revokeInDatabase(key.id);
      instance.forget();
      release();
      expect(await early).toEqual({ outcome: "refused", reason: "revoked" });
      expect(await instance.admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
    });
    // The dropped read, the read in its place, and the audit trail's entry.
    expect(reads).toBe(3);
  });

  it("holds after an eviction that follows at once", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await revokeInDatabase(key.id);
    await gateOf(key.id).forget();
    await evictDurableObject(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
  });
});

describe("the limit", () => {
  it("holds across evictions", async () => {
    const key = await addApiKey({ limit: 4 });
    for (let times = 0; times < 4; times++) {
      expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      await evictDurableObject(gateOf(key.id));
    }
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "limited" });
  });

  it("loses nothing through an idle eviction: the alarm comes before it, and leaves no reserve behind", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 600 });
    for (let times = 0; times < 7; times++) await gateOf(key.id).admit(key.secretHash);
    const alarm = () => runInDurableObject(gateOf(key.id), (_, { storage }) => storage.getAlarm());
    expect(await alarm()).toBeLessThan(Date.now() + 10_000);
    vi.setSystemTime(Date.now() + 8_000);
    await runDurableObjectAlarm(gateOf(key.id));
    // It was in use of late: a reserve again, and an alarm in time for it.
    expect(await alarm()).toBeLessThan(Date.now() + 10_000);
    vi.setSystemTime(Date.now() + 8_000);
    await runDurableObjectAlarm(gateOf(key.id));
    expect((await alarm()) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now() + 10_000);
    await evictDurableObject(gateOf(key.id));
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ quota: { remaining: 592 } });
  });

  it("sets no timer, whatever it decides", async () => {
    const key = await addApiKey({ limit: 100 });
    await runInDurableObject(gateOf(key.id), async (instance) => {
      // The only one is the deadline of D1's answer.
      await instance.admit(key.secretHash);
      const timer = vi.spyOn(globalThis, "setTimeout");
      const lease = { perSecond: 50 };
      for (let times = 0; times < 110; times++)
        await instance.admit(key.secretHash, null, times < 50 ? undefined : lease);
      await instance.report(key.secretHash, { limited: 3, admitted: 0, operations: {}, leases: [] }, 50);
      expect(timer).not.toHaveBeenCalled();
    });
  });

  it("holds exactly under requests at the same time", { tags: "slow" }, async () => {
    const key = await addApiKey({ limit: 30 });
    const admissions = await Promise.all(Array.from({ length: 100 }, () => gateOf(key.id).admit(key.secretHash)));
    expect(admissions.filter(({ outcome }) => outcome === "admitted")).toHaveLength(30);
  });

  it("admits nothing extra through a crash, and refuses at most a reserve early", { tags: "slow" }, async () => {
    const key = await addApiKey({ limit: 60 });
    let admitted = 0;
    for (; admitted < 19; admitted++) await gateOf(key.id).admit(key.secretHash);
    for (let crashes = 0; crashes < 3; crashes++) {
      await abortAllDurableObjects();
      for (let times = 0; times < 9; times++) {
        const { outcome } = await gateOf(key.id).admit(key.secretHash);
        admitted += outcome === "admitted" ? 1 : 0;
      }
    }
    while ((await gateOf(key.id).admit(key.secretHash)).outcome === "admitted") admitted += 1;
    expect(admitted).toBeLessThanOrEqual(60);
    expect(admitted).toBeGreaterThanOrEqual(60 - 3 * (60 / 20));
  });

  it("is stored with each request in slow use, and nothing is refused early by sleeping", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit: 100 });
    for (let times = 0; times < 5; times++) {
      await gateOf(key.id).admit(key.secretHash);
      await evictDurableObject(gateOf(key.id));
      vi.setSystemTime(Date.now() + 3_000);
    }
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ quota: { remaining: 94 } });
  });

  it.each([
    ["once a second", 1_000, 10_000, 3 / 10],
    ["once in six seconds", 6_000, 10_000, 1.35],
    ["ten times a second", 100, 10_000, 1 / 10],
    ["more often than its limit", 10, 100, 1 / 4],
  ])("writes few rows for a key that is asked %s", { tags: "slow" }, async (_, everyMs, limit, most) => {
    freeze(1_900_000_000_000);
    const key = await addApiKey({ limit, windowSeconds: everyMs === 10 ? 1 : 60 });
    const requests = 300;
    const rows = await runInDurableObject(gateOf(key.id), async (instance, { storage }) => {
      const put = vi.spyOn(storage.kv, "put");
      const setAlarm = vi.spyOn(storage, "setAlarm");
      for (let times = 0; times < requests; times++) {
        await instance.admit(key.secretHash);
        vi.setSystemTime(Date.now() + everyMs);
        const alarm = await storage.getAlarm();
        if (alarm === null || alarm > Date.now()) continue;
        await storage.deleteAlarm();
        await instance.alarm();
      }
      return put.mock.calls.length + setAlarm.mock.calls.length;
    });
    expect(rows / requests).toBeLessThanOrEqual(most);
  });

  it("follows a changed limit, keeping what was admitted", async () => {
    const key = await addApiKey({ limit: 2 });
    for (let times = 0; times < 2; times++) await gateOf(key.id).admit(key.secretHash);
    await databaseOf(key.id).prepare("UPDATE api_keys SET rate_limit = 3 WHERE id = ?1").bind(key.id).run();
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "limited" });
  });
});
