/** A new version of a changelog comes with the idea bank itself, in one D1 round trip, once memory holds an older one. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { loadIdeaBankSnapshot, MAX_LISTED } from "../../../src/worker/database/idea-bank-snapshots.ts";
import { Changelogs } from "../../../src/worker/idea-bank/changelogs.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, openDatabase } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { addIdeaBank, addPanelist, addProposal, tokenFor } from "../../support/world.ts";

const START = 1_900_000_000_000;
const CHANGELOG = "/public/ideabank/changelog";
const ignore = () => {};
const rename = (ideaBankId: string, title: string) =>
  databaseOf(ideaBankId)
    .prepare("UPDATE proposals SET title = ?2 WHERE idea_bank_id = ?1")
    .bind(ideaBankId, title)
    .run();

/** An isolate that has read a changelog of one proposal at `START`, and how many calls of each kind a later request makes. */
async function setUp() {
  freeze(START);
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "first" });
  const { env: counted, counts } = countStores({ ...env, FRESHNESS_SECONDS: "1" });
  const isolate = createIsolate(counted);
  const get = async (path: string, ms: number) => {
    vi.setSystemTime(START + ms);
    Object.assign(counts, { d1: 0, "kv.read": 0, "kv.write": 0 });
    const text = await (await isolate.request(path, { headers: { Authorization: bank.token } })).text();
    return { text, ...counts };
  };
  await get(CHANGELOG, 0);
  return { bank, get };
}

it("costs who reads a changed changelog one D1 round trip, and no KV while KV was written a moment ago", async () => {
  const { bank, get } = await setUp();
  await rename(bank.id, "second");
  expect(await get(CHANGELOG, 1_100)).toMatchObject({
    text: expect.stringContaining("second"),
    d1: 1,
    "kv.read": 0,
    "kv.write": 0,
  });
});

it("comes with a read for the capabilities, too", async () => {
  const { bank, get } = await setUp();
  await rename(bank.id, "second");
  expect(await get("/ideabank", 1_100)).toMatchObject({ d1: 1 });
  expect(await get(CHANGELOG, 1_200)).toMatchObject({ text: expect.stringContaining("second"), d1: 0, "kv.read": 0 });
});

it("is written to KV after ten seconds, unless KV holds as new a one", async () => {
  const { bank, get } = await setUp();
  const other = createIsolate({ ...env, FRESHNESS_SECONDS: "1" });
  const getByOther = () => other.request(CHANGELOG, { headers: { Authorization: bank.token } });
  await getByOther();
  await rename(bank.id, "second");
  expect(await get(CHANGELOG, 10_000)).toMatchObject({ "kv.read": 1, "kv.write": 1 });
  expect(await env.CHANGELOGS.get(`changelog/1/${bank.id}`)).toContain("second");
  await rename(bank.id, "third");
  vi.setSystemTime(START + 20_000);
  await getByOther();
  expect(await get(CHANGELOG, 20_000)).toMatchObject({
    text: expect.stringContaining("third"),
    "kv.read": 1,
    "kv.write": 0,
  });
});

it("reads no entries while the version is the same", async () => {
  const bank = await addIdeaBank();
  for (let count = 0; count < 20; count++) await addProposal(bank, { title: "An entry" });
  const rows: number[] = [];
  const metered = meterDatabases(env, (results) =>
    rows.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0)),
  );
  const isolate = createIsolate({ ...metered, FRESHNESS_SECONDS: "0" });
  const read = () => isolate.request(CHANGELOG, { headers: { Authorization: bank.token } });
  await read();
  rows.length = 0;
  await read();
  expect(rows).toHaveLength(1);
  expect(rows[0]).toBeLessThan(10);
});

/** Changelogs that hold that of one idea bank, and what D1 says of it now, with and without a newer one. */
async function setUpChangelogs() {
  const bank = await addIdeaBank();
  await addProposal(bank, { title: "first" });
  const database = databaseOf(bank.id);
  const changelogs = new Changelogs();
  const read = async (version: number) => {
    const sources = { database: openDatabase(database), store: env.CHANGELOGS, prefetched: undefined };
    const { bytes } = await changelogs.read(sources, bank.id, { version, bookmark: "" }, ignore);
    return new TextDecoder().decode(bytes);
  };
  const load = async () => {
    const alongside = changelogs.alongside(env.CHANGELOGS, bank.id, ignore);
    const loaded = await loadIdeaBankSnapshot(database.withSession(), bank.id, bank.panelistId, 0, alongside);
    const { ideaBank, alongside: rows } = loaded;
    if (alongside === undefined || ideaBank === null || rows === undefined) throw new Error("nothing was read");
    return { ideaBank, keep: () => alongside.keep(rows, ideaBank) };
  };
  await read(0);
  return { bank, changelogs, read, load };
}

