/** What a key is used for: how its requests were answered, by operation. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Sightings } from "../../../src/worker/api-key-gate/reports.ts";
import { freeze } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { countStores, failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { HOUR, START, seenOf, send } from "../../support/seen.ts";
import { createTenant } from "../../support/tenant.ts";
import { use, whoami } from "../../support/use-of-key.ts";
import { addAccount, addApiKey, newId } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

describe("answers by operation", () => {
  it("have the class that each was answered with; the last is untold until the next request", async () => {
    freeze(START);
    const tenant = await createTenant({ scopes: ["surveys:read", "ideabanks:read"] });
    expect((await tenant.send("GET", "/tenant/surveys")).status).toBe(200);
    expect((await tenant.send("GET", `/tenant/surveys/${newId()}`)).status).toBe(403);
    expect((await tenant.send("GET", "/tenant/surveys?limit=none")).status).toBe(400);
    expect((await tenant.send("POST", "/tenant/surveys", { title: "No scope" })).status).toBe(403);
    const { operations, counts, used } = await seenOf(tenant.id);
    expect(operations).toEqual({ listSurveys: [1, 1, 0, 0], getSurvey: [0, 1, 0, 0], createSurvey: [0, 0, 0, 1] });
    expect(counts).toEqual({ admitted: 4, limited: 0 });
    expect(used.operation).toBe("createSurvey");
    vi.setSystemTime(START + HOUR);
    await tenant.send("GET", "/tenant/whoami");
    expect((await seenOf(tenant.id)).operations).toMatchObject({ createSurvey: [0, 1, 0, 0] });
  });

  it("of a suspended account are 4xx", async () => {
    freeze(START);
    const [key, isolate] = [await addApiKey({ accountId: await addAccount({ status: "suspended" }) }), createIsolate()];
    expect((await whoami(isolate, key.text)).status).toBe(403);
    expect((await seenOf(key.id)).operations).toEqual({ whoami: [0, 1, 0, 0] });
  });

  it("cost no call", async () => {
    freeze(START);
    const { env: counted, counts } = countStores(env);
    const tenant = await createTenant({}, createIsolate(counted));
    for (const [path, status] of [
      ["/tenant/whoami", 200],
      ["/tenant/surveys", 200],
      [`/tenant/surveys/${newId()}`, 403],
    ] as const) {
      Object.assign(counts, { gate: 0 });
      expect([(await tenant.send("GET", path)).status, counts.gate]).toEqual([status, 1]);
    }
  });

  it("by a server error are 5xx", async () => {
    freeze(START);
    const tenant = await createTenant();
    const down = failStores(env, "d1");
    const headers = { "X-API-Key": tenant.text };
    await tenant.send("GET", "/tenant/whoami");
    expect((await tenant.isolate.request("/tenant/surveys", { headers }, down)).status).toBe(503);
    await tenant.send("GET", "/tenant/whoami");
    expect((await seenOf(tenant.id)).operations).toEqual({ whoami: [2, 0, 0, 0], listSurveys: [0, 0, 1, 0] });
  });

  it("of requests that were under way when the key was changed here are told, too", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    const [isAsked, isChanged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = interceptStores(env, async (kind, makeCall) => {
      if (kind === "d1") {
        isAsked.resolve();
        await isChanged.promise;
      }
      return makeCall();
    });
    const listed = owner.isolate.request("/tenant/surveys", { headers: { "X-API-Key": key } }, slow);
    await isAsked.promise;
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { limit: 50 })).status).toBe(200);
    isChanged.resolve();
    expect((await listed).status).toBe(200);
    await whoami(owner.isolate, key);
    expect((await seenOf(apiKey.id)).operations).toEqual({ listSurveys: [1, 0, 0, 0], whoami: [1, 0, 0, 0] });
  });

  it("are told also when the call that tells them overtakes the one that counts their requests", async () => {
    freeze(START);
    const key = await addApiKey();
    const report = (id: string, admitted: number, sightings: Pick<Sightings, "answered" | "told">) =>
      gateOf(key.id).report(key.secretHash, { limited: 0, admitted, id, sightings });
    await report("second", 1, {
      answered: [["listSurveys", "untold", 1]],
      told: [
        ["listSurveys", "2xx", 3],
        ["getSurvey", "5xx", 1],
      ],
    });
    expect((await seenOf(key.id)).operations).toEqual({ listSurveys: [1, 0, 0, 0] });
    await report("first", 2, { answered: [["listSurveys", "untold", 2]], told: [] });
    vi.setSystemTime(START + 60_000);
    expect((await seenOf(key.id)).operations).toEqual({ listSurveys: [3, 0, 0, 0] });
  });

  it("are told also when nothing is counted with them, and the gate loses its memory before the next request", async () => {
    freeze(START);
    const key = await addApiKey();
    const report = (id: string, admitted: number, sightings: Pick<Sightings, "answered" | "told">) =>
      gateOf(key.id).report(key.secretHash, { limited: 0, admitted, id, sightings });
    await report("first", 2, { answered: [["listSurveys", "untold", 2]], told: [] });
    await runDurableObjectAlarm(gateOf(key.id));
    await report("second", 0, { answered: [], told: [["listSurveys", "2xx", 2]] });
    vi.setSystemTime(START + 60_000);
    await runDurableObjectAlarm(gateOf(key.id));
    await evictDurableObject(gateOf(key.id));
    expect((await seenOf(key.id)).operations).toEqual({ listSurveys: [2, 0, 0, 0] });
  });

  it("of the hour before are told also when D1 has taken that hour", async () => {
    freeze(START);
    const key = await addApiKey();
    const isolates = [createIsolate(), createIsolate()];
    for (const isolate of isolates) await send(isolate, key.text, {}, "/tenant/surveys");
    vi.setSystemTime(START + HOUR);
    for (const [index, isolate] of isolates.entries()) {
      await whoami(isolate, key.text);
      expect((await seenOf(key.id)).operations).toEqual({ listSurveys: [index + 1, 0, 0, 1 - index] });
    }
  });

  it("of a lease come with its report, without another call", async () => {
    freeze(START);
    const { env: counted, counts } = countStores(env);
    const tenant = await createTenant({}, createIsolate(counted));
    await use(tenant.isolate, tenant.text, 30, 50);
    Object.assign(counts, { gate: 0 });
    const missing = `/tenant/surveys/${newId()}`;
    const statuses = [];
    for (let each = 0; each < 4; each++) statuses.push((await tenant.send("GET", missing)).status);
    expect([statuses, counts.gate]).toEqual([[403, 403, 403, 403], 0]);
    await tenant.isolate.elapse();
    expect((await seenOf(tenant.id)).operations).toEqual({ whoami: [30, 0, 0, 0], getSurvey: [0, 4, 0, 0] });
  });

  it("that isolates of the release before do not tell are missing, and their counts are exact", async () => {
    freeze(START);
    const key = await addApiKey();
    await gateOf(key.id).admit(key.secretHash, 3, null, { perSecond: 0 });
    expect(await seenOf(key.id)).toMatchObject({
      operations: {},
      used: undefined,
      counts: { admitted: 1, limited: 3 },
    });
  });

  it("are at most 64 numbers in an hour", async () => {
    freeze(START);
    const key = await addApiKey();
    const answered = Array.from({ length: 90 }, (_, each) => [`operation${each}`, "2xx", 1] as const);
    await gateOf(key.id).report(key.secretHash, {
      limited: 0,
      lease: { id: "a lease", used: 90 },
      sightings: { answered, told: [] },
    });
    const { operations, counts } = await seenOf(key.id);
    expect(Object.keys(operations)).toHaveLength(61);
    expect(operations.other).toEqual([30, 0, 0, 0]);
    expect(counts).toEqual({ admitted: 90, limited: 0 });
  });
});
