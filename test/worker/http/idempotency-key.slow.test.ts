/** `Idempotency-Key` on every POST and DELETE of the tenant API that takes one. Its rules are in idempotency-key.test.ts. */

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { takesIdempotencyKey } from "../../../src/worker/http/operation.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

const taking = operationsOf("apiKey").filter(({ operation }) => takesIdempotencyKey(operation));
const posts = taking.filter(({ method }) => method === "POST");
const deletions = taking.filter(({ method }) => method === "DELETE");

const KEY = { "Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

/** The answers to writes are lost; those to reads arrive. */
const loseWrites = () =>
  interceptStores(env, async (kind, makeCall) => {
    const answer = await makeCall();
    if (kind === "d1" && JSON.stringify(answer).includes('"changed_db":true'))
      throw new Error("D1_ERROR: Network connection lost.");
    return answer;
  });

async function createScene(path: string) {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  return { ids, tenant, path: fillPath(path, ids) };
}

describe.each(posts)("$name", ({ name, operation, path: template }) => {
  const done = operation.answer === undefined ? 204 : 201;

  it("replays its first answer for the same key and body, and writes nothing again", async () => {
    const { ids, tenant, path } = await createScene(template);
    const first = await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    expect(first.status).toBe(done);
    expect(first.headers.get("Idempotency-Replayed")).toBeNull();
    const after = await dumpDatabases();
    freeze(Date.now() + 23 * 3_600_000);
    const second = await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    expect(second.status).toBe(done);
    expect(second.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await second.text()).toBe(await first.text());
    expect(await dumpDatabases()).toEqual(after);
  });

  it("runs once for requests at the same time", async () => {
    const { ids, tenant, path } = await createScene(template);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => tenant.send("POST", path, bodyOf(operation, ids), KEY)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(done));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has("Idempotency-Replayed"))).toHaveLength(5);
  });

  it("answers 422 to the same key with another body, and changes nothing", async () => {
    if (operation.body === undefined) return;
    const { ids, tenant, path } = await createScene(template);
    await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    const after = await dumpDatabases();
    const body = Object(bodyOf(operation, ids));
    const [[name, value] = ["", ""]] = Object.entries<string | number | object[]>(body).filter(
      ([field]) => field !== "ideaBankId",
    );
    const another = (was: typeof value) => {
      if (Array.isArray(was)) return [...was, ...was];
      return typeof was === "number" ? was + 1 : `${was}x`;
    };
    const changed = { ...body, [name]: another(value) };
    const other = await tenant.send("POST", path, changed, KEY);
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ error: "idempotency-key-reused" });
    expect(await dumpDatabases()).toEqual(after);
  });

  it("runs again after 24 hours", async () => {
    const { ids, tenant, path } = await createScene(template);
    await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    freeze(Date.now() + 24 * 3_600_000);
    const again = await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    expect(again.headers.get("Idempotency-Replayed")).toBeNull();
    // A panelist with that externalId exists since the first request.
    expect(again.status).toBe(name === "createPanelist" ? 409 : done);
  });

  it("does not share keys between tenants", async () => {
    const [one, other] = [await createScene(template), await createScene(template)];
    await one.tenant.send("POST", one.path, bodyOf(operation, one.ids), KEY);
    const answer = await other.tenant.send("POST", other.path, bodyOf(operation, other.ids), KEY);
    expect([answer.status, answer.headers.get("Idempotency-Replayed")]).toEqual([done, null]);
  });

  it("is the tenant's: another API key of the account gets the first answer, too", async () => {
    const { ids, tenant, path } = await createScene(template);
    const other = await createTenant({ accountId: ids.accountId });
    const first = await other.send("POST", path, bodyOf(operation, ids), KEY);
    const after = await dumpDatabases();
    const second = await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    expect([second.status, second.headers.get("Idempotency-Replayed")]).toEqual([done, "true"]);
    expect(await second.text()).toBe(await first.text());
    expect(await dumpDatabases()).toEqual(after);
  });

  it("can be retried when the first answer was lost, or the first try never arrived", async () => {
    const { ids, tenant, path } = await createScene(template);
    const lost = loseWrites();
    const type = operation.body && { "Content-Type": "application/json" };
    const init = { method: "POST", headers: { "X-API-Key": tenant.text, ...type, ...KEY } };
    const body = JSON.stringify(bodyOf(operation, ids)) ?? null;
    expect((await createIsolate(failStores(env, "d1")).request(path, { ...init, body })).status).toBe(503);
    expect((await createIsolate(lost).request(path, { ...init, body })).status).toBe(503);
    const before = await dumpDatabases();
    const retried = await tenant.send("POST", path, bodyOf(operation, ids), KEY);
    expect([retried.status, retried.headers.get("Idempotency-Replayed")]).toEqual([done, "true"]);
    expect(await dumpDatabases()).toEqual(before);
  });
});

describe.each(deletions)("$name", ({ path: template }) => {
  it("answers 204 again for the same key, with any key of the account, and does nothing again", async () => {
    const { ids, tenant, path } = await createScene(template);
    const other = await createTenant({ accountId: ids.accountId });
    expect((await tenant.send("DELETE", path, undefined, KEY)).status).toBe(204);
    const after = await dumpDatabases();
    for (const { send } of [tenant, other]) {
      const again = await send("DELETE", path, undefined, KEY);
      expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([204, "true"]);
    }
    expect(await dumpDatabases()).toEqual(after);
  });

  it("answers 204 to each of several at the same time", async () => {
    const { tenant, path } = await createScene(template);
    const sent = Array.from({ length: 4 }, () => tenant.send("DELETE", path, undefined, KEY));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  });

  it("can be retried when the first answer was lost", async () => {
    const { tenant, path } = await createScene(template);
    const lost = loseWrites();
    const headers = { "X-API-Key": tenant.text, ...KEY };
    expect((await createIsolate(lost).request(path, { method: "DELETE", headers })).status).toBe(503);
    expect((await tenant.send("DELETE", path, undefined, KEY)).status).toBe(204);
  });

  it("does nothing with a key that came with another request: 422", async () => {
    const { tenant, path } = await createScene(template);
    expect((await tenant.send("POST", "/tenant/surveys", { title: "T" }, KEY)).status).toBe(201);
    const after = await dumpDatabases();
    expect((await tenant.send("DELETE", path, undefined, KEY)).status).toBe(422);
    expect(await dumpDatabases()).toEqual(after);
  });

  it("works when the storage is full: then the key is not kept", async () => {
    const { ids, tenant, path } = await createScene(template);
    const database = databaseOf(ids.accountId);
    await database.prepare("UPDATE accounts SET max_bytes = 1 WHERE id = ?1").bind(ids.accountId).run();
    expect((await tenant.send("DELETE", path, undefined, KEY)).status).toBe(204);
    expect(await database.prepare("SELECT count(*) AS n FROM idempotency_keys").first("n")).toBe(0);
  });
});
