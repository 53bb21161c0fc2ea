/** What a gate counts for its key's owner. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { UsageCounts } from "../../../src/worker/api-key-gate/usage-counts.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf } from "../../support/gate.ts";
import { interceptGateDatabase } from "../../support/intercept.ts";
import { addApiKey } from "../../support/world.ts";

describe("a key's usage", () => {
  const HOUR = 3_600_000;
  const start = 1_900_000_800_000 - (1_900_000_800_000 % HOUR);
  const usage = async (id: string) =>
    (
      await databaseOf(id)
        .prepare("SELECT hour, admitted, limited FROM api_key_usage WHERE api_key_id = ?1 ORDER BY hour")
        .bind(id)
        .all()
    ).results;

  it("is counted by hour, admitted and limited separately, and written to D1 by the alarm", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 2, windowSeconds: 60 });
    for (let times = 0; times < 3; times++) await gateOf(key.id).admit(key.secretHash);
    vi.setSystemTime(start + HOUR + 5);
    await gateOf(key.id).admit(key.secretHash, null, {
      perSecond: 0,
      seen: { at: start + HOUR + 5, network: null, country: null, userAgent: null, operation: "whoami" },
      report: { limited: 4, admitted: 0, operations: {}, leases: [] },
    });
    expect(await runDurableObjectAlarm(gateOf(key.id))).toBe(true);
    expect(await usage(key.id)).toEqual([
      { hour: start, admitted: 2, limited: 1 },
      { hour: start + HOUR, admitted: 1, limited: 4 },
    ]);
    const row = await databaseOf(key.id)
      .prepare("SELECT last_used_at FROM api_keys WHERE id = ?1")
      .bind(key.id)
      .first();
    expect(row).toEqual({ last_used_at: start + HOUR + 5 });
  });

  it("that comes while the counts are being saved goes with the next save: nothing is lost, and nothing counts twice", async () => {
    const counts = new UsageCounts();
    const admit = (now: number, admitted: number) => counts.count(now, { admitted, limited: 1, operations: {} });
    const inD1 = new Map<number, object>();
    const save = (now: number, meanwhile: () => void = () => {}) =>
      counts.save(now, async ({ hours }) => {
        meanwhile();
        for (const { hour, admitted, limited } of hours) inD1.set(hour, { admitted, limited });
      });
    admit(start, 2);
    await save(start, () => {
      admit(start + 1, 3);
      admit(start + HOUR, 4);
    });
    expect([...inD1]).toEqual([[start, { admitted: 2, limited: 1 }]]);
    expect(counts.dueAt(start)).toBe(start + 50_000);
    admit(start + HOUR, 5);
    await save(start + HOUR);
    const all = [
      [start, { admitted: 5, limited: 2 }],
      [start + HOUR, { admitted: 9, limited: 2 }],
    ];
    expect([...inD1]).toEqual(all);
    expect(counts.dueAt(start + HOUR)).toBe(Number.POSITIVE_INFINITY);
    // A save that fails keeps what came before it and meanwhile.
    admit(start + HOUR, 1);
    const failing = counts.save(start + HOUR, async () => {
      admit(start + HOUR, 1);
      throw new Error("D1 is down");
    });
    await expect(failing).rejects.toThrow("D1 is down");
    await save(start + HOUR);
    expect([...inD1]).toEqual([all[0], [start + HOUR, { admitted: 11, limited: 4 }]]);
  });

  it("is written to D1 at most every 50 seconds", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    await runDurableObjectAlarm(gateOf(key.id));
    vi.setSystemTime(start + 10);
    await gateOf(key.id).admit(key.secretHash);
    const alarm = await runInDurableObject(gateOf(key.id), (_, state) => state.storage.getAlarm());
    expect(alarm).toBe(start + 50_000);
  });

  it("is dropped from the gate for the hours before the last, when D1 has stored them", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    for (const hours of [0, 1, 2]) {
      vi.setSystemTime(start + hours * HOUR);
      await gateOf(key.id).admit(key.secretHash);
    }
    await runDurableObjectAlarm(gateOf(key.id));
    const state = await runInDurableObject(gateOf(key.id), (_, { storage }) => storage.kv.get("gate/1"));
    expect(state).toMatchObject({ usage: { hours: [{ hour: start + 2 * HOUR, admitted: 1, limited: 0 }] } });
  });

  it("is never too high when the clock steps back into an hour that D1 has stored", async () => {
    freeze(start + HOUR - 1_000);
    const key = await addApiKey({ limit: 9 });
    const admit = async (times: number) => {
      for (let each = 0; each < times; each++) await gateOf(key.id).admit(key.secretHash);
    };
    await admit(3);
    vi.setSystemTime(start + HOUR + 100);
    await admit(1);
    await runDurableObjectAlarm(gateOf(key.id));
    vi.setSystemTime(start + HOUR - 500);
    await admit(2);
    vi.setSystemTime(start + HOUR + 60_000);
    await runDurableObjectAlarm(gateOf(key.id));
    expect(await usage(key.id)).toEqual([
      { hour: start, admitted: 3, limited: 0 },
      { hour: start + HOUR, admitted: 1, limited: 0 },
    ]);
  });

  it("is not written a second time while a write is in progress", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    const alarm = await runInDurableObject(gateOf(key.id), async (instance, state) => {
      await state.storage.deleteAlarm();
      interceptGateDatabase(instance, env, async (_, makeCall) => {
        await instance.admit(key.secretHash);
        return makeCall();
      });
      await instance.alarm();
      return vi.waitUntil(() => state.storage.getAlarm());
    });
    expect(alarm).toBe(start + 50_000);
  });

  it("is not lost when D1 fails, and not counted twice when D1's answer is lost", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    await runInDurableObject(gateOf(key.id), (instance) =>
      interceptGateDatabase(instance, env, async (_, makeCall) => {
        await makeCall();
        throw new Error("injected fault: the answer is lost");
      }),
    );
    await runDurableObjectAlarm(gateOf(key.id));
    await runInDurableObject(gateOf(key.id), (instance) => interceptGateDatabase(instance, env, (_, call) => call()));
    await gateOf(key.id).admit(key.secretHash);
    vi.setSystemTime(start + 50_000);
    expect(await runDurableObjectAlarm(gateOf(key.id))).toBe(true);
    expect(await usage(key.id)).toEqual([{ hour: start, admitted: 2, limited: 0 }]);
  });

  it("is handed over by a gate that has started again, without another request", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 1 });
    await gateOf(key.id).admit(key.secretHash);
    await runInDurableObject(gateOf(key.id), (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(gateOf(key.id));
    await gateOf(key.id).forget();
    expect(await runDurableObjectAlarm(gateOf(key.id))).toBe(true);
    expect(await usage(key.id)).toEqual([{ hour: start, admitted: 1, limited: 0 }]);
  });

  it("is handed over by a gate that has started again, also when its clock had stepped back", async () => {
    freeze(start + 60_000);
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    await runDurableObjectAlarm(gateOf(key.id));
    vi.setSystemTime(start + 55_000);
    await gateOf(key.id).admit(key.secretHash);
    await gateOf(key.id).forget();
    await evictDurableObject(gateOf(key.id));
    vi.setSystemTime(start + 120_000);
    expect(await runDurableObjectAlarm(gateOf(key.id))).toBe(true);
    expect(await usage(key.id)).toEqual([{ hour: start, admitted: 2, limited: 0 }]);
  });

  it("dates the use of the old secret by the request, not by the report that tells of it", () => {
    const counts = new UsageCounts();
    const used = { at: start - 500, operation: "whoami", network: null, country: null, userAgent: null };
    counts.count(start, { admitted: 1, limited: 0, operations: {}, used }, { id: "secret", isPrevious: true });
    expect(counts.state.seen).toEqual({ used, previous: { ...used, secret: "secret" } });
  });

  it("leaves no counts behind for a deleted key", async () => {
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    await databaseOf(key.id).prepare("DELETE FROM api_keys WHERE id = ?1").bind(key.id).run();
    await runDurableObjectAlarm(gateOf(key.id));
    expect(await usage(key.id)).toEqual([]);
  });
});
