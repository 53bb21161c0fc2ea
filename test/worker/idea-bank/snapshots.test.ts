/** An isolate's view of idea banks never goes back, and what stands behind it stays small. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Databases } from "../../../src/worker/database/databases.ts";
import { IdeaBankSnapshots } from "../../../src/worker/idea-bank/snapshots.ts";
import { runLater } from "../../../src/worker/memory/deadline.ts";
import { databaseOf, openDatabase, selectEverywhere } from "../../support/databases.ts";
import { interceptStores } from "../../support/intercept.ts";
import { createReplica } from "../../support/lagging-replica.ts";
import { addAccount, addIdeaBank, addPanelist, newId } from "../../support/world.ts";

const FRESH_MS = 60_000;

/** A new isolate's view, and what it says of a token now. `freshMs` 0 asks D1 each time. */
function createView() {
  const snapshots = new IdeaBankSnapshots(runLater);
  const databases = new Databases();
  return {
    snapshots,
    read: (binding: D1Database, ideaBankId: string, { freshMs = 0, panelistId = String(newId(ideaBankId)) } = {}) =>
      snapshots.read(openDatabase(binding, databases), { ideaBankId, panelistId }, { freshMs, waitUntil: () => {} }),
  };
}

const switchOff = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** D1 whose first call takes its answer and keeps it until `release`. */
function slowFirstCall() {
  const held = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  let calls = 0;
  const { DB_1 } = interceptStores(env, async (_, makeCall) => {
    calls += 1;
    if (calls > 1) return makeCall();
    const answer = await makeCall();
    taken.resolve();
    await held.promise;
    return answer;
  });
  return { database: DB_1, taken: taken.promise, release: held.resolve };
}

describe("a read that was overtaken", () => {
  it("by a later one does not replace it", async () => {
    const { id, panelistId } = await addIdeaBank();
    const { read } = createView();
    const { database, taken, release } = slowFirstCall();
    const early = read(database, id, { panelistId });
    await taken;
    await switchOff(panelistId);
    expect((await read(databaseOf(id), id, { panelistId })).tokensRevokedAt).not.toBeNull();
    release();
    await early;
    const later = await read(databaseOf(id), id, { panelistId, freshMs: FRESH_MS });
    expect(later.tokensRevokedAt).not.toBeNull();
  });

  it.each([
    ["to the idea bank", (snapshots: IdeaBankSnapshots, id: string) => snapshots.expire(id)],
    ["to its account", (snapshots: IdeaBankSnapshots, _: string, account: string) => snapshots.expireAccount(account)],
  ])("by a write through this isolate %s is not kept as fresh", async (_, expire) => {
    const { id, accountId } = await addIdeaBank();
    const { read, snapshots } = createView();
    const { database, taken, release } = slowFirstCall();
    const early = read(database, id, { freshMs: FRESH_MS });
    await taken;
    expire(snapshots, id, accountId);
    await databaseOf(id).prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(id).run();
    release();
    await early;
    expect((await read(databaseOf(id), id, { freshMs: FRESH_MS })).ideaBank?.status).toBe("CLOSED");
  });
});

describe("the replica that answers", () => {
  it("is the primary at first, and then the nearest that is not behind what was seen or written", async () => {
    const { id } = await addIdeaBank();
    const replica = await createReplica(id);
    const { read } = createView();
    await read(replica.database, id);
    await read(replica.database, id);
    expect(replica.asked).toEqual(["first-primary", "00000001"]);
    await replica.write("UPDATE idea_banks SET name = 'B'");
    await read(replica.database, id);
    expect(replica.asked.at(-1)).toBe("00000001");
  });

  it("is not believed when it says that the idea bank is missing or closed: the primary is asked, once", async () => {
    const anchor = await addIdeaBank();
    const bank = await addIdeaBank({ accountId: anchor.accountId, changelogEnabled: false });
    const replica = await createReplica(anchor.id);
    const { read } = createView();
    await read(replica.database, anchor.id);
    await replica.write("UPDATE idea_banks SET changelog_enabled = 1");
    replica.asked.length = 0;
    expect((await read(replica.database, bank.id)).ideaBank?.changelogEnabled).toBe(true);
    expect(replica.asked).toEqual(["00000001", "first-primary"]);
    replica.asked.length = 0;
    expect((await read(replica.database, newId(anchor.id))).ideaBank).toBeNull();
    expect(replica.asked.at(-1)).toBe("first-primary");
  });

  it("is believed that an idea bank is missing when it is the primary: that is one round trip", async () => {
    const id = newId();
    const replica = await createReplica(id);
    expect((await createView().read(replica.database, id)).ideaBank).toBeNull();
    expect(replica.asked).toEqual(["first-primary"]);
  });
});

describe("the table of revocations", () => {
  const LONG_AGO = Date.now() - 92 * 86_400_000;
  const add = (accountId: string, panelistId: string, recordedAt: number) =>
    databaseOf(accountId)
      .prepare(
        "INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) VALUES (?1, ?2, 1, ?3)",
      )
      .bind(accountId, panelistId, recordedAt)
      .run();
  const listed = async () =>
    (await selectEverywhere<{ panelist_id: string }>("SELECT panelist_id FROM token_revocations ORDER BY seq")).map(
      ({ panelist_id }) => panelist_id,
    );

  it.each([
    ["switching a panelist off", "UPDATE panelists SET active = 0 WHERE id = ?1"],
    ["removing a panelist", "DELETE FROM panelists WHERE id = ?1"],
  ])("has one row of each panelist, the newest last, by %s; the scheduled job deletes old rows", async (_, change) => {
    const accountId = await addAccount();
    const panelistId = await addPanelist(accountId);
    for (const name of ["old", panelistId, "young"]) await add(accountId, name, LONG_AGO);
    await databaseOf(panelistId).prepare(change).bind(panelistId).run();
    expect(await listed()).toEqual(["old", "young", panelistId]);
  });

  it("has no row of a panelist that was written without a change", async () => {
    const { panelistId } = await addIdeaBank();
    const write = "UPDATE panelists SET active = active, tokens_revoked_at = tokens_revoked_at WHERE id = ?1";
    await databaseOf(panelistId).prepare(write).bind(panelistId).run();
    expect(await listed()).toEqual([]);
  });

  it("goes with its account", async () => {
    const { accountId, panelistId } = await addIdeaBank();
    await switchOff(panelistId);
    await addPanelist(accountId);
    await databaseOf(accountId).prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId).run();
    expect(await listed()).toEqual([]);
  });
});

it("an old comment does not take activity back", async () => {
  const bank = await addIdeaBank();
  const proposalId = newId(bank.id);
  const database = databaseOf(bank.id);
  await database.batch([
    database
      .prepare(
        `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       VALUES (?1, ?2, ?3, 'T', '', 'implemented', 1, 5000)`,
      )
      .bind(proposalId, bank.accountId, bank.id),
    database
      .prepare("INSERT INTO comments VALUES (?1, ?2, ?3, NULL, 'B', 2000, 0)")
      .bind(newId(), bank.accountId, proposalId),
  ]);
  expect(await database.prepare("SELECT last_activity_at FROM proposals").first("last_activity_at")).toBe(5_000);
});
