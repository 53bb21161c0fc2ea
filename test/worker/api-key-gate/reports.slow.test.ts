/** What isolates have decided by themselves reaches the gate, and so the owner. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { gateOf, watchDatabase } from "../../support/gate.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

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

  it("ends in the isolate that revokes the key: 401", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey, key } = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
    const statuses = [];
    for (let times = 0; times < 12; times++) statuses.push((await whoami(owner.isolate, key)).status);
    expect(statuses.slice(9)).toEqual([200, 429, 429]);
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    expect((await whoami(owner.isolate, key)).status).toBe(401);
  });

  it.each(BROKEN)("is lost when the gate %s, and the chart is never over", async (_, way) => {
    let isBroken = true;
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], (_kind, makeCall) => (isBroken ? way() : makeCall()));
    const { apiKey, isolate, key } = await flooded({ ...env, API_KEY_GATE: gates });
    vi.spyOn(console, "warn").mockImplementation(() => {});
    freezeTimers(START);
    const reported = isolate.elapse();
    await vi.advanceTimersByTimeAsync(10_000);
    await reported;
    isBroken = false;
    vi.setSystemTime(START + 60_000);
    await whoami(isolate, key);
    await isolate.elapse();
    // Of the 40 refusals only the one that the gate has decided.
    expect(await usageOf(apiKey.id)).toEqual({ admitted: 11, limited: 1 });
  });
});

describe("a report", () => {
  const report = { limited: 3, admitted: 7, leases: [{ id: "a lease", used: 7 }], operations: {} };
  const ask = { perSecond: 0, report };

  it("is counted first, also when the call is refused", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 100 });
    await gateOf(key.id).admit(key.secretHash);
    expect(await gateOf(key.id).admit("0".repeat(64), null, ask)).toMatchObject({ outcome: "refused" });
    expect(await usageOf(key.id)).toEqual({ admitted: 8, limited: 3 });
  });

  it("is counted first, also when the gate has no record", async () => {
    freeze(START);
    const key = await addApiKey({ limit: 100 });
    const watched = await watchDatabase(gateOf(key.id));
    watched.down = true;
    vi.spyOn(console, "warn").mockImplementation(() => {});
    expect(await gateOf(key.id).admit(key.secretHash, null, ask)).toEqual({ outcome: "unavailable" });
    watched.down = false;
    expect(await usageOf(key.id)).toEqual({ admitted: 7, limited: 3 });
  });

  /** The log's line: that the report is lost, and why. */
  const LOST = [expect.stringMatching(/report.* is lost$/), expect.stringMatching(/^Error: injected fault: gate\n/)];

  /** An isolate that has refused four requests by itself. The next call that brings a report fails, after its work (`arrives`) or before. */
  async function unlucky(arrives: boolean, kind: "admit" | "forget") {
    freeze(START);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const owner = createOwner();
    const { apiKey, key } = await owner.create("Flooded", { limit: 5, windowSeconds: 60 });
    let fails = false;
    const gates = interceptObjects(env.API_KEY_GATE, [kind], async (_, makeCall) => {
      if (!fails) return makeCall();
      fails = false;
      if (arrives) await makeCall();
      throw new Error("injected fault: gate");
    });
    const { isolate, json } = createOwner(owner.email, { ...env, API_KEY_GATE: gates });
    for (let times = 0; times < 10; times++) await whoami(isolate, key);
    fails = true;
    return { id: apiKey.id, key, isolate, json, warn };
  }

  it.each([
    ["has failed is lost", false, 1],
    ["was done, and its answer lost, counts once", true, 5],
  ])(
    "whose call %s, and the log says that it is lost: the call is made again without it",
    async (_, arrives, limited) => {
      const { id, key, isolate, warn } = await unlucky(arrives, "admit");
      vi.setSystemTime(START + 60_000);
      expect((await whoami(isolate, key)).status).toBe(200);
      expect(warn.mock.calls).toEqual([LOST]);
      await isolate.elapse();
      expect(await usageOf(id)).toMatchObject({ limited });
    },
  );

  it.each([
    ["has failed is lost", false, 1],
    ["was done, and its answer lost, counts once", true, 5],
  ])("to a gate that is told to forget, whose call %s", async (_, arrives, limited) => {
    const { id, json, isolate, warn } = await unlucky(arrives, "forget");
    env.LEASE_SECONDS = "0";
    expect((await json("PATCH", `/keys/${id}`, { limit: 6 })).status).toBe(200);
    expect(warn.mock.calls).toEqual([LOST]);
    await isolate.elapse();
    expect(await usageOf(id)).toMatchObject({ limited });
  });

  it("whose call is answered after two seconds, too late for its isolate, counts once", async () => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 5, windowSeconds: 60 });
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isLate = false;
    const gates = interceptObjects(env.API_KEY_GATE, ["admit"], async (_, makeCall) => {
      if (!isLate) return makeCall();
      isLate = false;
      reached.resolve();
      await held.promise;
      return makeCall();
    });
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    for (let times = 0; times < 10; times++) await whoami(isolate, key.text);
    vi.setSystemTime(START + 60_000);
    isLate = true;
    const answer = whoami(isolate, key.text);
    await reached.promise;
    await vi.advanceTimersByTimeAsync(2_000);
    held.resolve();
    expect((await answer).status).toBe(200);
    await isolate.elapse();
    await whoami(isolate, key.text);
    // Five, then the late one and the last; one was refused by the gate, four by the isolate.
    expect(await usageOf(key.id)).toEqual({ admitted: 7, limited: 5 });
  });
});

it("two calls that began in the same millisecond bring two leases, and both are reported", async () => {
  freeze(START);
  const key = await addApiKey({ limit: 10_000 });
  const isolate = createIsolate();
  await use(isolate, key.text, 20, 50);
  vi.setSystemTime(Date.now() + 950);
  await Promise.all([1, 2, 3].map(() => whoami(isolate, key.text)));
  await use(isolate, key.text, 60, 50);
  await isolate.elapse();
  expect(await usageOf(key.id)).toEqual({ admitted: 83, limited: 0 });
});
