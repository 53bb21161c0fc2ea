/** Every test starts with empty stores: this fills each one, and does what setup.ts does between two tests. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DATABASES, databaseOf, selectEverywhere } from "./databases.ts";
import { gateOf } from "./gate.ts";
import { emptyStores, makeStores } from "./stores.ts";
import { addOneOfEverything, createTenant } from "./tenant.ts";
import { addWebhook } from "./webhooks.ts";
import { addAccount, addApiKey, newId } from "./world.ts";

async function betweenTwoTests(): Promise<void> {
  vi.restoreAllMocks();
  await emptyStores();
  await makeStores();
}

const definitionsOf = (database: D1Database) =>
  database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB '_cf_*' ORDER BY type, name").all();

/** How many rows each table has. */
async function countAll(database: D1Database): Promise<Record<string, number>> {
  const { results } = await definitionsOf(database);
  const tables = results.filter(({ type }) => type === "table").map(({ name }) => String(name));
  const counts = await database.batch<{ n: number }>(
    tables.map((name) => database.prepare(`SELECT count(*) AS n FROM ${name}`)),
  );
  return Object.fromEntries(counts.map(({ results: [row] }, index) => [tables[index] ?? "", row?.n ?? -1]));
}

/** A row in each table of the account's database. */
async function fill(accountId: string): Promise<void> {
  const tenant = await createTenant({ accountId });
  const { proposalId, otherProposalId, ideaBankId, panelistId } = await addOneOfEverything(accountId);
  const { id: apiKeyId } = await addApiKey({ accountId });
  await tenant.send("DELETE", `/tenant/ideabanks/${(await addOneOfEverything(accountId)).ideaBankId}`);
  const run = (sql: string, ...values: unknown[]) =>
    databaseOf(accountId)
      .prepare(sql)
      .bind(...values)
      .run();
  await run("INSERT INTO owners VALUES ('a', ?1)", accountId);
  await run(
    "INSERT INTO sign_in_codes VALUES (?1, ?2, ?3, 'b', 'c', 'm', 's', NULL, 1, 1, 0)",
    newId(accountId),
    accountId,
    ideaBankId,
  );
  await run(
    "INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at) VALUES (?1, 'b', 'p', 'decision', 1, 1)",
    accountId,
  );
  await run("INSERT INTO recipients VALUES (1, 'a', ?1, 'b', 'w', 'sent', 1)", accountId);
  await run("INSERT INTO follows VALUES (?1, ?2, ?3, ?4, 1)", proposalId, panelistId, accountId, ideaBankId);
  await run("INSERT INTO mutes VALUES (?1, 'a', 'b', 1)", accountId);
  await run("INSERT INTO member_outbox VALUES (?1, 'm', 's', 'assigned', NULL, 1)", accountId);
  await run("INSERT INTO writing_members VALUES (?1, 'm', 'p', 1)", accountId);
  await run(`UPDATE proposals SET private_tags = '["Q1"]' WHERE id = ?1`, proposalId);
  await run("INSERT INTO mail_days VALUES (1, ?1, 1)", accountId);
  await run("INSERT INTO mail_stops VALUES (1, 'E', 1, 1)");
  await run(
    "INSERT INTO members (id, account_id, email, added_by, created_at) VALUES (?1, ?2, 'b', 'a', 1)",
    newId(accountId),
    accountId,
  );
  await run("INSERT INTO memberships VALUES ('b', ?1)", accountId);
  await run(
    "INSERT INTO invitations (id, account_id, email, added_by, created_at, declined_at) VALUES (?1, ?2, 'c', 'a', 1, NULL)",
    newId(accountId),
    accountId,
  );
  await run("INSERT INTO sign_ins VALUES ('d', 'c', '/account', 1, 2)");
  await run("INSERT INTO invitees VALUES ('c', ?1)", accountId);
  await run("INSERT INTO subjects VALUES ('e', 'c')");
  await run("INSERT INTO api_key_usage VALUES (?1, 0, 1, 0, '{}')", apiKeyId);
  await run(
    "INSERT INTO audit_events (id, account_id, event, api_key_name, created_at) VALUES (?1, ?2, 'created', 'x', 1)",
    newId(accountId),
    accountId,
  );
  await run("INSERT INTO undo_texts VALUES ('u', ?1, NULL, NULL, 1)", accountId);
  await run("INSERT INTO idempotency_keys VALUES (?1, 'k', 'h', '{}', 1)", accountId);
  await run("UPDATE panelists SET tokens_revoked_at = 1 WHERE id = ?1", panelistId);
  await addWebhook(accountId);
  await run("INSERT INTO survey_former VALUES (?1, 0, 'f', '[]')", newId(accountId));
  await run("INSERT INTO signing_secrets VALUES ('h', ?1, ?2, 0, 1)", accountId, ideaBankId);
  await run("INSERT INTO acting_keys (account_id, api_key_id) VALUES (?1, ?2)", accountId, apiKeyId);
  await run(
    "INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes) VALUES (?1, 9, ?2, 1, '{}')",
    proposalId,
    accountId,
  );
  await run("INSERT INTO acting_members VALUES (?1, NULL, 'a')", accountId);
  await run("INSERT INTO merges VALUES (?1, ?2, ?3, ?4)", otherProposalId, proposalId, accountId, ideaBankId);
}

