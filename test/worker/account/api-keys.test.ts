/** An owner's API keys: creating, renaming and revoking, as JSON. For the HTML pages see pages.test.ts. */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { recordUseAfterRevocation } from "../../../src/worker/database/activity/audit-events.ts";
import { freeze } from "../../support/clock.ts";
import { countRows, databaseOf, selectEverywhere, sessionOf } from "../../support/databases.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";
import { newId } from "../../support/world.ts";

const START = 1_900_000_000_000;

describe("creating a key", () => {
  it("returns the full key once, and the key works at once", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create("CRM import", { scopes: ["surveys:read"], limit: 5, windowSeconds: 10 });
    expect(key).toMatch(/^ibk_[0-9A-Za-z]{47}$/);
    expect(apiKey).toMatchObject({
      name: "CRM import",
      lastFour: key.slice(-4),
      state: "active",
      scopes: ["surveys:read"],
      limit: 5,
      windowSeconds: 10,
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(await owner.whoami(key)).toBe(200);
    const rows = await Promise.all(
      ["accounts", "api_keys", "audit_events"].map((table) => selectEverywhere(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(rows)).not.toContain(key.slice(16, 43));
    expect(JSON.stringify(await owner.keys())).not.toContain(key.slice(16, 43));
  });

  it("stops at the maximum of active keys, even when many are created at the same time", { tags: "slow" }, async () => {
    const owner = createOwner();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => owner.json("POST", "/keys", { name: `key ${index}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(46);
    for (const answer of refused) expect(await answer.json()).toMatchObject({ error: "api-key-limit-reached" });
    expect(await countRows("api_keys")).toBe(4);
    const events = await selectEverywhere(
      "SELECT event, count(*) AS n FROM audit_events GROUP BY event ORDER BY event",
    );
    expect(events).toEqual([
      { event: "created", n: 4 },
      { event: "refused", n: 1 },
    ]);
  });

  it("is possible again when a key is revoked or has expired", { tags: "slow" }, async () => {
    freeze(START);
    const owner = createOwner();
    const first = await owner.create("first");
    await owner.create("second", { expiresInDays: 1 });
    for (const name of ["third", "fourth"]) await owner.create(name);
    expect((await owner.json("POST", "/keys", { name: "fifth" })).status).toBe(409);
    await owner.json("DELETE", `/keys/${first.apiKey.id}`);
    expect((await owner.json("POST", "/keys", { name: "fifth" })).status).toBe(201);
    vi.setSystemTime(START + 86_400_000);
    expect((await owner.json("POST", "/keys", { name: "sixth" })).status).toBe(201);
    expect((await owner.keys()).filter(({ state }) => state === "active")).toHaveLength(4);
  });

  it("in the place of one that expires leaves four, also when a change of its end is on its way", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create("short", { expiresInDays: 1 });
    for (const name of ["second", "third", "fourth"]) await owner.create(name);
    vi.setSystemTime(START + 86_399_999);
    let calls = 0;
    // The first call asks what the member may do.
    const slow = interceptDatabases(env, () => async (_, makeCall) => {
      if (++calls !== 2) return makeCall();
      vi.setSystemTime(START + 86_400_000);
      expect((await owner.json("POST", "/keys", { name: "fifth" })).status).toBe(201);
      return makeCall();
    });
    const late = await createOwner(owner.email, slow).json("PATCH", `/keys/${apiKey.id}`, { expiresAt: null });
    expect(late.status).toBe(409);
    expect((await owner.keys()).filter(({ state }) => state === "active")).toHaveLength(4);
  });

  it("with an expiry makes a key that is refused from then on", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey, key } = await owner.create("short", { expiresInDays: 1 });
    expect(apiKey.expiresAt).toBe(new Date(START + 86_400_000).toISOString());
    expect(await owner.whoami(key)).toBe(200);
    vi.setSystemTime(START + 86_400_000);
    expect(await owner.whoami(key)).toBe(401);
    expect((await owner.keys())[0]?.state).toBe("expired");
  });

  it.each([
    [{}, ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: "N", scopes: [] }, ["scopes"]],
    [{ name: "N", scopes: ["surveys:read", "surveys:read"] }, ["scopes"]],
    [{ name: "N", scopes: ["everything"] }, ["scopes.0"]],
    [{ name: "N", limit: 0, windowSeconds: 3_601, expiresInDays: 0 }, ["limit", "windowSeconds", "expiresInDays"]],
    [{ name: "N", id: "x", accountId: "y" }, ["id", "accountId"]],
  ])("refuses %j, naming %j", async (body, paths) => {
    const owner = createOwner();
    const response = await owner.json("POST", "/keys", body);
    expect(response.status).toBe(400);
    const { errors } = await response.json<{ errors: { path: string }[] }>();
    expect(errors.map(({ path }) => path)).toEqual(paths);
    expect(await owner.keys()).toEqual([]);
  });
});

it("a body that breaks a thousand rules is answered with twenty of them", async () => {
  const owner = createOwner();
  const response = await owner.json(
    "POST",
    "/keys",
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [i, i])),
  );
  expect(response.status).toBe(400);
  expect((await response.json<{ errors: object[] }>()).errors).toHaveLength(20);
});

describe("revoking a key", () => {
  it("makes it invalid everywhere, from the owner's answer on", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const revoked = await owner.json("DELETE", `/keys/${apiKey.id}`);
    expect(await revoked.json()).toMatchObject({ id: apiKey.id, state: "revoked" });
    expect(await owner.whoami(key)).toBe(401);
  });

  it("twice is idempotent and records one event", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    const [once, again] = [
      await owner.json("DELETE", `/keys/${apiKey.id}`),
      await owner.json("DELETE", `/keys/${apiKey.id}`),
    ];
    expect(await again.json()).toEqual(await once.json());
    expect((await owner.events()).map(({ event }) => event)).toEqual(["revoked", "created"]);
  });

  it("reports that the gate did not answer, and can be retried until it does", { tags: "slow" }, async () => {
    const owner = createOwner("o@example.com");
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const failed = await cutOff.json("DELETE", `/keys/${apiKey.id}`);
    expect(failed.status).toBe(503);
    expect((await failed.json<{ detail: string }>()).detail).toContain("Revoke it again");
    expect((await owner.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
    expect(await owner.whoami(key)).toBe(401);
  });

  it("leaves it listed for 30 days", { tags: "slow" }, async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    vi.setSystemTime(START + 30 * 86_400_000 - 1);
    expect(await owner.keys()).toHaveLength(1);
    vi.setSystemTime(START + 30 * 86_400_000);
    expect(await owner.keys()).toHaveLength(0);
  });

  it("turns 429 into 401 at once, in the isolate that revoked", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create("flood", { limit: 1 });
    const whoami = async () =>
      (await owner.isolate.request("/tenant/whoami", { headers: { "X-API-Key": key } })).status;
    expect([await whoami(), await whoami(), await whoami()]).toEqual([200, 429, 429]);
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    expect(await whoami()).toBe(401);
  });
});

describe("an owner's change of a key", { tags: "slow" }, () => {
  it("never changes another owner's key", async () => {
    const [mine, theirs] = [createOwner(), createOwner()];
    const { apiKey, key } = await theirs.create("theirs");
    await mine.create("mine");
    const before = await selectEverywhere("SELECT * FROM api_keys ORDER BY id");
    for (const answer of [
      await mine.json("PATCH", `/keys/${apiKey.id}`, { name: "stolen" }),
      await mine.json("POST", `/keys/${apiKey.id}/rotate`, {}),
      await mine.json("DELETE", `/keys/${apiKey.id}`),
      await mine.json("DELETE", "/keys/000000000000"),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await selectEverywhere("SELECT * FROM api_keys ORDER BY id")).toEqual(before);
    expect(await theirs.whoami(key)).toBe(200);
    expect((await mine.keys()).map(({ name }) => name)).toEqual(["mine"]);
    expect((await mine.events()).map(({ apiKeyName }) => apiKeyName)).toEqual(["mine"]);
  });

  it("is in the audit trail with event, actor and address, newest first", async () => {
    freeze(START);
    const owner = createOwner("owner@example.com");
    const { apiKey } = await owner.create("First name");
    const step = (seconds: number) => vi.setSystemTime(START + seconds * 1000);
    step(1);
    await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "Second name" });
    step(2);
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, {});
    step(3);
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    const events = await owner.events();
    expect(events.map(({ event, apiKeyName }) => [event, apiKeyName])).toEqual([
      ["revoked", "Second name"],
      ["rotated", "Second name"],
      ["changed", "Second name"],
      ["created", "First name"],
    ]);
    expect(events[0]).toMatchObject({
      apiKeyId: apiKey.id,
      actor: "owner@example.com",
      address: "203.0.113.7",
      createdAt: new Date(START + 3_000).toISOString(),
    });
  });

  it("leaves a trace when a revoked key is used: once an hour, with the address", async () => {
    const hour = START - (START % 3_600_000);
    freeze(hour);
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    await owner.json("DELETE", `/keys/${apiKey.id}`);
    const use = () =>
      owner.isolate.request("/tenant/whoami", { headers: { "X-API-Key": key, "CF-Connecting-IP": "198.51.100.9" } });
    for (let times = 0; times < 3; times++) await use();
    const uses = async () => (await owner.events()).filter(({ event }) => event === "used-after-revocation");
    await expect.poll(uses).toHaveLength(1);
    // A gate that has forgotten, and the last millisecond of the hour: the database knows.
    vi.setSystemTime(hour + 3_599_999);
    await recordUseAfterRevocation(sessionOf(databaseOf(apiKey.id)), {
      apiKeyId: apiKey.id,
      eventId: newId(),
      address: "198.51.100.10",
      now: Date.now(),
    });
    expect(await uses()).toHaveLength(1);
    expect((await uses())[0]).toMatchObject({ actor: null, address: "198.51.100.9", apiKeyId: apiKey.id });
    // Another key of the account leaves its own.
    const second = await owner.create();
    await owner.json("DELETE", `/keys/${second.apiKey.id}`);
    await recordUseAfterRevocation(sessionOf(databaseOf(apiKey.id)), {
      apiKeyId: second.apiKey.id,
      eventId: newId(),
      address: null,
      now: Date.now(),
    });
    expect(await uses()).toHaveLength(2);
    vi.setSystemTime(hour + 3_600_000);
    await use();
    await expect.poll(uses).toHaveLength(3);
  });

  it("costs two D1 round trips, the first of which reads the role, and one call of the gate if the gate caches what changes", async () => {
    const { env: counted, counts } = countStores(env);
    const owner = createOwner("o@example.com", counted);
    const cost = async (method: string, path: string, body?: object) => {
      Object.assign(counts, { d1: 0, gate: 0 });
      const response = await owner.json(method, path, body);
      expect(response.ok).toBe(true);
      return [counts.d1, counts.gate];
    };
    // The first visit: the directory's database, the account's, which this isolate remembers, and what the member may do.
    expect(await cost("GET", "/keys")).toEqual([3, 0]);
    expect(await cost("GET", "/keys")).toEqual([2, 0]);
    const { apiKey } = await owner.create();
    expect(await cost("POST", "/keys", { name: "N" })).toEqual([2, 0]);
    expect(await cost("PATCH", `/keys/${apiKey.id}`, { name: "M" })).toEqual([2, 0]);
    expect(await cost("POST", `/keys/${apiKey.id}/rotate`, {})).toEqual([2, 1]);
    expect(await cost("DELETE", `/keys/${apiKey.id}`)).toEqual([2, 1]);
    expect(await cost("GET", "/activity")).toEqual([1, 0]);
  });
});

it("the usage chart shows the gate's hourly counts", async () => {
  freeze(START - (START % 3_600_000));
  const owner = createOwner();
  const { apiKey, key } = await owner.create("N", { limit: 2 });
  for (let times = 0; times < 3; times++) await owner.whoami(key);
  await runDurableObjectAlarm(env.API_KEY_GATE.getByName(apiKey.id));
  const [listed] = await owner.keys();
  expect(listed?.usage).toEqual([{ hour: new Date(Date.now()).toISOString(), admitted: 2, limited: 1 }]);
  expect(listed?.lastUsedAt).toBe(new Date(Date.now()).toISOString());
});
