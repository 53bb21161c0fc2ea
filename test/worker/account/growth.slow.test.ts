/** What an owner can make grow is capped: audit events, keys that have ended, uses of revoked keys that are recorded. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf, runEverywhere, selectEverywhere } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { pair } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_800_000;
const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";

const addEvents = (email: string, count: number, event: string) =>
  runEverywhere(
    `${NUMBERS} INSERT INTO audit_events (id, account_id, event, api_key_name, created_at)
     SELECT '${event.slice(0, 3)}' || printf('%09d', i), a.id, '${event}', 'k', ?3 + i FROM n, accounts a WHERE a.owner_email = ?1`,
    email,
    count,
    START,
  );

/** Half of them revoked, half expired. */
const addEnded = (email: string, count: number) =>
  runEverywhere(
    `${NUMBERS} INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at, revoked_at, expires_at)
     SELECT printf('ended%07d', i), a.id, 'ended ' || i, '', '["surveys:read"]', ?3 - i * 10, iif(i % 2, ?3 - i * 10, NULL),
       iif(i % 2, NULL, ?3 - i * 10) FROM n, accounts a WHERE a.owner_email = ?1`,
    email,
    count,
    START,
  );

it("keeps the newest 10,000 events of an account, and all of another's; each new one ends the oldest", async () => {
  freeze(START);
  const [owner, other] = [createOwner(), createOwner()];
  await other.create();
  const { apiKey } = await owner.create();
  await addEvents(owner.email, 10_004, "changed");
  const events = () =>
    databaseOf(apiKey.id)
      .prepare(
        `SELECT count(*) AS events, min(number) AS first, max(number) AS last FROM audit_events
         WHERE account_id = (SELECT account_id FROM api_keys WHERE id = ?1)`,
      )
      .bind(apiKey.id)
      .first();
  expect(await events()).toEqual({ events: 10_000, first: 6, last: 10_005 });
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "Another" })).status).toBe(200);
  expect(await events()).toEqual({ events: 10_000, first: 7, last: 10_006 });
  expect(await other.events()).toHaveLength(1);
});

it("no kind of events pushes another one out: 10,000 decisions about ideas, and as many acts of a key, leave those of keys", async () => {
  freeze(START);
  const owner = createOwner();
  const { apiKey } = await owner.create();
  const { events: before } =
    (await databaseOf(apiKey.id).prepare("SELECT count(*) AS events FROM audit_events").first()) ?? {};
  const flood = `${NUMBERS} INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id)
    SELECT ?3 || printf('%09d', i), k.account_id, 'proposal-changed', ?4, 'An idea', ?5 + i, 'an idea' FROM n, api_keys k WHERE k.id = ?1`;
  for (const [prefix, by] of [
    ["own", null],
    ["key", apiKey.id],
  ])
    await databaseOf(apiKey.id).prepare(flood).bind(apiKey.id, 10_005, prefix, by, START).run();
  const count = (condition: string) =>
    databaseOf(apiKey.id).prepare(`SELECT count(*) AS events FROM audit_events WHERE ${condition}`).first("events");
  expect(await count("subject_id IS NULL")).toBe(before);
  expect(await count("subject_id IS NOT NULL AND api_key_id IS NULL")).toBe(10_000);
  expect(await count("subject_id IS NOT NULL AND api_key_id IS NOT NULL")).toBe(10_000);
  expect(await databaseOf(apiKey.id).prepare("SELECT count(*) AS events FROM kept_events").first("events")).toBe(
    20_000 + Number(before),
  );
});

it("an account notes when it removes a member, a webhook and an old key, for a restore from a backup", async () => {
  freeze(START);
  const { founder, id, accountId, apiKey } = await pair("1");
  const marks = async () =>
    Object.values(
      (await databaseOf(accountId)
        .prepare("SELECT member_removed_at, webhook_deleted_at, keys_deleted_at FROM accounts WHERE id = ?1")
        .bind(accountId)
        .first()) ?? {},
    );
  const invited = await founder.json("POST", "/members", { email: "never@example.com" });
  await founder.json("DELETE", `/members/${(await invited.json<{ id: string }>()).id}`);
  expect(await marks()).toEqual([null, null, null]);
  await founder.json("DELETE", `/members/${id}`);
  expect(await marks()).toEqual([START, null, null]);
  const made = await founder.json("POST", "/webhooks", { url: "https://crm.example.com/" });
  await founder.json("DELETE", `/webhooks/${(await made.json<{ webhook: { id: string } }>()).webhook.id}`);
  expect(await marks()).toEqual([START, START, null]);
  await addEnded(founder.email, 1_001);
  await founder.create();
  expect(await marks()).toEqual([START, START, START]);
  await founder.json("PATCH", `/keys/${apiKey.id}`, { paused: true });
  expect(
    await databaseOf(accountId).prepare("SELECT changed_at FROM api_keys WHERE id = ?1").bind(apiKey.id).first(),
  ).toEqual({ changed_at: START });
});

