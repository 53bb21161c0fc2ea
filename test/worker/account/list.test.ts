/** What an owner sees of the keys: in which order, how many, how they were used; and how full the storage is. */
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf, runEverywhere } from "../../support/databases.ts";
import { createOwner } from "../../support/owner.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_900_000_800_000 - (1_900_000_800_000 % HOUR) + 25 * 60_000;
const THIS_HOUR = START - (START % HOUR);

type Owner = ReturnType<typeof createOwner>;
const list = async (owner: Owner) => (await owner.json("GET", "/keys")).json<Record<string, unknown>>();
const html = async (owner: Owner) => (await owner.page("/api-keys")).text();
const use = (id: string, hour: number, admitted: number, limited = 0) =>
  databaseOf(id)
    .prepare("INSERT INTO api_key_usage (api_key_id, hour, admitted, limited) VALUES (?1, ?2, ?3, ?4)")
    .bind(id, hour, admitted, limited)
    .run();
const revoke = (owner: Owner, id: string) => owner.json("DELETE", `/keys/${id}`);

/** Keys that were revoked, written straight to the table. */
const addRevoked = (email: string, count: number) =>
  runEverywhere(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at, revoked_at)
     SELECT printf('revoked%05d', i), a.id, 'revoked ' || i, '', '["surveys:read"]', ?3 + i, ?3 + i FROM n, accounts a
     WHERE a.owner_email = ?1`,
    email,
    count,
    START - 1_000_000,
  );

describe("the order", () => {
  it("is: active keys, newest first; then what ended, the last first", { tags: "slow" }, async () => {
    freeze(START);
    const owner = createOwner();
    const step = (days: number) => vi.setSystemTime(START + days * DAY);
    const late = await owner.create("revoked late");
    await owner.create("active, old");
    step(1);
    await owner.create("lapsed", { expiresInDays: 2 });
    const early = await owner.create("revoked early");
    step(2);
    await revoke(owner, early.apiKey.id);
    await owner.create("active, new");
    step(4);
    await revoke(owner, late.apiKey.id);
    const names = ["active, new", "active, old", "revoked late", "lapsed", "revoked early"];
    expect((await owner.keys()).map(({ name }) => name)).toEqual(names);
    expect(await list(owner)).toMatchObject({ active: 2, ended: 3 });
    const page = await html(owner);
    expect(names.map((name) => page.indexOf(name)).toSorted((a, b) => a - b)).toEqual(
      names.map((name) => page.indexOf(name)),
    );
  });

  it("of keys of the same millisecond does not change", async () => {
    freeze(START);
    const owner = createOwner();
    for (const name of ["a", "b", "c"]) await owner.create(name);
    const ids = (await owner.keys()).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
  });
});

describe("keys that ended", () => {
  it("are folded, without their charts and actions", async () => {
    freeze(START);
    const owner = createOwner();
    const [gone, kept] = [await owner.create("gone"), await owner.create("kept")];
    await revoke(owner, gone.apiKey.id);
    const page = await html(owner);
    expect(page).toContain("<summary>Show 1 revoked or expired key</summary>");
    expect(page).not.toContain(`/account/api-keys/${gone.apiKey.id}/`);
    for (const action of ["rotate", "change", "revoke"]) {
      expect(page).toContain(`"/account/api-keys/${kept.apiKey.id}/${action}"`);
    }
    expect(page.match(/class="usage/g)).toHaveLength(1);
  });

  it("are the last 20, however many there are; the page and the JSON stay small", { tags: "slow" }, async () => {
    freeze(START);
    const owner = createOwner();
    await owner.create("kept");
    await addRevoked(owner.email, 10_000);
    const { items, ended, active } = await (await owner.json("GET", "/keys")).json<{
      items: { name: string }[];
      ended: number;
      active: number;
    }>();
    expect([items.length, ended, active]).toEqual([21, 1_000, 1]);
    expect(items.map(({ name }) => name).slice(0, 3)).toEqual(["kept", "revoked 10000", "revoked 9999"]);
    const page = await html(owner);
    expect(page).toContain("Show the last 20 of 1,000 revoked and expired keys");
    expect(page.length).toBeLessThan(60_000);
  });

  it("do not take the room of active ones: the form is there while fewer than four are active", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const owner = createOwner();
    for (const name of ["a", "b", "c"]) await owner.create(name);
    await addRevoked(owner.email, 5);
    const page = await html(owner);
    expect(page).toContain(">3 active keys. You can have up to 4.<");
    expect(page).toContain('href="/account/api-keys/new"');
    expect(await (await owner.page("/api-keys/new")).text()).toContain('name="newKeyId"');
    expect(await list(owner)).toMatchObject({ active: 3, ended: 5 });
    await owner.create("d");
    expect(await html(owner)).toContain(">4 active keys, the maximum. Revoke one to create another.<");
  });
});

it("a refused creation leaves at most one event a minute", { tags: "slow" }, async () => {
  freeze(START);
  const owner = createOwner();
  for (const name of ["a", "b", "c", "d"]) await owner.create(name);
  const refusals = async () => (await owner.events()).filter(({ event }) => event === "refused").length;
  const other = createOwner();
  for (const name of ["a", "b", "c", "d", "e"]) await other.json("POST", "/keys", { name });
  for (let times = 0; times < 3; times++) expect((await owner.json("POST", "/keys", { name: "e" })).status).toBe(409);
  expect(await refusals()).toBe(1);
  vi.setSystemTime(START + 59_999);
  await owner.json("POST", "/keys", { name: "e" });
  expect(await refusals()).toBe(1);
  vi.setSystemTime(START + 60_000);
  await owner.json("POST", "/keys", { name: "e" });
  expect(await refusals()).toBe(2);
});

describe("the use of a key", () => {
  it("is that of the last 24 hours", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    for (const hours of [0, 23, 24, 30]) await use(apiKey.id, THIS_HOUR - hours * HOUR, hours + 1);
    expect((await owner.keys())[0]?.usage.map(({ admitted }) => admitted)).toEqual([24, 1]);
    expect(await html(owner)).toContain("<strong>25</strong> in 24 hours");
  });

  it("is drawn in the hour that it was in, to scale, what was over the limit on top", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    await use(apiKey.id, THIS_HOUR - 23 * HOUR, 100, 0);
    await use(apiKey.id, THIS_HOUR - 5 * HOUR, 80, 40);
    await use(apiKey.id, THIS_HOUR, 1, 0);
    const page = await html(owner);
    const bars = [
      ...page.matchAll(
        /<rect class="admitted" y="([\d.]+)" width="1" height="([\d.]+)"><\/rect><rect class="limited" y="([\d.]+)" width="1" height="([\d.]+)"><\/rect><\/svg><span class="tip"><time datetime="([^"]+)"[^>]*>([^<]+)<\/time>([^<]+)</g,
      ),
    ].map(([, y1, h1, y2, h2, at, clock, numbers]) => ({ bar: [y1, h1, y2, h2].map(Number), at, clock, numbers }));
    expect(bars).toHaveLength(24);
    expect(bars.map(({ at }) => Date.parse(at ?? ""))).toEqual(
      Array.from({ length: 24 }, (_, index) => THIS_HOUR - (23 - index) * HOUR),
    );
    // The axis ends at 200: the next of 2, 4, 6, 8, 10 times a power of ten.
    expect(page).toContain('<div class="scale"><span>200</span><span>100</span><span>0</span></div>');
    expect(bars[0]).toMatchObject({ bar: [50, 50, 50, 0], numbers: ": 100 admitted, 0 over the limit" });
    expect(bars[18]).toMatchObject({ bar: [60, 40, 40, 20], numbers: ": 80 admitted, 40 over the limit" });
    // One request among hundreds is seen all the same.
    expect(bars[23]?.bar).toEqual([98, 2, 98, 0]);
    expect(bars[23]?.clock).toBe(`${new Date(THIS_HOUR).toISOString().slice(11, 16)} UTC`);
    expect(page).toContain("<strong>221</strong> in 24 hours");
    expect(page).toContain("181 admitted");
    expect(page).toContain("40 over the limit");
  });

  it("that there is none of is a sentence, not an empty chart", async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect(await html(owner)).toContain("Not used yet");
    await databaseOf(apiKey.id)
      .prepare("UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1")
      .bind(apiKey.id, START - 3 * DAY)
      .run();
    const page = await html(owner);
    expect(page).toContain("No requests in the last 24 hours");
    expect(page).toContain("3 days ago");
    expect(page).not.toContain("<svg");
  });
});

describe("a card", () => {
  it("says what the key may do and how often, in words", async () => {
    const owner = createOwner();
    await owner.create("narrow", {
      scopes: ["panelists:write", "surveys:read", "panelists:read"],
      limit: 1,
      windowSeconds: 3_600,
    });
    await owner.create("wide", { limit: 3_000, windowSeconds: 10 });
    const page = await html(owner);
    expect(page).toContain("<dd>Surveys: read. People: read, write.</dd>");
    expect(page).toContain("<dd>All</dd>");
    expect(page).toContain("<dd>1 request per hour</dd>");
    expect(page).toContain("<dd>3,000 requests per 10 seconds</dd>");
  });

  it("says until when the old secret works, and whether it is used, while it works", { tags: "slow" }, async () => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect(await html(owner)).not.toContain("Old secret");
    expect(await html(owner)).not.toContain("the previous secret");
    await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 3_600 });
    const unused = await html(owner);
    expect(unused).toMatch(
      /Old secret<\/dt><dd>Stops <time[^>]*>in 1 hour<\/time>, not used since you rotated it<\/dd>/,
    );
    expect(unused).toContain("If the current secret has been used, the previous secret stops working now.");
    await databaseOf(apiKey.id)
      .prepare("UPDATE api_keys SET previous_last_used_at = ?2 WHERE id = ?1")
      .bind(apiKey.id, START - 5 * 60_000)
      .run();
    expect(await html(owner)).toMatch(/in 1 hour<\/time>, last used <time[^>]*>5 minutes ago<\/time><\/dd>/);
    vi.setSystemTime(START + HOUR);
    expect(await html(owner)).not.toContain("Old secret");
  });
});

describe("the storage", () => {
  const store = (owner: Owner, used: number, max: number) =>
    runEverywhere(
      "UPDATE accounts SET max_bytes = ?3, stored_bytes = ?2 WHERE owner_email = ?1",
      owner.email,
      used,
      max,
    );

  it("is in the list, and a bar", { tags: "slow" }, async () => {
    const [owner, other] = [createOwner(), createOwner()];
    expect(await list(owner)).toMatchObject({ storage: { usedBytes: 0, maxBytes: 536_870_912 } });
    await list(other);
    await store(other, 5, 6);
    await store(owner, 1_310_720, 4_194_304);
    expect(await list(owner)).toMatchObject({ storage: { usedBytes: 1_310_720, maxBytes: 4_194_304 } });
    expect(await list(other)).toMatchObject({ storage: { usedBytes: 5, maxBytes: 6 } });
    const page = await html(owner);
    expect(page).toMatch(/<meter[^>]* max="4194304"[^>]* value="1310720"/);
    expect(page).toContain("1.3 MiB of 4 MiB used.");
    expect(page).not.toContain("Storage is full");
  });

  it("says so when it is full", async () => {
    const owner = createOwner();
    await list(owner);
    await store(owner, 1_000, 1_000);
    const page = await html(owner);
    expect(page).toContain("1,000 bytes of 1,000 bytes used.");
    expect(page).toContain("Storage is full");
  });
});
