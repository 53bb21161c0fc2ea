/** The gate of an API key, and an isolate's way to it, when the clock steps. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { gateOf, revokeInDatabase } from "../../support/gate.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("when the clock steps back an hour", () => {
  it("the gate reads its record again", async () => {
    freeze(START);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash);
    await revokeInDatabase(key.id);
    vi.setSystemTime(START - HOUR);
    expect(await gateOf(key.id).admit(key.secretHash)).toEqual({ outcome: "refused", reason: "revoked" });
  });

  it("the limit holds, and nobody waits longer than the window", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 1, windowSeconds: 1 });
    const isolate = createIsolate();
    const whoami = () => isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    expect([(await whoami()).status, (await whoami()).status]).toEqual([200, 429]);
    vi.setSystemTime(START - HOUR);
    const limited = await whoami();
    expect([limited.status, limited.headers.get("Retry-After")]).toEqual([429, "1"]);
    vi.setSystemTime(START - HOUR + 1_000);
    expect((await whoami()).status).toBe(200);
  });

  it("the isolate asks the gate again about a key over its limit", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 1 });
    const { env: counted, counts } = countStores(env);
    const isolate = createIsolate(counted);
    const whoami = () => isolate.request("/tenant/whoami", { headers: { "X-API-Key": key.text } });
    for (let times = 0; times < 3; times++) await whoami();
    expect(counts.gate).toBe(2);
    vi.setSystemTime(START - HOUR);
    await whoami();
    expect(counts.gate).toBe(3);
  });

  it("usage is still handed over within a minute after a change, each hour once", async () => {
    const hour = START - (START % HOUR);
    freeze(hour + 10);
    const key = await addApiKey();
    const alarm = await runInDurableObject(gateOf(key.id), async (instance, state) => {
      await instance.admit(key.secretHash);
      await instance.alarm();
      for (const now of [hour + 20, hour - HOUR, hour + 30, hour - HOUR + 40]) {
        vi.setSystemTime(now);
        await instance.admit(key.secretHash);
      }
      instance.forget();
      return vi.waitUntil(() => state.storage.getAlarm(), { interval: 1 });
    });
    expect(alarm).toBeLessThanOrEqual(hour - HOUR + 40 + 60_000);
    const { usage } = await runInDurableObject(gateOf(key.id), (_, { storage }) =>
      Promise.resolve(storage.kv.get<{ usage: { hours: object[] } }>("gate/1") ?? { usage: { hours: [] } }),
    );
    expect(usage.hours).toEqual([
      { hour, admitted: 3, limited: 0, operations: {} },
      { hour: hour - HOUR, admitted: 2, limited: 0, operations: {} },
    ]);
  });
});

describe("after a glitch a day ahead", () => {
  it("the gate admits and limits as before", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 2, windowSeconds: 60 });
    const gate = gateOf(key.id);
    await gate.admit(key.secretHash);
    vi.setSystemTime(START + DAY);
    await gate.admit(key.secretHash);
    vi.setSystemTime(START + 1_000);
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "limited", quota: { waitMs: 59_000 } });
    vi.setSystemTime(START + 60_000);
    expect(await gate.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
  });

  it("an alarm of then does not hold up usage", async () => {
    freeze(START + DAY);
    const key = await addApiKey();
    const alarm = await runInDurableObject(gateOf(key.id), async (instance, state) => {
      await instance.admit(key.secretHash);
      instance.forget();
      await vi.waitUntil(() => state.storage.getAlarm(), { interval: 1 });
      vi.setSystemTime(START);
      await instance.admit(key.secretHash);
      instance.forget();
      return vi.waitUntil(
        async () => {
          const at = await state.storage.getAlarm();
          return at !== null && at < START + DAY && at;
        },
        { interval: 1 },
      );
    });
    expect(alarm).toBeLessThanOrEqual(START + 60_000);
  });
});
