/** Issuing and revoking compound tokens, seen from both sides. */

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { verifyToken } from "../../../src/worker/credentials/compound-token.ts";
import { freeze } from "../../support/clock.ts";
import { bindingOf, countRows, databaseOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";
import { signingKeys } from "../../support/world.ts";

type Issued = { token: string; panelistId: string; expiresAt: string };

async function createScene() {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  const tokens = `/tenant/ideabanks/${ids.ideaBankId}/tokens`;
  return {
    ...ids,
    tenant,
    tokens,
    issue: async (body: object) => (await tenant.send("POST", tokens, body)).json<Issued>(),
    read: async (token: string) =>
      (await tenant.isolate.request("/public/ideabank/changelog", { headers: { Authorization: token } })).status,
  };
}

describe("issuing a token", () => {
  it("by panelist id gives one that reads the idea bank, for 24 hours", async () => {
    const { issue, read, panelistId, ideaBankId } = await createScene();
    const issued = await issue({ panelistId });
    const expiresAt = Date.parse(issued.expiresAt);
    expect(issued).toEqual({
      token: expect.stringMatching(/^ibt_[0-9A-Za-z]{51}$/),
      panelistId,
      expiresAt: new Date(expiresAt).toISOString(),
    });
    const issuedAt = expiresAt / 1000 - 86_400;
    expect(Math.abs(issuedAt - Date.now() / 1000)).toBeLessThan(30);
    expect(await verifyToken(issued.token, signingKeys)).toEqual({
      ok: true,
      value: { ideaBankId, panelistId, issuedAt, expiresAt: expiresAt / 1000 },
    });
    expect(await read(issued.token)).toBe(200);
    freeze(expiresAt - 1);
    expect(await read(issued.token)).toBe(200);
    freeze(expiresAt);
    expect(await read(issued.token)).toBe(401);
  });

  it("by externalId creates the panelist once, even for many requests at the same time", { tags: "slow" }, async () => {
    const { issue, read, tenant } = await createScene();
    const issued = await Promise.all(Array.from({ length: 8 }, () => issue({ externalId: "customer-42" })));
    expect(new Set(issued.map(({ panelistId }) => panelistId)).size).toBe(1);
    for (const { token } of issued) expect(await read(token)).toBe(200);
    const found = await tenant.send("GET", "/tenant/panelists?externalId=customer-42");
    expect((await found.json<{ items: unknown[] }>()).items).toHaveLength(1);
  });

  it("accepts a lifetime from a minute to 90 days", async () => {
    const { issue, panelistId } = await createScene();
    for (const lifetimeSeconds of [60, 7_776_000]) {
      const { expiresAt } = await issue({ panelistId, lifetimeSeconds });
      const seconds = (Date.parse(expiresAt) - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(lifetimeSeconds - 30);
      expect(seconds).toBeLessThanOrEqual(lifetimeSeconds);
    }
  });

  it("for an inactive panelist is 409, and writes nothing", { tags: "slow" }, async () => {
    const { tenant, tokens } = await createScene();
    const created = await tenant.send("POST", "/tenant/panelists", { active: false, externalId: "customer-42" });
    const { id: panelistId } = await created.json<{ id: string }>();
    const before = await dumpDatabases();
    for (const named of [{ panelistId }, { externalId: "customer-42" }]) {
      for (const headers of [{}, { "Idempotency-Key": "k" }]) {
        const response = await tenant.send("POST", tokens, { ...named, displayName: "Robin" }, headers);
        expect(response.status).toBe(409);
      }
    }
    expect(await dumpDatabases()).toEqual(before);
  });

  it("for another tenant's panelist is 403", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    expect((await mine.tenant.send("POST", mine.tokens, { panelistId: theirs.panelistId })).status).toBe(403);
  });
});

describe("that a token was issued", () => {
  it("is noted once, by one written row", async () => {
    const { accountId, tokens } = await createScene();
    let written = 0;
    const database = meterDatabase(databaseOf(accountId), (results) => {
      for (const { meta } of results) written += meta.rows_written;
    });
    const tenant = await createTenant({ accountId }, createIsolate({ ...env, [bindingOf(accountId)]: database }));
    const { id: panelistId } = await (await tenant.send("POST", "/tenant/panelists", {})).json<{ id: string }>();
    const rows = [];
    for (let times = 0; times < 3; times++) {
      written = 0;
      expect((await tenant.send("POST", tokens, { panelistId })).status).toBe(201);
      rows.push(written);
    }
    expect(rows).toEqual([1, 0, 0]);
  });

  it("decides whether a deleted panelist leaves a revocation: one without tokens leaves none, however old it is", {
    tags: "slow",
  }, async () => {
    const { accountId, tenant, tokens, issue, read } = await createScene();
    const storedBytes = () =>
      databaseOf(accountId)
        .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
        .bind(accountId)
        .first<number>("stored_bytes");
    const create = async () => (await (await tenant.send("POST", "/tenant/panelists", {})).json<{ id: string }>()).id;
    const remove = (id: string) => tenant.send("DELETE", `/tenant/panelists/${id}`);
    const before = (await storedBytes()) ?? 0;
    for (let times = 0; times < 3; times++) await remove(await create());
    expect([await countRows("token_revocations"), await storedBytes()]).toEqual([0, before]);

    const [byId, old] = [await create(), await create()];
    const named = await issue({ externalId: "customer-42" });
    const issued = [named, await issue({ panelistId: byId })];
    await databaseOf(old)
      .prepare("UPDATE panelists SET created_at = created_at - 3601000 WHERE id = ?1")
      .bind(old)
      .run();
    // A revocation of a panelist who exists is not counted, and is replaced when the panelist is deleted.
    await tenant.send("DELETE", `/tenant/panelists/${byId}/tokens`);
    for (const id of [named.panelistId, byId, old]) expect((await remove(id)).status).toBe(204);
    expect([await countRows("token_revocations"), await storedBytes()]).toEqual([2, before + 200]);
    for (const { token } of issued) {
      expect(await read(token)).toBe(401);
      const elsewhere = await createIsolate().request("/public/ideabank/changelog", {
        headers: { Authorization: token },
      });
      expect(elsewhere.status).toBe(401);
    }
    expect((await tenant.send("POST", tokens, { panelistId: old })).status).toBe(403);
  });
});

describe("a token becomes invalid at once, in this isolate,", () => {
  it("when all of its panelist's tokens are revoked; one issued afterwards works, even in the same second", async () => {
    const { issue, read, tenant, panelistId } = await createScene();
    const { token } = await issue({ panelistId });
    expect(await read(token)).toBe(200);
    expect((await tenant.send("DELETE", `/tenant/panelists/${panelistId}/tokens`)).status).toBe(204);
    expect(await read(token)).toBe(401);
    const again = await issue({ panelistId });
    expect(await read(again.token)).toBe(200);
    expect(await read(token)).toBe(401);
  });

  it("when tokens are revoked, issued and revoked again within one second", async () => {
    const { issue, read, tenant, panelistId } = await createScene();
    const revoke = () => tenant.send("DELETE", `/tenant/panelists/${panelistId}/tokens`);
    await revoke();
    const { token } = await issue({ panelistId });
    await revoke();
    expect(await read(token)).toBe(401);
  });

  it("however often tokens are revoked: the time of a revocation stays with D1's clock", { tags: "slow" }, async () => {
    const { tenant, panelistId } = await createScene();
    for (let times = 0; times < 30; times++) await tenant.send("DELETE", `/tenant/panelists/${panelistId}/tokens`);
    const ahead = "SELECT max(tokens_revoked_at) - unixepoch() * 1000 AS ahead FROM panelists";
    expect(await databaseOf(panelistId).prepare(ahead).first("ahead")).toBeLessThanOrEqual(1_000);
  });

  it("and none is issued that a revocation of this second ends: 409, and Retry-After", async () => {
    const { tenant, tokens, panelistId } = await createScene();
    await databaseOf(panelistId).prepare("UPDATE panelists SET tokens_revoked_at = (unixepoch() + 60) * 1000").run();
    const before = await dumpDatabases();
    for (const headers of [{}, { "Idempotency-Key": "k" }]) {
      const response = await tenant.send("POST", tokens, { panelistId, displayName: "Robin" }, headers);
      expect([response.status, response.headers.get("Retry-After")]).toEqual([409, "1"]);
    }
    expect(await dumpDatabases()).toEqual(before);
    await databaseOf(panelistId).prepare("UPDATE panelists SET tokens_revoked_at = (unixepoch() - 60) * 1000").run();
    expect((await tenant.send("POST", tokens, { panelistId }, { "Idempotency-Key": "k" })).status).toBe(201);
  });

  it("when its panelist is deactivated, and stays invalid after reactivation: a new token works", async () => {
    const { issue, read, tenant, panelistId } = await createScene();
    const { token } = await issue({ panelistId });
    expect(await read(token)).toBe(200);
    await tenant.send("PATCH", `/tenant/panelists/${panelistId}`, { active: false });
    expect(await read(token)).toBe(401);
    await tenant.send("PATCH", `/tenant/panelists/${panelistId}`, { active: true });
    expect(await read(token)).toBe(401);
    expect(await read((await issue({ panelistId })).token)).toBe(200);
  });

  it("when its panelist is deleted", async () => {
    const { issue, read, tenant, panelistId } = await createScene();
    const { token } = await issue({ panelistId });
    expect(await read(token)).toBe(200);
    await tenant.send("DELETE", `/tenant/panelists/${panelistId}`);
    expect(await read(token)).toBe(401);
  });

  it("when the answer to its panelist's deletion was lost, and it is sent again", async () => {
    const { issue, read, tenant, panelistId } = await createScene();
    const { token } = await issue({ panelistId });
    expect(await read(token)).toBe(200);
    await databaseOf(panelistId).prepare("UPDATE panelists SET deleted_at = 1, active = 0").run();
    expect((await tenant.send("DELETE", `/tenant/panelists/${panelistId}`)).status).toBe(403);
    expect(await read(token)).toBe(401);
  });

  it("and its idea bank's deletion turns it into 404", async () => {
    const { issue, read, tenant, panelistId, ideaBankId } = await createScene();
    const { token } = await issue({ panelistId });
    expect(await read(token)).toBe(200);
    await tenant.send("DELETE", `/tenant/ideabanks/${ideaBankId}`);
    expect(await read(token)).toBe(404);
  });
});