it("an event writes as many rows, and reads as many, whether the account has few of them or 10,000", async () => {
  const costOf = async (count: number) => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    await addEvents(owner.email, count, "changed");
    let rows = 0;
    const metered = meterDatabase(databaseOf(apiKey.id), (results) => {
      for (const { meta } of results) rows += meta.rows_written + meta.rows_read;
    });
    const patient = createOwner(owner.email, { ...env, [bindingOf(apiKey.id)]: metered });
    expect((await patient.json("PATCH", `/keys/${apiKey.id}`, { name: "Another" })).status).toBe(200);
    await runEverywhere("DELETE FROM audit_events");
    return rows;
  };
  const few = await costOf(10);
  expect(await costOf(10_000)).toBeLessThan(few + 20);
});

it("in an emergency a key is paused, narrowed, rotated and revoked, however many changes were made within the hour", async () => {
  freeze(START);
  const owner = createOwner();
  const { apiKey } = await owner.create();
  // Creating the key was the first change.
  for (let change = 1; change < 120; change++)
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { name: `name ${change}` })).status).toBe(200);
  const path = `/keys/${apiKey.id}`;
  expect((await owner.json("PATCH", path, { paused: true })).status).toBe(200);
  const narrowed = { limit: 1, allowedAddresses: ["203.0.113.7"] };
  expect(await (await owner.json("PATCH", path, { ...narrowed, paused: false })).json()).toMatchObject(narrowed);
  expect((await owner.json("POST", `${path}/rotate`, { graceSeconds: 0 })).status).toBe(201);
  expect(await (await owner.json("DELETE", path)).json()).toMatchObject({ state: "revoked" });
});

it("keeps 1,000 keys that have ended; a creation deletes the oldest beyond them", async () => {
  freeze(START);
  const owner = createOwner();
  const { apiKey } = await owner.create();
  await addEnded(owner.email, 1_005);
  const { id } = (await owner.create("another")).apiKey;
  const left = (await selectEverywhere<{ id: string }>("SELECT id FROM api_keys")).map((row) => row.id);
  expect(left).toHaveLength(1_002);
  expect(left).toEqual(expect.arrayContaining([apiKey.id, id, "ended0000001", "ended0001000"]));
  expect(left).not.toContain("ended0001001");
});

it("a list reads the keys that it shows, and counts at most 1,000, however many have ended", async () => {
  freeze(START);
  const rowsRead = async (ended: number) => {
    const email = `${ended}@example.com`;
    const owner = createOwner(email);
    const { id } = (await owner.create()).apiKey;
    await databaseOf(id).prepare("DELETE FROM api_keys WHERE id LIKE 'ended%'").run();
    await addEnded(email, ended);
    let read = 0;
    const metered = (database: D1Database) =>
      meterDatabase(database, (results) => {
        for (const { meta } of results) read += meta.rows_read;
      });
    const reader = createOwner(email, { ...env, [bindingOf(id)]: metered(databaseOf(id)) });
    const keys = await reader.keys();
    expect(keys).toHaveLength(21);
    expect(keys.slice(1).map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, i) => `ended ${i + 1}`));
    return read;
  };
  const few = await rowsRead(30);
  expect(few).toBeLessThan(400);
  expect(await rowsRead(20_000)).toBeLessThan(few + 2_100);
});

it("records at most 100 uses of an account's revoked keys in a day", async () => {
  freeze(START);
  const owner = createOwner();
  const [one, other] = [await owner.create(), await owner.create()];
  for (const { apiKey } of [one, other]) await owner.json("DELETE", `/keys/${apiKey.id}`);
  await addEvents(owner.email, 99, "used-after-revocation");
  for (const { key } of [one, other]) expect(await owner.whoami(key)).toBe(401);
  const uses = await selectEverywhere("SELECT id FROM audit_events WHERE event = 'used-after-revocation'");
  expect(uses).toHaveLength(100);
});
