/** Where the changelog's bytes come from: memory, KV or D1; and that stale bytes are never served. */

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { etagOf } from "../../../src/worker/view/render-changelog.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores, interceptStores } from "../../support/intercept.ts";
import type { StoreCall } from "../../support/intercept-binding.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { addIdeaBank, addProposal } from "../../support/world.ts";

const eager = { ...env, FRESHNESS_SECONDS: "0" };
const FROM_KV = '{"items":[{"title":"from KV","description":"","lastModified":1}]}';
const ETAG_OF_FROM_KV = await etagOf(Uint8Array.from(new TextEncoder().encode(FROM_KV)));
const keyOf = (id: string) => `changelog/1/${id}`;
const versionOf = (id: string) =>
  databaseOf(id)
    .prepare("SELECT changelog_version FROM idea_banks WHERE id = ?1")
    .bind(id)
    .first<number>("changelog_version");

async function titlesBy(isolate: Isolate, token: string): Promise<string[]> {
  const response = await isolate.request("/public/ideabank/changelog", { headers: { Authorization: token } });
  return (await response.json<{ items: { title: string }[] }>()).items.map(({ title }) => title);
}

const run = (sql: string, ...values: unknown[]) =>
  databaseOf(String(values[0]))
    .prepare(sql)
    .bind(...values)
    .run();

it("requests that render at the same time store one entry", async () => {
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "implemented" });
  const { env: counted, counts } = countStores(eager);
  const isolate = createIsolate(counted);
  const titles = await Promise.all(Array.from({ length: 5 }, () => titlesBy(isolate, bank.token)));
  expect(titles).toEqual(Array.from({ length: 5 }, () => ["implemented"]));
  expect(counts["kv.write"]).toBe(1);
});

it("an entry stays for a day", async () => {
  const bank = await addIdeaBank();
  await titlesBy(createIsolate(), bank.token);
  const { keys } = await env.CHANGELOGS.list({ prefix: keyOf(bank.id) });
  const hours = keys.map(({ expiration = 0 }) => Math.round((expiration - Date.now() / 1000) / 3_600));
  expect(hours).toEqual([24]);
});

describe("a direct SQL change raises the version, and the next read shows it", () => {
  const changes: [string, (bank: { id: string; accountId: string }, proposal: string) => Promise<unknown>, string[]][] =
    [
      ["a proposal is implemented", (bank) => addProposal(bank, { title: "new", lastActivityAt: 1 }), ["old", "new"]],
      ["one leaves", (_, id) => run("UPDATE proposals SET status = 'planned' WHERE id = ?1", id), []],
      ["one is deleted", (_, id) => run("DELETE FROM proposals WHERE id = ?1", id), []],
      ["one is edited", (_, id) => run("UPDATE proposals SET title = 'edited' WHERE id = ?1", id), ["edited"]],
      [
        "the last activity of one changes",
        (_, id) => run("UPDATE proposals SET last_activity_at = 9999999999999 WHERE id = ?1", id),
        ["old"],
      ],
      [
        "the maximum changes",
        (bank) => run("UPDATE idea_banks SET changelog_max_entries = 1 WHERE id = ?1", bank.id),
        ["old"],
      ],
    ];

  it.each(changes)("when %s", async (_, change, expected) => {
    const bank = await addIdeaBank();
    const proposal = await addProposal(bank, { title: "old" });
    const isolate = createIsolate(eager);
    expect(await titlesBy(isolate, bank.token)).toEqual(["old"]);
    const before = await versionOf(bank.id);
    await change(bank, proposal);
    expect(await versionOf(bank.id)).toBeGreaterThan(before ?? Number.NaN);
    expect(await titlesBy(isolate, bank.token)).toEqual(expected);
  });

  it("and a change that the changelog does not show keeps the version", async () => {
    const bank = await addIdeaBank();
    const planned = await addProposal(bank, { status: "planned" });
    const before = await versionOf(bank.id);
    await run("UPDATE proposals SET title = 'edited' WHERE id = ?1", planned);
    await run("UPDATE idea_banks SET name = 'Renamed' WHERE id = ?1", bank.id);
    expect(await versionOf(bank.id)).toBe(before);
  });
});

