/** The whole changelog in pages: the changelog's own entries and order, further down; the same gate; nothing internal. */
import { describe, expect, it } from "vitest";
import { sealCursor, verifyCursor } from "../../../src/worker/credentials/cursor.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { listEntries } from "../../../src/worker/database/idea-banks/changelog-entries.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { CHANGELOG, createPanel, sendWith } from "../../support/panel.ts";
import { addIdeaBank, addProposal, newId, signingKeys, tokenFor } from "../../support/world.ts";

const ENTRIES = "/ideabank/changelog/entries";

type Entry = { id: string; title: string; description: string; lastModified: number };
type Page = { items: Entry[]; nextCursor?: string };

const read = async (token: string, path: string, isolate = createIsolate()) => {
  const answer = await sendWith(isolate, token)("GET", path);
  expect(answer.status).toBe(200);
  return answer.json<Page>();
};

async function readAll(token: string, limit: number, between: (page: number) => Promise<unknown> = async () => {}) {
  const items: Entry[] = [];
  let cursor: string | undefined;
  for (let page = 1; page < 30; page++) {
    const answer = await read(token, `${ENTRIES}?limit=${limit}${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    items.push(...answer.items);
    cursor = answer.nextCursor;
    if (cursor === undefined) return items;
    await between(page);
  }
  throw new Error("too many pages");
}

/** So many entries, four of each second, and others that are none. */
async function createScene(entries: number) {
  const bank = await addIdeaBank({ changelogMaxEntries: 5 });
  const database = databaseOf(bank.id);
  await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       SELECT printf('1r%010d', i * 7919 % 100003), ?2, ?3, 'T' || i, 'D', iif(i % 5 = 0, 'planned', 'implemented'), 1000, 1000000 + i / 5 * 1000 FROM n`,
    )
    .bind(entries, bank.accountId, bank.id)
    .run();
  return { bank, database };
}

describe("the entries", () => {
  it("are the changelog's, in its order, and go on where it ends, in pages of any size", async () => {
    const { bank } = await createScene(60);
    const { items: recent } = await read(bank.token, CHANGELOG);
    const all = await readAll(bank.token, 100);
    expect(recent).toHaveLength(5);
    expect(all).toHaveLength(48);
    expect(all.slice(0, 5).map(({ id: _, ...entry }) => entry)).toEqual(recent);
    expect(all.map(({ lastModified }) => lastModified)).toEqual(
      all.map(({ lastModified }) => lastModified).toSorted((one, other) => other - one),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(48);
    expect(await readAll(bank.token, 7)).toEqual(all);
    expect((await read(bank.token, ENTRIES)).items).toEqual(all.slice(0, 20));
  });

  it("have exactly three fields and the identifier that the feeds have", async () => {
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "Old", lastActivityAt: 1_000_999 });
    await addProposal(bank, { title: "New", description: "", lastActivityAt: 2_000_000 });
    const feed = await sendWith(createIsolate(), bank.token)("GET", `${CHANGELOG}.json`);
    const { items: inFeed } = await feed.json<{ items: { id: string }[] }>();
    expect((await read(bank.token, ENTRIES)).items).toEqual([
      { id: inFeed[0]?.id, title: "New", description: "", lastModified: 2_000 },
      { id: inFeed[1]?.id, title: "Old", description: "What it is about.", lastModified: 1_000 },
    ]);
  });

  it("name no proposal: neither the body nor the cursor has its identifier, also decoded", async () => {
    const bank = await addIdeaBank();
    const ids = [
      await addProposal(bank, { lastActivityAt: 1_000 }),
      await addProposal(bank, { lastActivityAt: 2_000 }),
    ];
    const answer = await sendWith(createIsolate(), bank.token)("GET", `${ENTRIES}?limit=1`);
    const body = await answer.text();
    const { nextCursor = "" } = JSON.parse(body) as Page;
    expect(nextCursor).toMatch(/^ibc_[\w-]{64}$/);
    const decoded = atob(nextCursor.slice(4).replaceAll("-", "+").replaceAll("_", "/"));
    const headers = JSON.stringify([...answer.headers]);
    for (const id of ids) for (const text of [body, decoded, headers]) expect(text).not.toContain(id);
    expect((await read(bank.token, `${ENTRIES}?cursor=${nextCursor}`)).items).toHaveLength(1);
  });

  it("are read once each while others come, change and move up between the pages", { tags: "slow" }, async () => {
    const panel = await createPanel();
    freeze(1_900_000_000_000);
    const ids: string[] = [];
    for (let number = 0; number < 6; number++) {
      freeze(1_900_000_000_000 + number * 1_000);
      ids.push(await panel.propose({ title: `Entry ${number}`, status: "implemented" }));
    }
    const { token } = await panel.panelist();
    const all = await readAll(token, 2, async (page) => {
      freeze(1_900_000_100_000 + page * 1_000);
      if (page === 1) await panel.propose({ title: "Newest", status: "implemented" });
      // The last one of the first page, which the second one begins after.
      if (page === 1) await panel.manage("PATCH", `/proposals/${ids[4]}`, { description: "Changed." });
      if (page === 2) await panel.manage("DELETE", `/proposals/${ids[2]}`);
    });
    expect(all.map(({ title }) => title)).toEqual(["Entry 5", "Entry 4", "Entry 3", "Entry 2", "Entry 1", "Entry 0"]);
  });

  it("leave out what the changelog leaves out: hidden, waiting, merged, deleted, of a deleted author, of another status", {
    tags: "slow",
  }, async () => {
    const panel = await createPanel();
    const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
    const done = (title: string) => panel.propose({ title, status: "implemented" });
    const [kept, hidden, merged, deleted] = [
      await done("Kept"),
      await done("Hidden"),
      await done("Merged"),
      await done("Gone"),
    ];
    const [written, waiting] = [await robin.submit("Robin's"), await kim.submit("Waiting")];
    await panel.manage("PATCH", `/proposals/${written}`, { status: "implemented" });
    await panel.manage("PATCH", `/proposals/${waiting}`, { status: "implemented" });
    await panel.manage("PATCH", `/proposals/${hidden}`, { visibility: "hidden" });
    await panel.manage("POST", `/proposals/${merged}/merge`, { into: kept });
    await panel.manage("DELETE", `/proposals/${deleted}`);
    await databaseOf(waiting).prepare("UPDATE proposals SET visibility = 'pending' WHERE id = ?1").bind(waiting).run();
    await databaseOf(robin.id).prepare("UPDATE panelists SET deletes_content = 1 WHERE id = ?1").bind(robin.id).run();
    const { items } = await read(kim.token, ENTRIES);
    expect(items.map(({ title }) => title)).toEqual(["Kept"]);
    expect((await read(kim.token, CHANGELOG)).items.map(({ title }) => title)).toEqual(["Kept"]);
  });
});

