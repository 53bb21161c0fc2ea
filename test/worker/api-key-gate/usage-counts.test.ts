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
  const DAY = 24 * HOUR;
  const NEVER = Number.POSITIVE_INFINITY;
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
    expect(counts.dueAt(start, NEVER)).toBe(start + DAY);
    admit(start + HOUR, 5);
    await save(start + HOUR);
    const all = [
      [start, { admitted: 5, limited: 2 }],
      [start + HOUR, { admitted: 9, limited: 2 }],
    ];
    expect([...inD1]).toEqual(all);
    expect(counts.dueAt(start + HOUR, start)).toBe(NEVER);
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

  const alarmOf = (id: string) => runInDurableObject(gateOf(id), (_, { storage }) => storage.getAlarm());

  it("is written to D1 once a day, however often the key is used: one alarm is set for it", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    await gateOf(key.id).admit(key.secretHash);
    // The first use comes to D1 at once: pages ask no gate before.
    expect(await alarmOf(key.id)).toBe(start + 8_000);
    await runDurableObjectAlarm(gateOf(key.id));
    expect([await usage(key.id), await alarmOf(key.id)]).toEqual([[{ hour: start, admitted: 1, limited: 0 }], null]);
    const set = vi.fn();
    await runInDurableObject(gateOf(key.id), (_, { storage }) => {
      const setAlarm = storage.setAlarm.bind(storage);
      storage.setAlarm = (time) => {
        set(time);
        return setAlarm(time);
      };
    });
    for (const hours of [1, 2, 3]) {
      vi.setSystemTime(start + hours * HOUR);
      await gateOf(key.id).admit(key.secretHash);
    }
    expect(set.mock.calls).toEqual([[start + DAY]]);
    expect(await usage(key.id)).toHaveLength(1);
    vi.setSystemTime(start + DAY);
    await runDurableObjectAlarm(gateOf(key.id));
    expect(await usage(key.id)).toEqual(
      [0, 1, 2, 3].map((hours) => ({ hour: start + hours * HOUR, admitted: 1, limited: 0 })),
    );
  });

  it("is written when a secret is used for the first time, because a rotation may have to read it in D1", async () => {
    freeze(start);
    const [key, next] = [await addApiKey({ limit: 5 }), await addApiKey()];
    await gateOf(key.id).admit(key.secretHash);
    await runDurableObjectAlarm(gateOf(key.id));
    await databaseOf(key.id)
      .prepare(
        "UPDATE api_keys SET previous_secret_hash = secret_hash, previous_expires_at = ?2, secret_hash = ?3 WHERE id = ?1",
      )
      .bind(key.id, start + DAY, next.secretHash)
      .run();
    await gateOf(key.id).forget();
    vi.setSystemTime(start + HOUR);
    await gateOf(key.id).admit(next.secretHash);
    vi.setSystemTime(start + HOUR + 8_000);
    await runDurableObjectAlarm(gateOf(key.id));
    const newest = databaseOf(key.id).prepare(
      "SELECT seen ->> '$.newest.secret' AS secret FROM api_keys WHERE id = ?1",
    );
    expect(await newest.bind(key.id).first("secret")).toBe(next.secretHash.slice(0, 12));
    vi.setSystemTime(start + 2 * HOUR);
    await gateOf(key.id).admit(next.secretHash);
    expect(await alarmOf(key.id)).toBe(start + HOUR + 8_000 + DAY);
  });

  it("is written when the key ends, revoked or expired", async () => {
    const ends: [object, string | undefined][] = [
      [{}, "UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1"],
      [{ expiresAt: start + HOUR }, undefined],
    ];
    for (const [options, change] of ends) {
      freeze(start);
      const key = await addApiKey({ limit: 5, ...options });
      await gateOf(key.id).admit(key.secretHash);
      await runDurableObjectAlarm(gateOf(key.id));
      vi.setSystemTime(start + HOUR - 60_000);
      await gateOf(key.id).admit(key.secretHash);
      if (change !== undefined) {
        await databaseOf(key.id).prepare(change).bind(key.id, Date.now()).run();
        await gateOf(key.id).forget();
      }
      const due = (await alarmOf(key.id)) ?? NEVER;
      expect(due).toBe(change === undefined ? start + HOUR : Date.now() + 8_000);
      vi.setSystemTime(due);
      await runDurableObjectAlarm(gateOf(key.id));
      expect(await usage(key.id)).toEqual([{ hour: start, admitted: 2, limited: 0 }]);
    }
  });

  it("is told to whoever asks before D1 has it, and for a while after; then D1 alone has it", async () => {
    freeze(start);
    const key = await addApiKey({ limit: 5 });
    const seen = { at: start, network: null, country: null, userAgent: "crm", operation: "whoami" };
    await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen });
    vi.setSystemTime(start + HOUR);
    await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen });
    const hours = [0, 1].map((each) => ({
      hour: start + each * HOUR,
      admitted: 1,
      limited: 0,
      operations: { whoami: 1 },
    }));
    const all = { hours, seen: { used: { userAgent: "crm" } } };
    expect(await gateOf(key.id).unsavedUse()).toMatchObject(all);
    await runDurableObjectAlarm(gateOf(key.id));
    // A page may have read D1 just before that.
    expect(await gateOf(key.id).unsavedUse()).toMatchObject(all);
    await gateOf(key.id).admit(key.secretHash);
    expect((await gateOf(key.id).unsavedUse()).hours.map(({ hour, admitted }) => [hour, admitted])).toEqual([
      [start, 1],
      [start + HOUR, 1],
      [start + HOUR, 2],
    ]);
    vi.setSystemTime(start + 2 * DAY);
    await runDurableObjectAlarm(gateOf(key.id));
    await evictDurableObject(gateOf(key.id));
    expect(await gateOf(key.id).unsavedUse()).toEqual({ hours: [], seen: {} });
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

  it("is written soon when a secret is used for the first time while the counts are being saved", async () => {
    const counts = new UsageCounts();
    const admit = (id: string) =>
      counts.count(start, { admitted: 1, limited: 0, operations: {} }, { id, isPrevious: false });
    admit("first");
    await counts.save(start, async () => void admit("second"));
    expect(counts.dueAt(start, NEVER)).toBe(start + 50_000);
  });

  it("has the last refusal also when that alone is not stored", async () => {
    const counts = new UsageCounts();
    const refuse = (at: number) => {
      const seen = { at, operation: "whoami", network: null, country: null, userAgent: null };
      return counts.count(at, { admitted: 0, limited: 0, operations: {}, refused: { ...seen, reason: "paused" } });
    };
    expect(refuse(start)).toBe(true);
    await counts.save(start + 1, async () => {});
    expect(refuse(start + 2)).toBe(false);
    expect(counts.unsaved.seen.refused).toMatchObject({ at: start + 2 });
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
