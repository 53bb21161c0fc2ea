/** What a key is used for: how many requests were admitted, by operation. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { gateOf } from "../../support/gate.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { START, seenOf } from "../../support/seen.ts";
import { createTenant } from "../../support/tenant.ts";
import { use } from "../../support/use-of-key.ts";
import { addApiKey, newId } from "../../support/world.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

describe("counts by operation", () => {
  it("are of what was admitted, however it was answered; a refusal over the limit is in none", async () => {
    freeze(START);
    const tenant = await createTenant({ scopes: ["surveys:read", "ideabanks:read"], limit: 4 });
    expect((await tenant.send("GET", "/tenant/surveys")).status).toBe(200);
    expect((await tenant.send("GET", `/tenant/surveys/${newId()}`)).status).toBe(403);
    expect((await tenant.send("GET", "/tenant/surveys?limit=none")).status).toBe(400);
    expect((await tenant.send("POST", "/tenant/surveys", { title: "No scope" })).status).toBe(403);
    expect((await tenant.send("GET", "/tenant/surveys")).status).toBe(429);
    const { operations, counts, used } = await seenOf(tenant.id);
    expect(operations).toEqual({ listSurveys: 2, getSurvey: 1, createSurvey: 1 });
    expect(counts).toEqual({ admitted: 4, limited: 1 });
    expect(used.operation).toBe("createSurvey");
  });

  it("cost no call", { tags: "slow" }, async () => {
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

  it("of a lease come with its report, without another call", async () => {
    freeze(START);
    const { env: counted, counts } = countStores(env);
    const tenant = await createTenant({}, createIsolate(counted));
    await use(tenant.isolate, tenant.text, 30, 50);
    Object.assign(counts, { gate: 0 });
    for (let each = 0; each < 4; each++) await tenant.send("GET", `/tenant/surveys/${newId()}`);
    expect(counts.gate).toBe(0);
    await tenant.isolate.elapse();
    expect((await seenOf(tenant.id)).operations).toEqual({ whoami: 30, getSurvey: 4 });
  });

  it("of two reports, and of the gate itself, are added up", { tags: "slow" }, async () => {
    freeze(START);
    const key = await addApiKey();
    const report = { limited: 0, admitted: 2, operations: { listSurveys: 2 }, leases: [] };
    for (let each = 0; each < 2; each++) await gateOf(key.id).report(key.secretHash, report);
    const seen = { at: START, network: null, country: null, userAgent: null, operation: "listSurveys" };
    await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen });
    expect(await seenOf(key.id)).toMatchObject({
      operations: { listSurveys: 5 },
      counts: { admitted: 5, limited: 0 },
    });
  });
});