const storedOf = (id: DurableObjectId) =>
  runInDurableObject(env.API_KEY_GATE.get(id), (_, { storage }) => [...storage.kv.list()]);

describe("between two tests", () => {
  beforeEach(() => expect(selectEverywhere("SELECT 1 FROM accounts")).resolves.toEqual([]));

  it.each(["0", "1"] as const)("every table of database %s is emptied, and keeps its definition", async (digit) => {
    const database = databaseOf(digit);
    const [definitions, empty] = [await definitionsOf(database), await countAll(database)];
    await fill(await addAccount({ digit }));
    expect(Object.entries(await countAll(database)).filter(([, rows]) => rows === 0)).toEqual([]);
    await betweenTwoTests();
    expect(await countAll(database)).toEqual(empty);
    expect(Object.values(empty).filter((rows) => rows > 0)).toEqual([]);
    expect((await definitionsOf(database)).results).toEqual(definitions.results);
  });

  it.each([
    ["a trigger is gone", "DROP TRIGGER quota_surveys_added"],
    ["a table is gone", "DROP TABLE surveys"],
    ["a table is there that the schema has not", "CREATE TABLE others (id TEXT)"],
    ["a column was added", "ALTER TABLE surveys ADD COLUMN more TEXT"],
  ])("both databases have the schema again after %s", async (_, sql) => {
    const before = await Promise.all(DATABASES.map(definitionsOf));
    for (const database of DATABASES) await database.prepare(sql).run();
    await betweenTwoTests();
    const after = await Promise.all(DATABASES.map(definitionsOf));
    expect(after.map(({ results }) => results)).toEqual(before.map(({ results }) => results));
  });

  it("the database that plays a replica has nothing", async () => {
    await env.REPLICA.prepare("CREATE TABLE surveys (id TEXT)").run();
    await betweenTwoTests();
    expect((await definitionsOf(env.REPLICA)).results).toEqual([]);
  });

  it.each([1, 30])("the state, the alarm and the memory of each of %i gates are gone", async (count) => {
    // What an isolate of an earlier test has told its gate since is not this test's.
    const before = new Set((await listDurableObjectIds(env.API_KEY_GATE)).map(String));
    const keys = await Promise.all(Array.from({ length: count }, () => addApiKey()));
    const stateOf = (id: string) =>
      runInDurableObject(gateOf(id), async (instance, { storage }) => ({
        marked: Reflect.has(instance, "mark"),
        stored: [...storage.kv.list()].length,
        alarm: await storage.getAlarm(),
      }));
    for (const { id, secretHash } of keys) {
      await gateOf(id).admit(secretHash);
      await runInDurableObject(gateOf(id), (instance, { storage }) => {
        Object.assign(instance, { mark: true });
        storage.kv.put("mark", true);
      });
      const filled = await stateOf(id);
      expect(filled).toEqual({ marked: true, stored: expect.any(Number), alarm: expect.any(Number) });
      expect(filled.stored).toBeGreaterThan(0);
    }
    await betweenTwoTests();
    const ids = (await listDurableObjectIds(env.API_KEY_GATE)).filter((id) => !before.has(String(id)));
    for (const id of ids) expect(await storedOf(id)).toEqual([]);
    for (const { id } of keys) expect(await stateOf(id)).toEqual({ marked: false, stored: 0, alarm: null });
  });

  it("KV is emptied", async () => {
    await Promise.all(["a", "b"].map((name) => env.CHANGELOGS.put(name, "x")));
    await betweenTwoTests();
    expect((await env.CHANGELOGS.list()).keys).toEqual([]);
  });

  it.each(["PANELIST_READS", "PANELIST_WRITES", "OWNER_WRITES", "OWNER_READS"] as const)(
    "%s has counted nobody",
    async (policy) => {
      const mayPass = async () => (await env[policy].limit({ key: "somebody" })).success;
      // No further than its limit, which differs.
      while (await mayPass());
      await betweenTwoTests();
      expect(await mayPass()).toBe(true);
    },
  );
});
