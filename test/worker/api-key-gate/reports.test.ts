/** What isolates have decided by themselves reaches the gate, and so the owner. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;

describe("what an isolate refuses by itself", () => {
  async function flooded(bindings: Env = env) {
    freeze(START);
    const owner = createOwner();
    const { apiKey, key } = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
    const isolate = createIsolate(bindings);
    for (let times = 0; times < 50; times++) await whoami(isolate, key);
    return { owner, apiKey, key, isolate };
  }

  it("is reported to the gate a few seconds later, also when the flood has stopped", async () => {
    const { apiKey, isolate } = await flooded();
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 1 });
    await isolate.elapse();
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 40 });
  });

  it("is reported once, however long the flood lasts", async () => {
    const { apiKey, key, isolate } = await flooded();
    await isolate.elapse();
    await isolate.elapse();
    vi.setSystemTime(START + 6_000);
    for (let times = 0; times < 5; times++) await whoami(isolate, key);
    await isolate.elapse();
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 45 });
  });

  it("is not lost when the key is rotated in this isolate, or in another", async () => {
    const other = await flooded();
    await other.owner.json("POST", `/keys/${other.apiKey.id}/rotate`, { graceSeconds: 0 });
    await other.isolate.elapse();
    expect(await usageOf(other.apiKey.id)).toEqual({ admitted: 10, limited: 40 });

    const owner = createOwner();
    const { apiKey, key } = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
    for (let times = 0; times < 50; times++) await whoami(owner.isolate, key);
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 40 });
  });

  it.each(BROKEN)("is kept for the next time when the gate %s", async (_, way) => {
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], way);
    const { apiKey, isolate, key } = await flooded({ ...env, API_KEY_GATE: gates });
    vi.spyOn(console, "warn").mockImplementation(() => {});
    freezeTimers(START);
    const reported = isolate.elapse();
    await vi.advanceTimersByTimeAsync(10_000);
    await reported;
    vi.setSystemTime(START + 60_000);
    await whoami(isolate, key);
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 11, limited: 40 });
  });
});

it.each(BROKEN)(
  "what was used of a lease is counted with the next request, when the gate %s at its end",
  async (_, way) => {
    freeze(START);
    const key = await addApiKey({ limit: 10_000 });
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], way);
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    await use(isolate, key.text, 100, 50);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    freezeTimers(Date.now());
    const reported = isolate.elapse();
    await vi.advanceTimersByTimeAsync(10_000);
    await reported;
    await use(isolate, key.text, 1, 1);
    await gateOf(key.id).forget([], true);
    expect(await usageOf(key.id)).toEqual({ admitted: 101, limited: 0 });
  },
);
