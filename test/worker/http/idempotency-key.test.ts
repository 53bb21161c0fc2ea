/** The rules of `Idempotency-Key` in the tenant API. Each operation that takes one is in idempotency-key.slow.test.ts. */

import { describe, expect, it } from "vitest";
import { clearExpired } from "../../../src/worker/database/idempotency.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { fillPath } from "../../support/operations.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

const KEY = { "Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

async function createScene(path: string) {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  return { ids, tenant, path: fillPath(path, ids) };
}

it("without a key a second DELETE is 403, and says that it may be gone already", async () => {
  const { tenant, path } = await createScene("/tenant/surveys/{surveyId}");
  expect((await tenant.send("DELETE", path)).status).toBe(204);
  const second = await tenant.send("DELETE", path);
  expect(second.status).toBe(403);
  expect((await second.json<{ detail: string }>()).detail).toContain("may be gone already");
});

describe("the key", () => {
  it("of a request that was refused can be used again", async () => {
    const { tenant, path } = await createScene("/tenant/surveys");
    expect((await tenant.send("POST", path, {}, KEY)).status).toBe(400);
    expect((await tenant.send("POST", path, { title: "T" }, KEY)).status).toBe(201);
  });

  it("is bound to its path too, not only to the body", async () => {
    const { tenant, path } = await createScene("/tenant/ideabanks/{ideaBankId}/tokens");
    const created = await tenant.send("POST", "/tenant/ideabanks", { name: "Another" });
    const other = `/tenant/ideabanks/${(await created.json<{ id: string }>()).id}/tokens`;
    expect((await tenant.send("POST", path, { externalId: "x" }, KEY)).status).toBe(201);
    expect((await tenant.send("POST", other, { externalId: "x" }, KEY)).status).toBe(422);
  });

  it("is bound to the query too: an erasure with what the person wrote is not taken for the deletion before it", {
    tags: "slow",
  }, async () => {
    const { ids, tenant, path } = await createScene("/tenant/panelists/{panelistId}");
    expect((await tenant.send("DELETE", path, undefined, KEY)).status).toBe(204);
    const erasure = await tenant.send("DELETE", `${path}?content=delete`, undefined, KEY);
    expect([erasure.status, (await erasure.json<{ error: string }>()).error]).toEqual([422, "idempotency-key-reused"]);
    const other = fillPath("/tenant/panelists/{panelistId}", await addOneOfEverything(ids.accountId));
    const again = { "Idempotency-Key": "erased" };
    for (const query of ["?content=delete", "?%63ontent=%64elete"]) {
      const answer = await tenant.send("DELETE", `${other}${query}`, undefined, again);
      expect([query, answer.status]).toEqual([query, 204]);
    }
    expect((await tenant.send("DELETE", other, undefined, again)).status).toBe(422);
  });

  it("is bound to the body as JSON, not to its bytes", async () => {
    const { tenant } = await createScene("/");
    const path = "/tenant/ideabanks";
    const first = await tenant.send("POST", path, '{"name":"N","status":"OPEN","changelogMaxEntries":10}', KEY);
    for (const same of [
      '{ "changelogMaxEntries": 1e1,\n "status": "OPEN", "name": "\\u004e" }',
      '{"name":"x","name":"N","status":"OPEN","changelogMaxEntries":10.0}',
    ]) {
      const again = await tenant.send("POST", path, same, KEY);
      expect([same, again.headers.get("Idempotency-Replayed")]).toEqual([same, "true"]);
      expect(await again.text()).toBe(await first.clone().text());
    }
    for (const other of [
      { name: "N", status: "OPEN", changelogMaxEntries: 11 },
      { name: "N", status: "OPEN" },
      { name: "n", status: "OPEN", changelogMaxEntries: 10 },
    ])
      expect([other, (await tenant.send("POST", path, other, KEY)).status]).toEqual([other, 422]);
  });

  it("that 1.0.0 has stored is known to a retry after the upgrade, and to no request with a query", async () => {
    const { ids, tenant, path } = await createScene("/tenant/panelists/{panelistId}");
    const store = async (key: string, request: string, outcome: string) => {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(request)));
      await databaseOf(ids.accountId)
        .prepare(
          "INSERT INTO idempotency_keys (account_id, key, request_hash, outcome, created_at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(ids.accountId, `tenant ${key}`, btoa(String.fromCharCode(...digest)), outcome, Date.now())
        .run();
    };
    const survey = '{"title": "T"}';
    await store("made", `POST /tenant/surveys\n${survey}`, JSON.stringify({ id: ids.surveyId, at: 1 }));
    const made = await tenant.send("POST", "/tenant/surveys", survey, { "Idempotency-Key": "made" });
    expect([made.status, made.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    await store("gone", `DELETE ${path}\n`, "null");
    const erasure = await tenant.send("DELETE", `${path}?content=delete`, undefined, { "Idempotency-Key": "gone" });
    expect(erasure.status).toBe(422);
    const gone = await tenant.send("DELETE", path, undefined, { "Idempotency-Key": "gone" });
    expect([gone.status, gone.headers.get("Idempotency-Replayed")]).toEqual([204, "true"]);
  });

  it("is the same quoted and unquoted", async () => {
    const { tenant } = await createScene("/");
    await tenant.send("POST", "/tenant/panelists", {}, { "Idempotency-Key": '"k-1"' });
    const bare = await tenant.send("POST", "/tenant/panelists", {}, { "Idempotency-Key": "k-1" });
    expect(bare.headers.get("Idempotency-Replayed")).toBe("true");
  });

  it.each(["", '""', "a b", "é", "x".repeat(256), '"open', '"a", "b"'])("%j is refused", async (value) => {
    const { tenant } = await createScene("/");
    const response = await tenant.send("POST", "/tenant/surveys", { title: "T" }, { "Idempotency-Key": value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: "Idempotency-Key" }] });
  });

  it("never makes D1 hold a token", async () => {
    const { tenant, path } = await createScene("/tenant/ideabanks/{ideaBankId}/tokens");
    const { token } = await (await tenant.send("POST", path, { externalId: "x" }, KEY)).json<{ token: string }>();
    expect(JSON.stringify(await dumpDatabases())).not.toContain(token.slice(-17));
  });

  it("costs the same however many expired keys are stored", async () => {
    const { tenant } = await createScene("/");
    await databaseOf(tenant.id)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO idempotency_keys SELECT ?1, 'old' || i, 'h', '{}', i FROM n`,
      )
      .bind(tenant.accountId)
      .run();
    const { accountId } = tenant;
    let rowsRead = 0;
    const metered = meterDatabase(databaseOf(tenant.id), (results) => {
      for (const { meta } of results) rowsRead += meta.rows_read;
    });
    await sessionOf(metered).run(clearExpired({ accountId }, { key: "k", requestHash: "h", now: Date.now() }));
    expect(rowsRead).toBeLessThan(10);
    expect(await databaseOf(tenant.id).prepare("SELECT count(*) AS n FROM idempotency_keys").first("n")).toBe(5_000);
  });
});
