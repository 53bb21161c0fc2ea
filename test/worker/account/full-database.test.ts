/** While D1 takes no writes, as when a database is full: reading goes on, and a revoked key is refused although nothing is stored. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { bindingsOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { gateOf } from "../../support/gate.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";
import { addApiKey } from "../../support/world.ts";

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;
const refusal = () => Promise.reject(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"));

/** A database that answers reads and refuses every write, as D1 does when it is full. */
function refuseWritesOf<D extends D1Database | D1DatabaseSession>(database: D): D {
  const refused = new WeakSet<object>();
  const refusing = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy: D1PreparedStatement = new Proxy(statement, {
      get: (target, property) =>
        property === "bind" ? (...values: unknown[]) => refusing(target.bind(...values)) : refusal,
    });
    refused.add(proxy);
    return proxy;
  };
  return new Proxy(database, {
    get(target, property) {
      if (property === "prepare")
        return (sql: string) => (WRITES.test(sql) ? refusing(target.prepare(sql)) : target.prepare(sql));
      if (property === "batch")
        return (statements: D1PreparedStatement[]) =>
          statements.some((statement) => refused.has(statement)) ? refusal() : target.batch(statements);
      if (property === "withSession" && "withSession" in target)
        return (constraint?: string) => refuseWritesOf(target.withSession(constraint));
      const value: unknown = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), property)?.value;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const refuseWrites = <E extends { readonly DB: D1Database }>(env: E): E => ({
  ...env,
  ...Object.fromEntries(bindingsOf(env).map(([binding, database]) => [binding, refuseWritesOf(database)])),
});

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

/** An owner with a key, before the database was full and since. */
async function createBoth(digit: "0" | "1" = "0") {
  const before = createOwner(undefined, env, digit);
  const { apiKey, key } = await before.create("Import");
  return { before, now: createOwner(before.email, refuseWrites(env), digit), apiKey, key };
}

it.each(["0", "1"] as const)("an owner reads everything, in database %s", { tags: "slow" }, async (digit) => {
  const { now } = await createBoth(digit);
  for (const path of ["/keys", "/webhooks", "/members", "/activity", "/accounts"])
    expect([path, (await now.json("GET", path)).status]).toEqual([path, 200]);
  for (const path of [
    "/api-keys",
    "/idea-banks",
    "/ideas?visibility=pending",
    "/people",
    "/webhooks",
    "/members",
    "/activity",
  ])
    expect([path, (await now.page(path)).status]).toEqual([path, 200]);
});

it("a board's Embed page hands out a token that works, although it cannot be stored; renewing says that it cannot", async () => {
  const { owner, bank } = await createDesk();
  await owner.page("");
  const full = createOwner(owner.email, refuseWrites(env));
  const page = await full.page(`${bank}/embed`);
  const [token = ""] = (await page.text()).match(/ibv_\w+/) ?? [];
  expect(page.status).toBe(200);
  expect((await owner.isolate.request("/ideabank/proposals", { headers: { Authorization: token } })).status).toBe(200);
  expect((await full.submit(`${bank}/embed`, {})).status).toBe(503);
});

it("a revoked key is refused everywhere, and the answer says what holds and what is not stored", {
  tags: "slow",
}, async () => {
  const { before, now, apiKey, key } = await createBoth();
  expect(await before.whoami(key)).toBe(200);
  const answer = await now.json("DELETE", `/keys/${apiKey.id}`);
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "60"]);
  expect(await answer.json()).toMatchObject({
    error: "service-unavailable",
    detail: expect.stringMatching(
      /^The key is refused from now on\. .* the revocation is not stored: .* Revoke it again later\.$/,
    ),
  });
  for (let times = 0; times < 2; times++) expect(await before.whoami(key)).toBe(401);
  expect((await now.keys())[0]?.state).toBe("active");
  const page = await now.submit(`/api-keys/${apiKey.id}/revoke`, {});
  expect([page.status, (await page.text()).includes("The key is refused from now on.")]).toEqual([503, true]);
});

it("a key that was refused so stays refused when its Durable Object starts again, and once it can be written is revoked", {
  tags: "slow",
}, async () => {
  const { before, now, apiKey, key } = await createBoth();
  await now.json("DELETE", `/keys/${apiKey.id}`);
  const gate = env.API_KEY_GATE.get(env.API_KEY_GATE.idFromName(apiKey.id));
  await runInDurableObject(gate, (_, state) => state.abort("a crash")).catch(() => {});
  expect(await before.whoami(key)).toBe(401);
  expect((await before.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
  expect((await before.keys())[0]?.state).toBe("revoked");
  expect(await before.whoami(key)).toBe(401);
});

it("a key in busy use is refused so by an isolate that holds a lease, also when that asks for the next one meanwhile", {
  tags: "slow",
}, async () => {
  env.LEASE_SECONDS = "1";
  const owner = createOwner(undefined, env, "0");
  const { apiKey, key } = await owner.create("Busy", { limit: 10_000, windowSeconds: 60 });
  const full = createOwner(owner.email, refuseWrites(env), "0");
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  const status = async () => (await isolate.request("/tenant/whoami", { headers: { "X-API-Key": key } })).status;
  for (let calls = -1; calls !== counts.gate; ) {
    calls = counts.gate;
    expect(await status()).toBe(200);
  }
  const answered = vi.fn();
  const revocation = full.json("DELETE", `/keys/${apiKey.id}`).finally(answered);
  while (answered.mock.calls.length === 0) {
    await status();
    await scheduler.wait(0);
  }
  expect((await revocation).status).toBe(503);
  expect(await status()).toBe(401);
});

it("a Durable Object that refuses its key so grants no lease, whoever asks and however it is asked", async () => {
  env.LEASE_SECONDS = "1";
  const key = await addApiKey({ limit: 10_000 });
  const gate = gateOf(key.id);
  const grants = async () => {
    const admission = await gate.admit(key.secretHash, null, { perSecond: 50 });
    const next = await gate.report(key.secretHash, undefined, 50);
    return [admission.outcome, next?.lease !== undefined];
  };
  expect(await grants()).toEqual(["admitted", true]);
  await gate.block();
  expect(await grants()).toEqual(["refused", false]);
  // The key's row, which is read anew, says that it is active.
  await gate.forget();
  expect(await grants()).toEqual(["refused", false]);
  await evictDurableObject(gate);
  expect(await grants()).toEqual(["refused", false]);
  await runDurableObjectAlarm(gate);
  await evictDurableObject(gate);
  expect(await grants()).toEqual(["refused", false]);
});

it("nobody revokes another owner's key so", async () => {
  const { before, apiKey, key } = await createBoth();
  const other = createOwner(undefined, env, "0");
  await other.create();
  const { status } = await createOwner(other.email, refuseWrites(env), "0").json("DELETE", `/keys/${apiKey.id}`);
  expect([status, await before.whoami(key)]).toEqual([404, 200]);
});

it("when the Durable Object does not answer either, the answer says that the key still works", async () => {
  const { before, apiKey, key } = await createBoth();
  const down = createOwner(before.email, failStores(refuseWrites(env), "gate"), "0");
  const answer = await down.json("DELETE", `/keys/${apiKey.id}`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining("The key was not revoked, and still works"),
  });
  expect(await before.whoami(key)).toBe(200);
});

it("when D1 answers nothing, nothing is known of the key's owner, and nothing is done", async () => {
  const { before, apiKey, key } = await createBoth();
  const down = createOwner(before.email, failStores(env, "d1"), "0");
  expect((await down.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(503);
  expect(await before.whoami(key)).toBe(200);
});
