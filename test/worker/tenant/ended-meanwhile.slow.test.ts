/** A request whose key ends while its body is on the way makes nothing: its statement decides, not its admission. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { slowBody } from "../../support/bodies.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

/** What is made, changed or ended, and the secret that is handed out. */
const OUTLIVING = operationsOf("apiKey").filter(
  ({ name, operation }) => operation.effect !== "reads" || name === "getSigningSecret",
);
const WITH_BODY = OUTLIVING.filter(({ operation }) => operation.body !== undefined);

const ENDS = {
  "is revoked": "UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1",
  "has expired": "UPDATE api_keys SET expires_at = ?2 WHERE id = ?1",
  "has another secret": "UPDATE api_keys SET secret_hash = 'another', rotated_at = ?2 WHERE id = ?1",
  "has an old secret whose grace is over":
    "UPDATE api_keys SET previous_secret_hash = secret_hash, secret_hash = 'another', previous_expires_at = ?2 WHERE id = ?1",
  "is deleted": "DELETE FROM api_keys WHERE id = ?1 AND created_at <= ?2",
} as const;
const REFUSALS = {
  "is paused": ["UPDATE api_keys SET paused_at = ?2 WHERE id = ?1", "paused"],
  "is suspended with its account": [
    "UPDATE accounts SET status = 'suspended' WHERE id = (SELECT account_id FROM api_keys WHERE id = ?1) AND ?2 > 0",
    "suspended",
  ],
  "is narrowed": [`UPDATE api_keys SET scopes = '["surveys:read"]' WHERE id = ?1 AND ?2 > 0`, undefined],
} as const;

async function createScene(isolate?: Isolate) {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId }, isolate);
  const change = (sql: string) => databaseOf(tenant.id).prepare(sql).bind(tenant.id, Date.now()).run();
  /** The key changes when the whole body but its end has come. */
  const sendSlowly = async (method: string, path: string, body: object, sql: string) => {
    const slow = slowBody(JSON.stringify(body));
    const headers = { "X-API-Key": tenant.text, "Content-Type": "application/json" };
    const answered = tenant.isolate.request(path, { method, headers, body: slow.readable });
    await slow.taken;
    await change(sql);
    const before = await dumpDatabases();
    slow.end();
    return { answer: await answered, before };
  };
  return { ids, tenant, change, sendSlowly };
}

describe("a request whose body comes after its key was revoked", () => {
  it.each(WITH_BODY)("is 401 and changes nothing: $name", async ({ operation, method, path }) => {
    const { ids, sendSlowly } = await createScene();
    const sent = await sendSlowly(method, fillPath(path, ids), bodyOf(operation, ids) ?? {}, ENDS["is revoked"]);
    expect([sent.answer.status, await sent.answer.json()]).toMatchObject([401, { reason: "revoked" }]);
    expect(await dumpDatabases()).toEqual(sent.before);
    expect(sent.answer.headers.get("RateLimit")).toBeNull();
  });

  it.each(Object.entries(ENDS))("is 401 where the key %s", async (_, sql) => {
    const { ids, sendSlowly } = await createScene();
    const body = { externalId: "somebody", lifetimeSeconds: 7_776_000 };
    const { answer, before } = await sendSlowly("POST", `/tenant/ideabanks/${ids.ideaBankId}/tokens`, body, sql);
    expect(answer.status).toBe(401);
    expect(await dumpDatabases()).toEqual(before);
  });

  it.each(Object.entries(REFUSALS))("is 403 where the key %s", async (_, [sql, reason]) => {
    const { ids, sendSlowly } = await createScene();
    const path = `/tenant/ideabanks/${ids.ideaBankId}/tokens`;
    const { answer, before } = await sendSlowly("POST", path, { visitor: true }, sql);
    expect([answer.status, (await answer.json<{ reason?: string }>()).reason]).toEqual([403, reason]);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is 401 for an agent, too", async () => {
    const { ids, sendSlowly } = await createScene();
    const call = (name: string, given: object) => ({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: given },
    });
    const token = call("issueToken", { ideaBankId: ids.ideaBankId, visitor: true });
    const { answer, before } = await sendSlowly("POST", "/mcp", token, ENDS["is revoked"]);
    expect(await answer.text()).toContain("unauthorized");
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is done where the key lives on with an old secret in its grace", async () => {
    const { ids, sendSlowly } = await createScene();
    const inGrace = ENDS["has an old secret whose grace is over"].replace("?2", "?2 + 60000");
    const path = `/tenant/ideabanks/${ids.ideaBankId}/tokens`;
    expect((await sendSlowly("POST", path, { visitor: true }, inGrace)).answer.status).toBe(201);
  });
});

/** D1 hears of the revocation before it is asked: the request was admitted a moment earlier, without a body. */
it.each(OUTLIVING)("a key that ends between its admission and the statement makes nothing: $name", async (each) => {
  const { operation, method, path } = each;
  const scene = await createScene();
  const send = () => scene.tenant.send(method, fillPath(path, scene.ids), bodyOf(operation, scene.ids));
  expect((await scene.tenant.send("GET", "/tenant/whoami")).status).toBe(200);
  // The gate still has the key's record, and a lease of it is out.
  await scene.change(ENDS["is revoked"]);
  const before = await dumpDatabases();
  expect((await send()).status).toBe(401);
  expect(await dumpDatabases()).toEqual(before);
});

it("costs no round trip, and no row is written for it where a token is issued", async () => {
  const costs: { trips: number; written: number }[] = [];
  let cost = { trips: 0, written: 0 };
  const isolate = createIsolate(
    meterDatabases(env, (results) => {
      cost.trips += 1;
      for (const { meta } of results) cost.written += meta.rows_written;
    }),
  );
  const { ids, tenant } = await createScene(isolate);
  for (let times = 0; times < 2; times++) {
    cost = { trips: 0, written: 0 };
    const issued = await tenant.send("POST", `/tenant/ideabanks/${ids.ideaBankId}/tokens`, { visitor: true });
    expect(issued.status).toBe(201);
    costs.push(cost);
  }
  expect(costs[1]).toEqual({ trips: 1, written: 0 });
});
