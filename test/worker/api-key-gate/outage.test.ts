/** The gate of an API key when D1 is down, slow or silent. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf, revokeInDatabase, watchDatabase } from "../../support/gate.ts";
import { interceptGateDatabase } from "../../support/intercept.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;

/** A clock and timers that stand where the test puts them. */
function freezeTimers(): void {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  vi.setSystemTime(START);
}

/** The gate's D1 calls never settle, until the database is repaired; those that hang then hang on. */
function hangDatabase(gate: object) {
  const counts = { calls: 0 };
  interceptGateDatabase(gate, env, () => {
    counts.calls += 1;
    return new Promise(() => {});
  });
  return { counts, repair: () => interceptGateDatabase(gate, env, (_, makeCall) => makeCall()) };
}

describe("when D1 is down, the gate", () => {
  it("goes on with a record of at most five minutes, and asks again at most once a second", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    vi.setSystemTime(1_900_000_100_000);
    for (let times = 0; times < 3; times++) {
      expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
    }
    expect(watched.calls).toBe(1);
    vi.setSystemTime(1_900_000_300_000);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
    vi.setSystemTime(1_900_000_300_001);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "unavailable" });
    watched.down = false;
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "unavailable" });
    vi.setSystemTime(1_900_000_301_001);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
  });

  it("waits two seconds when D1 hangs, then goes on with its record", async () => {
    freezeTimers();
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    vi.setSystemTime(START + 60_000);
    await runInDurableObject(gateOf(key.id), async (instance) => {
      const { counts } = hangDatabase(instance);
      const admission = instance.admit(key.secretHash);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await admission).toMatchObject({ outcome: "admitted" });
      expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      // Once a second.
      expect(counts.calls).toBe(2);
    });
  });

  it("abandons a read that never settles: a key that it does not know waits ten seconds, and none waits for that read again", async () => {
    freezeTimers();
    const key = await addApiKey();
    await runInDurableObject(gateOf(key.id), async (instance) => {
      const database = hangDatabase(instance);
      const admissions = Promise.all([instance.admit(key.secretHash), instance.admit(key.secretHash)]);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await admissions).toEqual([{ outcome: "unavailable" }, { outcome: "unavailable" }]);
      // Once a second, however many wait.
      expect(database.counts.calls).toBe(10);
      database.repair();
      vi.setSystemTime(START + 80_000);
      expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    });
  });

  it("abandons it with a record too: after the repair the record is read again", async () => {
    freezeTimers();
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    vi.setSystemTime(START + 60_000);
    await runInDurableObject(gateOf(key.id), async (instance) => {
      const database = hangDatabase(instance);
      const admission = instance.admit(key.secretHash);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await admission).toMatchObject({ outcome: "admitted" });
      database.repair();
      await revokeInDatabase(key.id);
      vi.setSystemTime(START + 67_000);
      // Asks D1 again, and does not wait for it.
      await instance.admit(key.secretHash);
      await vi.waitUntil(async () => (await instance.admit(key.secretHash)).outcome === "refused", { interval: 1 });
    });
  });

  it.each(["Network connection lost.", "D1_ERROR: D1 DB is overloaded. Too many requests queued."])(
    "goes on with its record whatever D1 fails with: %s",
    async (message) => {
      freeze(START);
      const key = await addApiKey();
      await gateOf(key.id).admit(key.secretHash);
      vi.setSystemTime(START + 100_000);
      await runInDurableObject(gateOf(key.id), async (instance) => {
        interceptGateDatabase(instance, env, () => Promise.reject(new Error(message)));
        expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      });
    },
  );

  it("hands usage over again after a write that never settled", async () => {
    freezeTimers();
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await runInDurableObject(gateOf(key.id), async (instance, state) => {
      const database = hangDatabase(instance);
      await state.storage.deleteAlarm();
      const flush = instance.alarm();
      await vi.advanceTimersByTimeAsync(10_000);
      await flush;
      expect(await state.storage.getAlarm()).toBe(START + 50_000);
      database.repair();
      vi.setSystemTime(START + 50_000);
      await instance.admit(key.secretHash);
      await instance.alarm();
    });
    const usage = databaseOf(key.id).prepare("SELECT sum(admitted) AS admitted FROM api_key_usage");
    expect(await usage.first("admitted")).toBe(2);
  });

  it("notes the use of a revoked key after a write of the audit trail that never settled", async () => {
    freezeTimers();
    const key = await addApiKey({ revokedAt: 1 });
    const noted = () => databaseOf(key.id).prepare("SELECT count(*) AS noted FROM audit_events").first("noted");
    await runInDurableObject(gateOf(key.id), async (instance) => {
      await instance.admit("0".repeat(64));
      const database = hangDatabase(instance);
      await instance.admit(key.secretHash);
      await vi.advanceTimersByTimeAsync(10_000);
      database.repair();
      await instance.admit(key.secretHash);
      await vi.waitUntil(async () => (await noted()) === 1, { interval: 1 });
    });
  });

  it("pauses after a slow failure as after a quick one", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    vi.setSystemTime(1_900_000_060_000);
    let calls = 0;
    await runInDurableObject(gateOf(key.id), async (instance) => {
      interceptGateDatabase(instance, env, async () => {
        calls += 1;
        vi.setSystemTime(Date.now() + 30_000);
        throw new Error("D1_ERROR: injected fault");
      });
      for (let times = 0; times < 3; times++) await instance.admit(key.secretHash);
    });
    expect(calls).toBe(1);
  });

  it("does not fall back on a record that was forgotten while a read failed", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    vi.setSystemTime(1_900_000_060_000);
    await runInDurableObject(gateOf(key.id), async (instance) => {
      let reads = 0;
      interceptGateDatabase(instance, env, async () => {
        reads += 1;
        if (reads === 1) instance.forget();
        throw new Error("D1_ERROR: injected fault");
      });
      expect(await instance.admit(key.secretHash)).toEqual({ outcome: "unavailable" });
    });
  });

  it("admits nothing for a key that it was told to forget", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "unavailable" });
  });
});
