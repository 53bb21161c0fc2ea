/** What an owner can make grow is capped: changes an hour, keys that have ended, uses of revoked keys that are recorded. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf, runEverywhere, selectEverywhere } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";

const HOUR = 3_600_000;
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

it("100 changes an hour: then 429 says when; revoking always works, and leaves no other owner waiting", async () => {
  freeze(START);
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  // Neither revocations nor what others have caused counts.
  await addEvents(owner.email, 200, "revoked");
  await addEvents(owner.email, 98, "renamed");
  expect((await owner.json("PATCH", `/keys/${apiKey.id}`, { name: "the 100th" })).status).toBe(200);
  vi.setSystemTime(START + HOUR / 2);
  const before = await owner.events();
  for (const [method, path, body] of [
    ["PATCH", `/keys/${apiKey.id}`, { name: "n" }],
    ["POST", `/keys/${apiKey.id}/rotate`, {}],
    ["POST", "/keys", { name: "n" }],
  ] as const) {
    const held = await owner.json(method, path, body);
    expect([held.status, held.headers.get("Retry-After")]).toEqual([429, "1800"]);
    expect(await held.json()).toMatchObject({ error: "too-many-requests" });
  }
  // A person sees no headers.
  const page = await owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "0" });
  expect([page.status, await page.text()]).toEqual([429, expect.stringContaining("Wait 1800 seconds")]);
  expect((await owner.keys()).map(({ name }) => name)).toEqual(["the 100th"]);
  // Nor does the trail say of what was held that four keys were active.
  expect(await owner.events()).toEqual(before);
  expect((await createOwner().json("POST", "/keys", { name: "n" })).status).toBe(201);
  expect(await owner.whoami(key)).toBe(200);
  expect((await owner.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(200);
  vi.setSystemTime(START + HOUR);
  expect((await owner.json("POST", "/keys", { name: "n" })).status).toBe(201);
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

it("records at most 100 uses of an account's revoked keys in an hour", async () => {
  freeze(START);
  const owner = createOwner();
  const [one, other] = [await owner.create(), await owner.create()];
  for (const { apiKey } of [one, other]) await owner.json("DELETE", `/keys/${apiKey.id}`);
  await addEvents(owner.email, 99, "used-after-revocation");
  for (const { key } of [one, other]) expect(await owner.whoami(key)).toBe(401);
  const uses = await selectEverywhere("SELECT id FROM audit_events WHERE event = 'used-after-revocation'");
  expect(uses).toHaveLength(100);
});
