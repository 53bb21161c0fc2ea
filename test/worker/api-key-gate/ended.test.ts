/** What is left of a key's gate when the key has ended for good: nothing. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApiKey } from "../../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf, revokeInDatabase, watchDatabase } from "../../support/gate.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addApiKey, signingKeys } from "../../support/world.ts";

const START = 1_900_000_000_000;
const HOUR = 3_600_000;

const stored = (id: string) => runInDurableObject(gateOf(id), (_, { storage }) => [...storage.kv.list()].length);
const alarmOf = (id: string) => runInDurableObject(gateOf(id), (_, { storage }) => storage.getAlarm());

/** Alarms ring when they are due, until `until`. */
async function pass(id: string, until: number) {
  for (let due = await alarmOf(id); due !== null && due <= until; due = await alarmOf(id)) {
    vi.setSystemTime(due);
    await runDurableObjectAlarm(gateOf(id));
  }
  vi.setSystemTime(until);
}

describe("an hour after its key has ended, a gate's storage is empty:", () => {
  it("a revoked key's", async () => {
    freeze(START);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await revokeInDatabase(key.id);
    await gateOf(key.id).forget();
    await pass(key.id, START + HOUR - 1);
    expect(await stored(key.id)).toBe(1);
    // The gate reads that it is revoked when it hands over its counts, after eight seconds.
    await pass(key.id, START + HOUR + 8_000);
    expect([await stored(key.id), await alarmOf(key.id)]).toEqual([0, null]);
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
  });

  it("an expired key's", async () => {
    freeze(START);
    const key = await addApiKey({ expiresAt: START + 2 * HOUR });
    await gateOf(key.id).admit(key.secretHash);
    await pass(key.id, START + 3 * HOUR - 1);
    expect(await stored(key.id)).toBe(1);
    await pass(key.id, START + 3 * HOUR);
    expect([await stored(key.id), await alarmOf(key.id)]).toEqual([0, null]);
  });

  it("not while D1 does not say so, nor that of a key that goes on", { tags: "slow" }, async () => {
    freeze(START);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await gateOf(key.id).forget();
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    await pass(key.id, START + 2 * HOUR);
    watched.down = false;
    await pass(key.id, START + 24 * HOUR);
    expect([await stored(key.id), await alarmOf(key.id)]).toEqual([1, null]);
  });

  it("not before D1 has its counts", { tags: "slow" }, async () => {
    freeze(START);
    const key = await addApiKey({ expiresAt: START + HOUR });
    await gateOf(key.id).admit(key.secretHash);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    await pass(key.id, START + 3 * HOUR);
    expect(await stored(key.id)).toBe(1);
    watched.down = false;
    await pass(key.id, START + 4 * HOUR);
    expect([await stored(key.id), await alarmOf(key.id)]).toEqual([0, null]);
    const usage = databaseOf(key.id).prepare("SELECT admitted FROM api_key_usage WHERE api_key_id = ?1").bind(key.id);
    expect(await usage.first("admitted")).toBe(1);
  });
});

it("a gate that has started again sets no alarm while an earlier one is set: each setting is billed", async () => {
  freeze(START);
  const key = await addApiKey();
  await revokeInDatabase(key.id);
  const seen = { at: START, network: null, country: null, userAgent: null, operation: "whoami" };
  await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen });
  await pass(key.id, START + 60_000);
  expect(await alarmOf(key.id)).toBe(START + HOUR + 8_000);
  await evictDurableObject(gateOf(key.id));
  const set = vi.fn();
  await runInDurableObject(gateOf(key.id), async (instance, { storage }) => {
    storage.setAlarm = async (time) => set(time);
    await instance.admit(key.secretHash, null, { perSecond: 0, seen });
  });
  expect(set).not.toHaveBeenCalled();
});

describe("a secret that was rotated out is refused without a call to the gate", () => {
  it.each([
    ["for a minute when the key is revoked since", { revokedAt: START - 1 }, 60_000],
    ["for a minute when the key has expired", { expiresAt: START }, 60_000],
    ["for a second while the key lives", {}, 1_000],
  ])("%s", async (_, options, forMs) => {
    freeze(START);
    const key = await addApiKey(options);
    const { text } = await createApiKey(signingKeys, secureRandomBytes, key.id);
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const callsAt = async (ms: number) => {
      vi.setSystemTime(START + ms);
      const answer = await isolate.request("/tenant/whoami", { headers: { "X-API-Key": text } });
      expect(answer.status).toBe(401);
      expect(await answer.json()).not.toHaveProperty("reason");
      return counts.gate;
    };
    expect([await callsAt(0), await callsAt(forMs - 1), await callsAt(forMs)]).toEqual([1, 1, 2]);
  });
});
