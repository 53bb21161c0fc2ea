/** The gate of an API key when D1 is down, slow or silent. */

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "./support/clock.ts";
import { gateOf, watchDatabase } from "./support/gate.ts";
import { interceptGateDatabase } from "./support/intercept.ts";
import { addApiKey } from "./support/world.ts";

describe("when D1 is down, the gate", () => {
  it("goes on with a record of at most five minutes, and asks again at most every five seconds", async () => {
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
    vi.setSystemTime(1_900_000_299_999);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
    vi.setSystemTime(1_900_000_300_000);
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toEqual({ outcome: "unavailable" });
    watched.down = false;
    expect(await gateOf(key.id).admit(key.secretHash, 0)).toMatchObject({ outcome: "admitted" });
  });

  it("waits two seconds when D1 hangs, then goes on with its record", async () => {
    freeze(1_900_000_000_000);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 0);
    vi.setSystemTime(1_900_000_060_000);
    let calls = 0;
    await runInDurableObject(gateOf(key.id), async (instance) => {
      interceptGateDatabase(instance, env, () => {
        calls += 1;
        return new Promise(() => {});
      });
      expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
      expect(await instance.admit(key.secretHash)).toMatchObject({ outcome: "admitted" });
    });
    expect(calls).toBe(1);
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
      interceptGateDatabase(instance, env, async () => {
        instance.forget();
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
