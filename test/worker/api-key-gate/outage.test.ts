/** The gate of an API key when D1 is down, slow or silent. */

import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../../src/worker/app.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf, watchDatabase } from "../../support/gate.ts";
import { hangStores } from "../../support/hang.ts";
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

/** Of what a gate still waits for: the runtime does not end it before. */
const letDeadlinesPass = () => vi.advanceTimersByTimeAsync(20_000);

describe("when D1 is down, the gate", () => {
  it("goes on with a record of at most five minutes, and asks again at most once a second", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    vi.setSystemTime(1_900_000_100_000);
    for (let times = 0; times < 3; times++) {
      expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    }
    expect(watched.calls).toBe(1);
    vi.setSystemTime(1_900_000_300_000);
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    vi.setSystemTime(1_900_000_300_001);
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "unavailable" });
    watched.down = false;
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "unavailable" });
    vi.setSystemTime(1_900_000_301_001);
    expect(await gateOf(key.id).admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
  });

  it("goes on with its record at once when D1 hangs", async () => {
    freezeTimers();
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    vi.setSystemTime(START + 60_000);
    await runInDurableObject(gateOf(key.id), async (instance) => {
      const { counts } = hangDatabase(instance);
      for (let times = 0; times < 3; times++)
        expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      expect(counts.calls).toBe(1);
      await letDeadlinesPass();
    });
  });

  it("abandons a read that never settles: a key that it does not know waits ten seconds, and none waits for that read again", {
    tags: "slow",
  }, async () => {
    freezeTimers();
    const key = await addApiKey();
    await runInDurableObject(gateOf(key.id), async (instance) => {
      const database = hangDatabase(instance);
      const admissions = Promise.all([instance.admit(key.secretHash), instance.admit(key.secretHash)]);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await admissions).toEqual([{ outcome: "unavailable" }, { outcome: "unavailable" }]);
      // Once a second, however many wait.
      expect(database.counts.calls).toBeLessThanOrEqual(10);
      database.repair();
      vi.setSystemTime(START + 80_000);
      expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      await letDeadlinesPass();
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
      await letDeadlinesPass();
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
      for (let seconds = 0; seconds < 60 && (await noted()) === 0; seconds++) {
        await instance.admit(key.secretHash);
        await scheduler.wait(10);
        await vi.advanceTimersByTimeAsync(1_000);
      }
      expect(await noted()).toBe(1);
    });
  });

  it("admits nothing for a key that it was told to forget", async () => {
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    await gateOf(key.id).forget();
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "unavailable" });
  });
});

it("while D1 hangs, a key whose gate knows it is answered at once", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  freezeTimers();
  const known = await addApiKey();
  await gateOf(known.id).admit(known.secretHash);
  await runInDurableObject(gateOf(known.id), (instance) => void hangDatabase(instance));
  const app = createApp();
  const hanging = hangStores(env, "d1");
  const ask = async (text: string) => {
    const request = new Request("https://api.example/tenant/whoami", { headers: { "X-API-Key": text } });
    return (await app.fetch(request, hanging.env, createExecutionContext())).status;
  };
  vi.setSystemTime(START + 299_999);
  // No timer runs: it waits for nothing.
  expect(await ask(known.text)).toBe(200);
  await runInDurableObject(gateOf(known.id), letDeadlinesPass);
});