it("is selected and rendered once, however many refreshes were planned before it came", async () => {
  const { bank, changelogs, load } = await setUpChangelogs();
  const planned = changelogs.alongside(env.CHANGELOGS, bank.id, ignore);
  await rename(bank.id, "second");
  const [one, other] = [await load(), await load()];
  const digest = vi.spyOn(crypto.subtle, "digest");
  await one.keep();
  await other.keep();
  expect(digest).toHaveBeenCalledOnce();
  const session = databaseOf(bank.id).withSession();
  const late = await loadIdeaBankSnapshot(session, bank.id, bank.panelistId, 0, planned);
  expect(late.alongside).toEqual([]);
});

it("is read by one of many who ask for themselves at the same time, as all do in an account with many revocations", async () => {
  freeze(START);
  const bank = await addIdeaBank();
  for (let count = 0; count < 20; count++) await addProposal(bank, { title: "first" });
  await databaseOf(bank.id)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?2)
       INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) SELECT ?1, ?1 || i, 1, 1 FROM n`,
    )
    .bind(bank.accountId, MAX_LISTED)
    .run();
  const panelists = await Promise.all(Array.from({ length: 10 }, () => addPanelist(bank.accountId)));
  const tokens = await Promise.all(panelists.map((panelistId) => tokenFor(bank.id, panelistId)));
  let entries = 0;
  const metered = meterDatabases(env, (results) => {
    entries += results.flatMap((result) => result.results as object[]).filter((row) => "title" in row).length;
  });
  const isolate = createIsolate({ ...metered, FRESHNESS_SECONDS: "1" });
  const readAll = async (ms: number) => {
    vi.setSystemTime(START + ms);
    entries = 0;
    const answers = await Promise.all(
      tokens.map((token) => isolate.request(CHANGELOG, { headers: { Authorization: token } })),
    );
    return Promise.all(answers.map((answer) => answer.text()));
  };
  await readAll(0);
  await rename(bank.id, "second");
  for (const text of await readAll(1_100)) expect(text).toContain("second");
  // Alongside, once; and in the one render of those who had their idea bank before.
  expect(entries).toBeLessThanOrEqual(2 * 20);
  await rename(bank.id, "third");
  for (const text of await readAll(2_200)) expect(text).toContain("third");
  expect(entries).toBeLessThanOrEqual(2 * 20);
});

it("is not waited for when the read of the one who asked for it failed, and not taken for empty meanwhile", async () => {
  freeze(START);
  const { bank, changelogs, read, load } = await setUpChangelogs();
  await rename(bank.id, "second");
  changelogs.alongside(env.CHANGELOGS, bank.id, ignore)?.select(databaseOf(bank.id).withSession());
  const { ideaBank, keep } = await load();
  await keep();
  expect(await read(0)).toContain("first");
  expect(await read(ideaBank.changelogVersion)).toContain("second");
  await rename(bank.id, "third");
  vi.setSystemTime(START + 1_000);
  await (await load()).keep();
  expect(await read(0)).toContain("third");
});

it("is not kept of an idea bank that was closed meanwhile: nobody is shown what was edited after that", async () => {
  const { bank, read, load } = await setUpChangelogs();
  await databaseOf(bank.id).prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(bank.id).run();
  await rename(bank.id, "second");
  await (await load()).keep();
  expect(await read(0)).toContain("first");
});

it("is not taken for empty when it has not changed, although memory has dropped it since", async () => {
  const { bank, changelogs, read, load } = await setUpChangelogs();
  const { ideaBank, keep } = await load();
  const large = Array.from({ length: 1_000 }, () => ({
    title: "",
    description: "x".repeat(5_000),
    last_activity_at: 0,
  }));
  // Memory holds 16 MiB: of four idea banks whose changelogs have five each, the first is dropped.
  for (let count = 0; count < 4; count++) {
    const other = await addIdeaBank({ accountId: bank.accountId });
    const sources = { database: openDatabase(databaseOf(other.id)), store: env.CHANGELOGS, prefetched: undefined };
    await changelogs.read(sources, other.id, { version: 0, bookmark: "" }, ignore);
    const next = { ...ideaBank, changelogVersion: ideaBank.changelogVersion + 1_000_000 };
    const alongside = changelogs.alongside(env.CHANGELOGS, other.id, ignore);
    alongside?.select(databaseOf(other.id).withSession());
    await alongside?.keep(large, next);
  }
  expect(changelogs.alongside(env.CHANGELOGS, bank.id, ignore)).toBeUndefined();
  await keep();
  expect(await read(ideaBank.changelogVersion)).toContain("first");
});