describe("the gate", () => {
  it("is the changelog's: any token, a visitor's too, also of an internal idea bank", async () => {
    const panel = await createPanel({ internal: true });
    await panel.propose({ title: "Done", status: "implemented" });
    const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { visitor: true });
    const { token: visitor } = await issued.json<{ token: string }>();
    for (const token of [panel.bank.token, visitor])
      expect((await read(token, ENTRIES)).items).toMatchObject([{ title: "Done" }]);
  });

  it("closed, it answers as the closed changelog does: status, headers and bytes", async () => {
    const take = async (token: string, path: string) => {
      const answer = await createIsolate().request(path, { headers: { Authorization: token, "X-Request-Id": "same" } });
      return [answer.status, [...answer.headers], await answer.text()];
    };
    const disabled = await addIdeaBank({ changelogEnabled: false });
    const closed = await addIdeaBank({ status: "CLOSED" });
    const missing = await tokenFor(newId(disabled.id), disabled.panelistId);
    const answers = [];
    for (const token of [disabled.token, closed.token, missing])
      for (const path of [CHANGELOG, ENTRIES, `${ENTRIES}?cursor=x`]) answers.push(await take(token, path));
    expect(answers[0]?.[0]).toBe(404);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe("a cursor", () => {
  it("is refused when it was changed, or is of another idea bank or another list", { tags: "slow" }, async () => {
    const [{ bank }, other] = [await createScene(20), await addIdeaBank()];
    const { nextCursor = "" } = await read(bank.token, `${ENTRIES}?limit=1`);
    const send = async (token: string, path: string) => (await sendWith(createIsolate(), token)("GET", path)).status;
    expect(await send(bank.token, `${ENTRIES}?cursor=${nextCursor}`)).toBe(200);
    for (let at = 4; at < nextCursor.length; at += 9) {
      const changed = nextCursor.slice(0, at) + (nextCursor[at] === "A" ? "B" : "A") + nextCursor.slice(at + 1);
      expect(await send(bank.token, `${ENTRIES}?cursor=${changed}`), String(at)).toBe(400);
    }
    expect(await send(other.token, `${ENTRIES}?cursor=${nextCursor}`)).toBe(400);
    expect(await send(bank.token, `/ideabank/proposals?cursor=${nextCursor}`)).toBe(400);
    const { nextCursor: ofProposals = "" } = await read(bank.token, "/ideabank/proposals?limit=1");
    expect(await send(bank.token, `${ENTRIES}?cursor=${ofProposals}`)).toBe(400);
  });

  it("that an earlier secret has sealed is good, one that a foreign secret has sealed is not", async () => {
    const position = { key: 1_900_000_000_000, id: "1r0000000001" };
    const [, earlier] = signingKeys;
    const foreign = await importSigningKeys(["f".repeat(32)]);
    if (earlier === undefined) throw new Error("the tests have two secrets");
    const open = async (keys: typeof signingKeys) =>
      verifyCursor(await sealCursor(position, "a list", keys), "a list", signingKeys);
    expect([await open(signingKeys), await open([earlier]), await open(foreign)]).toEqual([
      position,
      position,
      undefined,
    ]);
  });
});

it.each([20, 20_000])(
  "a page costs rows by its limit alone, of %d proposals, at the beginning and in the middle",
  { tags: "slow" },
  async (proposals) => {
    const { bank, database } = await createScene(proposals);
    let rows = 0;
    const metered = meterDatabase(database, (results) => {
      for (const { meta } of results) rows += meta.rows_read;
    });
    const token = { ideaBankId: bank.id, panelistId: bank.panelistId, issuedAt: 1_900_000_000 };
    const middle = { key: 1_000_000 + Math.floor(proposals / 10) * 1_000, id: "" };
    for (const limit of [1, 20, 100]) {
      for (const after of [undefined, middle]) {
        rows = 0;
        const { page } = await listEntries(sessionOf(metered), { token, request: { limit, after } });
        expect(rows, `${limit} ${after?.key}`).toBeLessThanOrEqual(6 * (limit + 1) + 20);
        if (proposals > 1_000) expect(page.items).toHaveLength(limit);
      }
    }
  },
);
