/** `ETag` and `If-Match` of every operation that has a version, and of each field that a change can set. The rules are in versions.test.ts. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { takesIfMatch } from "../../../src/worker/http/operation.ts";
import { databaseOf } from "../../support/databases.ts";
import { dependsOnOthers, examplesOf, fieldsOf } from "../../support/fields.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, collectionOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createTenant } from "../../support/tenant.ts";
import { createMeanwhile, createScene, etagAt, STRONG } from "../../support/versions.ts";
import { addAccount } from "../../support/world.ts";

const versioned = operationsOf("apiKey").filter(({ operation }) => operation.version !== undefined);
const writes = versioned.filter(({ operation }) => takesIfMatch(operation));
const changes = versioned.filter(({ method }) => method === "PATCH");

afterEach(() => void vi.useRealTimers());

describe.each(changes)("$path", (each) => {
  const { path, operation } = each;
  const creation = operationsOf("apiKey").find((each) => each.method === "POST" && each.path === collectionOf(path));

  it("has the same ETag when it is created, read and changed to nothing, and another one after each change of a field", async () => {
    const { ids, send } = await createScene();
    const created = await send("POST", collectionOf(path), bodyOf(creation?.operation ?? operation, ids));
    const present = await created.json<{ id: string }>();
    const one = path.replace(/\{\w+\}$/, present.id);
    const etags = [created.headers.get("ETag")];
    expect(created.headers.get("Location")).toBe(fillPath(one, ids));
    if (operationsOf("apiKey").some((each) => each.method === "GET" && each.path === path)) {
      expect((await send("GET", one)).headers.get("ETag")).toBe(etags[0]);
      const same = await send("PATCH", one, {});
      expect(same.headers.get("ETag")).toBe(etags[0]);
    }
    for (const [name, value] of changeable(each, present)) {
      vi.setSystemTime(Date.now() + 1_000);
      const changed = await send("PATCH", one, { [name]: value });
      expect(changed.status, name).toBe(200);
      etags.push(changed.headers.get("ETag"));
    }
    expect(new Set(etags).size).toBe(etags.length);
    for (const etag of etags) expect(etag).toMatch(STRONG);
  });

  it("is changed by one of two writers with the same ETag, whichever field the other one has changed", async () => {
    const example = await createScene();
    const body = path.includes("{commentId}") ? { body: "A comment" } : {};
    const present = await (await example.send("PATCH", path, body)).json<Record<string, unknown>>();
    for (const [name, value] of changeable(each, present)) {
      const { isolate, meanwhile } = createMeanwhile();
      const { ids, tenant, send } = await createScene(isolate);
      const etag = await etagAt(send, path);
      const other = await createTenant({ accountId: ids.accountId });
      const outcome: number[] = [];
      meanwhile(async () => {
        const change = await other.send("PATCH", fillPath(path, ids), { [name]: value }, { "If-Match": etag });
        outcome.push(change.status);
      });
      const own = bodyOf(operation, ids);
      const response = await tenant.send("PATCH", fillPath(path, ids), own, { "If-Match": etag });
      expect([name, ...outcome, response.status]).toEqual([name, 200, 412]);
      expect(
        await (await send("PATCH", path, path.includes("{commentId}") ? { body: value } : {})).json(),
      ).toMatchObject({
        [name]: name === "response" ? expect.objectContaining(value as object) : value,
      });
    }
  });
});

/** For each field that a change can set, a value that the resource does not have. */
function changeable({ path, ...each }: (typeof changes)[number], present: Readonly<Record<string, unknown>>) {
  const fields = fieldsOf({ path, ...each });
  const [one, another] = [examplesOf(fields, 1), examplesOf(fields, 2)];
  return Object.keys(fields)
    .filter((name) => !(path.endsWith("{panelistId}") && name === "externalId") && !dependsOnOthers(path, name))
    .map(
      (name) =>
        [name, JSON.stringify(one[name]) === JSON.stringify(present[name]) ? another[name] : one[name]] as const,
    );
}

describe.each(writes)("$name", ({ method, path, operation, status }) => {
  const bodyFor = (ids: Record<string, string>) => bodyOf(operation, ids);

  it("is made with the present ETag, also in a list, as Cloudflare marks it, and with *", async () => {
    for (const write of [(etag: string) => etag, (etag: string) => `"other", W/${etag}`, () => "*"]) {
      const { ids, send } = await createScene();
      const etag = await etagAt(send, path);
      const response = await send(method, path, bodyFor(ids), { "If-Match": write(etag) });
      expect(response.status, write(etag)).toBe(status);
    }
  });

  it("is 412 with another one, and writes nothing, while another tenant's is 403", async () => {
    const { ids, tenant, send } = await createScene();
    const rows = () => dumpAccount(ids.accountId ?? "");
    const before = await rows();
    const response = await send(method, path, bodyFor(ids), { "If-Match": '"Fg23r3gbl+I2kog9ekqb7A"' });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ error: "precondition-failed", status: 412 });
    expect(await rows()).toEqual(before);
    const foreign = await createTenant({ accountId: await addAccount() }, tenant.isolate);
    for (const etag of ['"Fg23r3gbl+I2kog9ekqb7A"', "*", "no etag"])
      expect((await foreign.send(method, fillPath(path, ids), bodyFor(ids), { "If-Match": etag })).status).toBe(403);
  });

  it("is 400 with what is no ETag, and is one round trip without the header and two with it", async () => {
    const { env: counted, counts } = countStores(env);
    const { ids, send } = await createScene(createIsolate(counted));
    for (const header of ["", "abc", '"a" "b"', '"a",'])
      expect((await send(method, path, bodyFor(ids), { "If-Match": header })).status, header).toBe(400);
    const etag = await etagAt(send, path);
    Object.assign(counts, { d1: 0 });
    await send(method, path, bodyFor(ids), { "If-Match": '"other"' });
    expect(counts.d1).toBe(2);
    await send(method, path, bodyFor(ids), { "If-Match": "*" });
    expect(counts.d1).toBe(3);
    expect(etag).toMatch(STRONG);
  });
});

/** The rows that a change could have written, without what every request writes. */
async function dumpAccount(accountId: string) {
  const tables = ["surveys", "idea_banks", "proposals", "comments", "panelists", "change_log"];
  const results = await databaseOf(accountId).batch(
    tables.map((table) =>
      databaseOf(accountId).prepare(`SELECT * FROM ${table} WHERE account_id = ?1`).bind(accountId),
    ),
  );
  return results.map(({ results: rows }) => rows);
}
