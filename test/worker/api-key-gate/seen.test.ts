/** Who uses a key: what isolates see and gates keep of its last requests. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { KeyUse } from "../../../src/worker/api-key-gate/key-use.ts";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { gateOf } from "../../support/gate.ts";
import { countStores } from "../../support/intercept.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { HOUR, START, seenOf, send, update } from "../../support/seen.ts";
import { use } from "../../support/use-of-key.ts";
import { addApiKey } from "../../support/world.ts";

describe("the last use", () => {
  it("is when, from which network and country, with what, and what for", async () => {
    freeze(START);
    const [key, isolate] = [await addApiKey(), createIsolate()];
    await send(isolate, key.text, { address: "198.51.100.1", userAgent: "first", country: "FR" });
    vi.setSystemTime(START + 1_000);
    const sender = { address: "2001:db8:12:3456::1", userAgent: "crm-sync/2.1", country: "DE" };
    await send(isolate, key.text, sender, "/tenant/surveys");
    const { used, refused, previous, operations, lastUsedAt } = await seenOf(key.id);
    expect(used).toEqual({
      at: START + 1_000,
      network: "2001:db8:12::/48",
      country: "DE",
      userAgent: "crm-sync/2.1",
      operation: "listSurveys",
    });
    expect([refused, previous, lastUsedAt]).toEqual([undefined, undefined, START + 1_000]);
    expect(operations).toEqual({ whoami: 1, listSurveys: 1 });
  });

  it("of a key in busy use is that of its last request, though its gate was not asked", { tags: "slow" }, async () => {
    freeze(START);
    const [key, isolate] = [await addApiKey({ limit: 10_000 }), createIsolate()];
    await use(isolate, key.text, 100, 50);
    await send(isolate, key.text, { address: "203.0.113.7", userAgent: "the last" });
    const at = Date.now();
    await isolate.elapse();
    const { used, operations, counts } = await seenOf(key.id);
    expect(used).toEqual({ at, network: "203.0.113.0/24", userAgent: "the last", operation: "whoami" });
    expect(counts).toEqual({ admitted: 101, limited: 0 });
    expect(operations).toEqual({ whoami: 101 });
  });

  it("is the later one of two isolates, whichever reports first, and counts are those of both", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const key = await addApiKey({ limit: 10_000 });
    const [one, two] = [createIsolate(), createIsolate()];
    await use(one, key.text, 100, 50);
    await use(two, key.text, 100, 50);
    await send(one, key.text, { userAgent: "one" });
    vi.setSystemTime(Date.now() + 10);
    await send(two, key.text, { userAgent: "two" });
    await two.elapse();
    await one.elapse();
    const { used, operations, counts } = await seenOf(key.id);
    expect(used.userAgent).toBe("two");
    expect(counts).toEqual({ admitted: 202, limited: 0 });
    expect(operations).toEqual({ whoami: 202 });
  });

  it("is not dated after now by an isolate whose clock is ahead", { tags: "slow" }, async () => {
    freeze(START);
    const key = await addApiKey();
    const seen = { at: START + HOUR, network: null, country: null, userAgent: "ahead", operation: "whoami" };
    await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen });
    expect((await seenOf(key.id)).used).toMatchObject({ at: START, userAgent: "ahead" });
  });

  it("of the secret before the last rotation is kept by itself", async () => {
    freeze(START);
    const [key, other] = [await addApiKey(), await addApiKey()];
    await update(
      key.id,
      `previous_secret_hash = '${other.secretHash}', previous_expires_at = ${START + HOUR}, rotated_at = ${START - 1}`,
    );
    const seen = { at: START, network: null, country: null, userAgent: "old", operation: "whoami" };
    await gateOf(key.id).admit(other.secretHash, null, { perSecond: 0, seen });
    const now = { ...seen, at: START + 5, userAgent: "new" };
    vi.setSystemTime(START + 5);
    await gateOf(key.id).admit(key.secretHash, null, { perSecond: 0, seen: now });
    expect(await seenOf(key.id)).toMatchObject({ used: { userAgent: "new" }, previous: { userAgent: "old" } });
    vi.setSystemTime(START + 2 * HOUR);
    const later = { ...seen, at: START + 2 * HOUR, userAgent: "still" };
    await gateOf(key.id).admit(other.secretHash, null, { perSecond: 0, seen: later });
    expect(await seenOf(key.id)).toMatchObject({
      used: { userAgent: "new" },
      previous: { userAgent: "old" },
      refused: { userAgent: "still", reason: "wrong-secret" },
    });
  });

  it("of that secret is kept when another change of the key is told to its gate", async () => {
    freeze(START);
    const [key, other] = [await addApiKey({ limit: 10_000 }), await addApiKey()];
    await update(
      key.id,
      `previous_secret_hash = '${other.secretHash}', previous_expires_at = ${START + HOUR}, rotated_at = ${START - 1}`,
    );
    const gate = gateOf(key.id);
    await gate.admit(key.secretHash);
    const used = { at: START, network: null, country: null, userAgent: "reported", operation: "whoami" };
    await gate.forget({ [other.secretHash]: { limited: 0, admitted: 1, operations: {}, used, leases: [] } });
    expect((await seenOf(key.id)).previous).toMatchObject({ userAgent: "reported" });
  });
});

describe("a refusal is no use", () => {
  it("over the limit, by the gate and by an isolate", async () => {
    freeze(START);
    const [key, isolate] = [await addApiKey({ limit: 2 }), createIsolate()];
    for (let each = 0; each < 2; each++) await send(isolate, key.text, { userAgent: "admitted" });
    vi.setSystemTime(START + 1_000);
    for (let each = 0; each < 5; each++) expect((await send(isolate, key.text, { userAgent: "no" })).status).toBe(429);
    vi.setSystemTime(START + 1_001);
    await send(isolate, key.text, { address: "203.0.113.7", userAgent: "last" });
    await isolate.elapse();
    const seen = await seenOf(key.id);
    expect(seen).toMatchObject({
      used: { at: START, userAgent: "admitted" },
      refused: { at: START + 1_001, network: "203.0.113.0/24", userAgent: "last", reason: "limited" },
      lastUsedAt: START,
      counts: { admitted: 2, limited: 6 },
      operations: { whoami: 2 },
    });
  });

  it("with a forged second half of a known key: nothing is kept, and no store is called", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const { env: counted, counts } = countStores(env);
    const [key, isolate] = [await addApiKey(), createIsolate(counted)];
    await send(isolate, key.text, { userAgent: "owner" });
    Object.assign(counts, { gate: 0, d1: 0 });
    const forged = `${key.text.slice(0, 30)}${[...key.text.slice(30)].toReversed().join("")}`;
    expect((await send(isolate, forged, { userAgent: "forger" })).status).toBe(401);
    expect(counts).toMatchObject({ gate: 0, d1: 0 });
    expect(await seenOf(key.id)).toMatchObject({
      used: { userAgent: "owner" },
      refused: undefined,
      operations: { whoami: 1 },
    });
  });

  it("of a paused key, which has no other use: one in an hour is stored, and is kept as long as counts", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const [key, isolate] = [await addApiKey(), createIsolate()];
    await update(key.id, `paused_at = ${START}`);
    const statuses = [];
    for (let each = 0; each < 5; each++) {
      vi.setSystemTime(START + each * 2_000);
      statuses.push((await send(isolate, key.text, { userAgent: `agent ${each}` })).status);
      const alarm = await runInDurableObject(gateOf(key.id), (_, { storage }) => storage.getAlarm());
      expect(alarm === null).toBe(each > 0);
      if (each === 0) await runDurableObjectAlarm(gateOf(key.id));
    }
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await seenOf(key.id)).toEqual({
      used: undefined,
      previous: undefined,
      refused: { at: START, userAgent: "agent 0", operation: "whoami", reason: "paused" },
      operations: {},
      counts: { admitted: 0, limited: 0 },
      lastUsedAt: null,
    });
    await databaseOf(key.id).prepare("DELETE FROM api_key_usage WHERE api_key_id = ?1").bind(key.id).run();
    expect((await seenOf(key.id)).refused).toBeUndefined();
  });

  it("from another address while a lease is held: it comes with the lease's report", { tags: "slow" }, async () => {
    freeze(START);
    const { env: counted, counts } = countStores(env);
    const [key, isolate] = [await addApiKey({ limit: 10_000 }), createIsolate(counted)];
    await update(key.id, `allowed_addresses = '["203.0.113.0/24"]'`);
    for (let each = 0; each < 60; each++) {
      expect((await send(isolate, key.text, { address: "203.0.113.7", userAgent: "allowed" })).status).toBe(200);
      vi.setSystemTime(Date.now() + 20);
    }
    Object.assign(counts, { gate: 0 });
    const refused = await send(isolate, key.text, { address: "198.51.100.9", userAgent: "elsewhere" });
    expect([refused.status, counts.gate]).toEqual([403, 0]);
    await isolate.elapse();
    expect(await seenOf(key.id)).toMatchObject({
      used: { userAgent: "allowed", network: "203.0.113.0/24" },
      refused: { userAgent: "elsewhere", network: "198.51.100.0/24", reason: "address" },
      operations: { whoami: 60 },
    });
  });
});

it("what was seen alone writes nothing: it waits for what is written anyway", { tags: "slow" }, async () => {
  freeze(START);
  const key = await addApiKey();
  const gate = gateOf(key.id);
  await gate.admit(key.secretHash);
  // Until all is stored that was counted.
  while (await runDurableObjectAlarm(gate)) vi.setSystemTime(Date.now() + 60_000);
  const used = { at: START, network: null, country: null, userAgent: null, operation: "whoami" };
  await gate.report(key.secretHash, { limited: 0, admitted: 0, operations: {}, used, leases: [] });
  expect(await runDurableObjectAlarm(gate)).toBe(false);
});

it("what was seen while a report is under way waits for the next: it makes no call", () => {
  const use = new KeyUse("hash");
  const sent = new Request("https://api.example/tenant/whoami");
  const decide = (now: number) => use.decide({ now, address: null, operation: "whoami", sent });
  const answer = (id: string): Admission => ({
    outcome: "admitted",
    tenant: { accountId: "a", accountSuspended: false, scopes: [], allowedAddresses: null },
    rateLimit: { limit: 100, windowMs: 60_000 },
    lease: { id, admissions: 2, forMs: 1_000 },
  });
  const [first, second] = [use.ask(START), use.ask(START)];
  const [one, two] = [use.receive(first, answer("one"), START), use.receive(second, answer("two"), START)];
  if (one === undefined || two === undefined) throw new Error("no lease");
  for (let each = 0; each < 2; each++) expect(decide(START)?.outcome).toBe("admitted");
  use.end(one);
  expect(use.takeReport()?.operations).toEqual({ whoami: 2 });
  expect(decide(START)?.outcome).toBe("admitted");
  expect(use.takeReport()).toBeUndefined();
  use.end(two);
  expect(use.takeReport()).toMatchObject({ leases: [{ used: 1 }], operations: { whoami: 1 } });
});

it("a key that is only refused writes five rows in an hour, however often it is refused", {
  tags: "slow",
}, async () => {
  freeze(START);
  const key = await addApiKey();
  await update(key.id, `paused_at = ${START}`);
  const gate = gateOf(key.id);
  let rows = 0;
  await runInDurableObject(gate, (instance, { storage }) => {
    const bindings = meterDatabases(env, (results) => {
      for (const { meta } of results) rows += meta.rows_written;
    });
    Object.assign(instance, { env: bindings });
    const [put, setAlarm] = [storage.kv.put.bind(storage.kv), storage.setAlarm.bind(storage)];
    storage.kv.put = (...entry) => {
      rows += 1;
      put(...entry);
    };
    storage.setAlarm = (time) => {
      rows += 1;
      return setAlarm(time);
    };
  });
  const seen = { at: START, network: null, country: null, userAgent: null, operation: "whoami" };
  for (let each = 0; each < 60; each++) {
    await gate.admit(key.secretHash, null, { perSecond: 0, seen });
    while (await runDurableObjectAlarm(gate)) vi.setSystemTime(Date.now() + 1_000);
    vi.setSystemTime(START + each * 59_000);
  }
  expect(rows).toBe(5);
});