describe("freshness", () => {
  it("is exact: nothing older than FRESHNESS_SECONDS is served", async () => {
    freeze(1_900_000_000_000);
    const bank = await addIdeaBank();
    const isolate = createIsolate({ ...env, FRESHNESS_SECONDS: "2" });
    await titlesBy(isolate, bank.token);
    await addProposal(bank, { title: "new" });
    vi.setSystemTime(1_900_000_001_999);
    expect(await titlesBy(isolate, bank.token)).toEqual([]);
    // It was read anew after that answer.
    expect(await titlesBy(isolate, bank.token)).toEqual(["new"]);
    await addProposal(bank, { title: "newer", lastActivityAt: 1 });
    vi.setSystemTime(1_900_000_003_999);
    expect(await titlesBy(isolate, bank.token)).toEqual(["new", "newer"]);
  });

  it("holds for the capability too", async () => {
    const bank = await addIdeaBank();
    const isolate = createIsolate(eager);
    const status = async () =>
      (await isolate.request("/public/ideabank/changelog", { headers: { Authorization: bank.token } })).status;
    expect(await status()).toBe(200);
    await run("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1", bank.id);
    expect(await status()).toBe(404);
    await run("UPDATE idea_banks SET status = 'OPEN' WHERE id = ?1", bank.id);
    expect(await status()).toBe(200);
    await run("UPDATE accounts SET status = 'suspended' WHERE id = ?1", bank.accountId);
    expect(await status()).toBe(404);
  });
});

describe("KV", () => {
  it("holds one entry for an idea bank, with the version and no name or id beyond its key", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "implemented" });
    await titlesBy(createIsolate(), bank.token);
    const { keys } = await env.CHANGELOGS.list();
    expect(keys.map(({ name }) => name)).toEqual([keyOf(bank.id)]);
    expect(keys[0]?.metadata).toEqual({ version: await versionOf(bank.id), etag: expect.any(String) });
    expect(keys[0]?.expiration).toBeGreaterThan(Date.now() / 1000);
  });

  it("serves a new isolate the version that it holds", async () => {
    const bank = await addIdeaBank();
    const metadata = { version: await versionOf(bank.id), etag: ETAG_OF_FROM_KV };
    await env.CHANGELOGS.put(keyOf(bank.id), FROM_KV, { metadata });
    expect(await titlesBy(createIsolate(), bank.token)).toEqual(["from KV"]);
  });

  it.each([-1, +1])("is never served when it holds another version (%i)", async (difference) => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "from D1" });
    const metadata = { version: ((await versionOf(bank.id)) ?? 0) + difference, etag: ETAG_OF_FROM_KV };
    await env.CHANGELOGS.put(keyOf(bank.id), FROM_KV, { metadata });
    expect(await titlesBy(createIsolate(), bank.token)).toEqual(["from D1"]);
  });

  it.each([null, {}, { version: "1", etag: 3 }, { version: 1.5, etag: '"x"' }])(
    "is ignored when its metadata is %j",
    async (metadata) => {
      const bank = await addIdeaBank();
      await addProposal(bank, { title: "from D1" });
      await env.CHANGELOGS.put(keyOf(bank.id), "not a changelog", { metadata });
      expect(await titlesBy(createIsolate(), bank.token)).toEqual(["from D1"]);
    },
  );

  it("is passed over when its body is not the one of its ETag", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "from D1" });
    const metadata = { version: await versionOf(bank.id), etag: ETAG_OF_FROM_KV };
    await env.CHANGELOGS.put(keyOf(bank.id), FROM_KV.replace("from KV", "garbage"), { metadata });
    expect(await titlesBy(createIsolate(), bank.token)).toEqual(["from D1"]);
  });

  it("is written at most once in ten seconds by an isolate, and holds the newest then", async () => {
    freeze(1_900_000_000_000);
    const bank = await addIdeaBank();
    const { env: counted, counts } = countStores(eager);
    const isolate = createIsolate(counted);
    for (const [index, title] of ["a", "b", "c"].entries()) {
      vi.setSystemTime(1_900_000_000_000 + index);
      await addProposal(bank, { title });
      await titlesBy(isolate, bank.token);
    }
    expect(counts["kv.write"]).toBe(1);
    vi.setSystemTime(1_900_000_010_002);
    await addProposal(bank, { title: "d" });
    await titlesBy(isolate, bank.token);
    expect(counts["kv.write"]).toBe(2);
    expect(await env.CHANGELOGS.get(keyOf(bank.id))).toContain('"d"');
  });

  it("is read beside D1 by a new isolate, not after it", async () => {
    const bank = await addIdeaBank();
    const events: string[] = [];
    const watched = interceptStores(env, async (kind: StoreCall, makeCall) => {
      events.push(`${kind} begins`);
      const answer = await makeCall();
      events.push(`${kind} ends`);
      return answer;
    });
    await titlesBy(createIsolate(watched), bank.token);
    expect(events.slice(0, 2).toSorted()).toEqual(["d1 begins", "kv.read begins"]);
  });
});

