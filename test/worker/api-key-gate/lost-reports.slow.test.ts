/** What an isolate has decided by itself is counted also when the gate does not take the call that brings it. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { Gatekeeper } from "../../../src/worker/api-key-gate/gatekeeper.ts";
import { KeyUse } from "../../../src/worker/api-key-gate/key-use.ts";
import { Databases } from "../../../src/worker/database/databases.ts";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import { freeze, freezeTimers } from "../../support/clock.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { gateOf } from "../../support/gate.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { BROKEN, usageOf, use, whoami } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

const START = 1_900_000_000_000;

it.each(BROKEN)(
  "what was used of a lease is counted, when the call for the next one brings it and %s",
  async (_, way) => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 10_000 });
    const broken = Promise.withResolvers<void>();
    let calls = 0;
    // The first brings a second lease. By the next call the first one is over.
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], (_kind, makeCall) => {
      calls += 1;
      if (calls !== 2) return makeCall();
      broken.resolve();
      return way();
    });
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    let requests = 0;
    for (let isBroken = false; !isBroken; requests++) {
      const answer = whoami(isolate, key.text);
      isBroken = await Promise.race([answer.then(() => false), broken.promise.then(() => true)]);
      if (isBroken) await vi.advanceTimersByTimeAsync(2_000);
      expect((await answer).status).toBe(200);
      vi.setSystemTime(Date.now() + 20);
    }
    await isolate.elapse();
    expect(await usageOf(key.id)).toEqual({ admitted: requests, limited: 0 });
  },
);

it.each(BROKEN)(
  "the refusals of a flood are counted though no request follows, when the call that reports them %s",
  async (_, way) => {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 5 });
    let isBroken = true;
    const gates = interceptObjects(env.API_KEY_GATE, ["report"], (_kind, makeCall) => (isBroken ? way() : makeCall()));
    const isolate = createIsolate({ ...env, API_KEY_GATE: gates });
    for (let times = 0; times < 15; times++) await whoami(isolate, key.text);
    const told = isolate.elapse();
    await vi.advanceTimersByTimeAsync(2_000);
    await told;
    isBroken = false;
    await isolate.elapse();
    expect(await usageOf(key.id)).toEqual({ admitted: 5, limited: 10 });
  },
);

it.each([
  ["confirms", (makeCall: () => Promise<unknown>) => makeCall()],
  ["does not confirm", () => Promise.reject(new Error("injected fault: gate"))],
])("what was decided here is counted, when the key is revoked here and its gate %s that", async (_, way) => {
  freeze(START);
  vi.spyOn(console, "error").mockImplementation(() => {});
  const gates = interceptObjects(env.API_KEY_GATE, ["forget"], (_kind, makeCall) => way(makeCall));
  const owner = createOwner(undefined, { ...env, API_KEY_GATE: gates });
  const busy = await owner.create("Busy", { limit: 10_000, windowSeconds: 60 });
  await use(owner.isolate, busy.key, 30, 50);
  const flooded = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
  for (let times = 0; times < 15; times++) await whoami(owner.isolate, flooded.key);
  for (const { apiKey } of [busy, flooded]) await owner.json("DELETE", `/keys/${apiKey.id}`);
  await owner.isolate.elapse();
  expect(await usageOf(busy.apiKey.id)).toEqual({ admitted: 30, limited: 0 });
  expect(await usageOf(flooded.apiKey.id)).toEqual({ admitted: 10, limited: 5 });
});

it("what was decided here is counted, when its gate took neither the report nor the revocation, and takes it when that comes again", async () => {
  freeze(START);
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
  let isDown = false;
  const gates = interceptObjects(env.API_KEY_GATE, ["report", "forget"], (_kind, makeCall) =>
    isDown ? Promise.reject(new Error("injected fault: gate")) : makeCall(),
  );
  const owner = createOwner(undefined, { ...env, API_KEY_GATE: gates });
  const { apiKey, key } = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
  for (let times = 0; times < 15; times++) await whoami(owner.isolate, key);
  isDown = true;
  await owner.isolate.elapse();
  const revoke = async () => (await owner.json("DELETE", `/keys/${apiKey.id}`)).status;
  expect(await revoke()).toBe(503);
  await owner.isolate.elapse();
  isDown = false;
  expect(await revoke()).toBe(200);
  expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 5 });
});

it("what was decided here is counted, when the revocation took it along, failed, and no request follows", async () => {
  freeze(START);
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
  const failing = Promise.withResolvers<never>();
  const gates = interceptObjects(env.API_KEY_GATE, ["forget"], () => failing.promise);
  const owner = createOwner(undefined, { ...env, API_KEY_GATE: gates });
  const { apiKey, key } = await owner.create("Flooded", { limit: 10, windowSeconds: 60 });
  for (let times = 0; times < 15; times++) await whoami(owner.isolate, key);
  const revoking = owner.json("DELETE", `/keys/${apiKey.id}`);
  await vi.waitUntil(
    async () => (await databaseOf(apiKey.id).prepare("SELECT revoked_at FROM api_keys").first("revoked_at")) !== null,
  );
  // What the requests have planned finds nothing to report.
  await owner.isolate.elapse();
  failing.reject(new Error("injected fault: gate"));
  expect((await revoking).status).toBe(503);
  await owner.isolate.elapse();
  expect(await usageOf(apiKey.id)).toEqual({ admitted: 10, limited: 5 });
});

it("what was admitted is told with what was seen of it, before its lease has ended: both are of one hour", () => {
  const use = new KeyUse("hash");
  const sent = new Request("https://api.example/tenant/whoami");
  const ask = use.ask(START);
  const answer: Admission = {
    outcome: "admitted",
    tenant: { accountId: "a", accountSuspended: false, scopes: [], allowedAddresses: null },
    rateLimit: { limit: 100, windowMs: 60_000 },
    lease: { id: "one", admissions: 9, forMs: 1_000 },
  };
  const lease = use.take(ask, answer, START);
  if (lease === undefined) throw new Error("no lease");
  const tell = (requests: number) => {
    for (let each = 0; each < requests; each++) use.decide({ now: START, address: null, operation: "whoami", sent });
    return use.takeReport(true);
  };
  const counted = (requests: number) => ({
    admitted: requests,
    sightings: { operations: { whoami: requests } },
  });
  const first = tell(3);
  expect(first).toMatchObject(counted(3));
  use.putBack(first);
  expect(tell(2)).toEqual(first);
  use.end(lease);
  expect(tell(0)).toMatchObject({ lease: { used: 5 }, ...counted(2) });
  expect(tell(0)).toBeUndefined();
});

it("a gate counts what a report says was admitted, not what its lease has used", async () => {
  freeze(START);
  const key = await addApiKey();
  const gate = gateOf(key.id);
  await gate.report(key.secretHash, { limited: 0, admitted: 3, id: "one" });
  await gate.report(key.secretHash, { limited: 0, admitted: 2, lease: { id: "lease", used: 5 } });
  expect(await usageOf(key.id)).toEqual({ admitted: 5, limited: 0 });
});

it("the last requests before a silence are counted, when the call for the next lease hangs and brings their report", async () => {
  freezeTimers(START);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const key = await addApiKey({ limit: 10_000 });
  let isLost = false;
  const gates = interceptObjects(env.API_KEY_GATE, ["report"], (_kind, makeCall) => {
    if (isLost || Date.now() < START + 1_100) return makeCall();
    isLost = true;
    return new Promise(() => {});
  });
  // With the platform's timers: an isolate of the tests ends leases when it is told.
  const gatekeeper = new Gatekeeper();
  const stores = { gates, database: openDatabase(databaseOf(key.id), new Databases()) };
  const settle = async () => {
    for (let turns = 0; turns < 10; turns++) {
      await vi.advanceTimersByTimeAsync(0);
      await scheduler.wait(1);
    }
  };
  let requests = 0;
  while (!isLost) {
    const sent = new Request("https://api.example/tenant/whoami");
    const request = { apiKey: key, address: null, operation: "whoami", sent, now: Date.now(), waitUntil: () => {} };
    expect(await gatekeeper.admit(stores, request)).toMatchObject({ outcome: "admitted" });
    requests += 1;
    await settle();
    await vi.advanceTimersByTimeAsync(20);
  }
  for (let seconds = 0; seconds < 10; seconds++) {
    await vi.advanceTimersByTimeAsync(1_000);
    await settle();
  }
  expect(await usageOf(key.id)).toEqual({ admitted: requests, limited: 0 });
});

describe("what an isolate has decided by itself, and could not tell", () => {
  /** An isolate that knows of a key over its limit; `planned` is what it would do later. Its gate takes no report at first. */
  async function setUp() {
    freezeTimers(START);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const key = await addApiKey({ limit: 2, windowSeconds: 10 });
    const broken = { admit: false, report: true, forget: false };
    const gates = (["admit", "report", "forget"] as const).reduce(
      (objects, method) =>
        interceptObjects(objects, [method], (_, makeCall) => (broken[method] ? new Promise(() => {}) : makeCall())),
      env.API_KEY_GATE,
    );
    const planned: (() => Promise<void>)[] = [];
    const gatekeeper = new Gatekeeper((_, work) => void planned.push(work));
    const stores = { gates, database: openDatabase(databaseOf(key.id), new Databases()) };
    const kept: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => void kept.push(promise);
    const ask = () => {
      const sent = new Request("https://api.example/tenant/whoami");
      const request = { apiKey: key, address: null, operation: "whoami", sent, now: Date.now(), waitUntil };
      return gatekeeper.admit(stores, request);
    };
    /** So many requests that it refuses, and a report of them that its gate does not take. */
    const refuse = async (times: number) => {
      for (let time = 0; time < times; time++) expect(await ask()).toMatchObject({ outcome: "limited" });
      const telling = planned.splice(0).map((work) => work());
      await vi.advanceTimersByTimeAsync(2_000);
      await Promise.all(telling);
      planned.length = 0;
    };
    for (const outcome of ["admitted", "admitted", "limited"]) expect(await ask()).toMatchObject({ outcome });
    await refuse(3);
    return { key, broken, gatekeeper, gates, planned, kept, waitUntil, ask, refuse };
  }

  it("is told after the next answer of the gate, also what that request did not bring", async () => {
    const { key, broken, planned, ask, refuse } = await setUp();
    await refuse(2);
    broken.report = false;
    vi.setSystemTime(START + 11_000);
    expect(await ask()).toMatchObject({ outcome: "admitted" });
    for (const work of planned) await work();
    expect(await usageOf(key.id)).toEqual({ admitted: 3, limited: 6 });
  });

  it("is put back also when the client of the request that brings it has left", async () => {
    const { key, broken, kept, ask } = await setUp();
    broken.admit = true;
    vi.setSystemTime(START + 11_000);
    kept.length = 0;
    void ask();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    broken.admit = false;
    expect(await ask()).toMatchObject({ outcome: "admitted" });
    expect(await usageOf(key.id)).toEqual({ admitted: 3, limited: 4 });
  });

  it("is put back also when the owner has left whose revocation brings it", async () => {
    const { key, broken, kept, gatekeeper, gates, waitUntil, ask } = await setUp();
    broken.forget = true;
    kept.length = 0;
    gatekeeper.forget({ ...env, API_KEY_GATE: gates }, key.id, waitUntil).catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    vi.setSystemTime(START + 21_000);
    expect(await ask()).toMatchObject({ outcome: "admitted" });
    expect(await usageOf(key.id)).toEqual({ admitted: 3, limited: 4 });
  });
});