it("entries are of one moment with their version and switches: a change that races is in the next answer, and under its version", async () => {
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "first" });
  let calls = 0;
  const racing = interceptStores(eager, async (kind, makeCall) => {
    const answer = await makeCall();
    if (kind === "d1" && ++calls === 1) await addProposal(bank, { title: "second", lastActivityAt: 1 });
    return answer;
  });
  const isolate = createIsolate(racing);
  const before = await versionOf(bank.id);
  expect(await titlesBy(isolate, bank.token)).toEqual(["first"]);
  expect((await env.CHANGELOGS.getWithMetadata(keyOf(bank.id))).metadata).toMatchObject({ version: before });
  expect(await titlesBy(isolate, bank.token)).toEqual(["first", "second"]);
  expect(calls).toBe(2);
});

describe("256 KiB", () => {
  const MAX_BYTES = 256 * 1024;
  /** Each description has 5,000 characters, which are so many bytes in the answer. */
  const TEXTS = [
    ["of one byte", "x", 5_000],
    ["of three bytes", "あ", 15_000],
    ["of four bytes", "😀", 10_000],
    ["that are escaped", '"', 10_000],
    ["that are escaped as six", "\u0001", 30_000],
  ] as const;

  it.each(TEXTS)(
    "are not exceeded by characters %s: fewer entries, the newest, none of them cut",
    async (_, character, bytes) => {
      const bank = await addIdeaBank({ changelogMaxEntries: 100 });
      const description = character.repeat(5_000 / character.length);
      await databaseOf(bank.id)
        .prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
         SELECT substr(?1, 1, 9) || (100 + i), ?2, ?1, 'T' || i, ?3, 'implemented', i, i FROM n`,
        )
        .bind(bank.id, bank.accountId, description)
        .run();
      const answer = await createIsolate().request("/public/ideabank/changelog", {
        headers: { Authorization: bank.token },
      });
      const text = await answer.text();
      const { items } = JSON.parse(text) as { items: { title: string; description: string }[] };
      const length = new TextEncoder().encode(text).byteLength;
      expect(length).toBeLessThanOrEqual(MAX_BYTES);
      expect(items.map(({ title }) => title)).toEqual(items.map((_, index) => `T${60 - index}`));
      expect(new Set(items.map((item) => item.description))).toEqual(new Set([description]));
      // One more would not have fitted.
      expect(items.length === 60 || length + bytes + 60 > MAX_BYTES).toBe(true);
    },
  );
});

it("an isolate with an old view does not overwrite a newer entry in KV", async () => {
  const bank = await addIdeaBank();
  const metadata = { version: ((await versionOf(bank.id)) ?? 0) + 1, etag: ETAG_OF_FROM_KV };
  await env.CHANGELOGS.put(keyOf(bank.id), FROM_KV, { metadata });
  await titlesBy(createIsolate(), bank.token);
  expect((await env.CHANGELOGS.getWithMetadata(keyOf(bank.id))).metadata).toEqual(metadata);
});
