/** An isolate's view of idea banks never goes back, and what stands behind it stays small. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Bookmarks } from "../src/database/bookmarks.ts";
import { IdeaBankSnapshots } from "../src/idea-bank/snapshots.ts";
import { interceptStores } from "./support/intercept.ts";
import { createReplica } from "./support/lagging-replica.ts";
import { addAccount, addIdeaBank, addPanelist, newId } from "./support/world.ts";

const FRESH_MS = 60_000;

/** A new isolate's view, and what it says of a token now. `freshMs` 0 asks D1 each time. */
function createView() {
  const snapshots = new IdeaBankSnapshots(new Bookmarks());
  return {
    snapshots,
    read: (database: D1Database, ideaBankId: string, { freshMs = 0, panelistId = newId() } = {}) =>
      snapshots.read(database, { ideaBankId, panelistId }, freshMs, () => {}),
  };
}

const switchOff = (panelistId: string) =>
  env.DB.prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

/** D1 whose first call takes its answer and keeps it until `release`. */
function slowFirstCall() {
  const held = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  let calls = 0;
  const { DB } = interceptStores(env, async (_, makeCall) => {
    calls += 1;
    if (calls > 1) return makeCall();
    const answer = await makeCall();
    taken.resolve();
    await held.promise;
    return answer;
  });
  return { database: DB, taken: taken.promise, release: held.resolve };
}

describe("a read that was overtaken", () => {
  it("by a later one does not replace it", async () => {
    const { id, panelistId } = await addIdeaBank();
    const { read } = createView();
    const { database, taken, release } = slowFirstCall();
    const early = read(database, id, { panelistId });
    await taken;
    await switchOff(panelistId);
    expect((await read(env.DB, id, { panelistId })).tokensRevokedAt).not.toBeNull();
    release();
    await early;
    const later = await read(env.DB, id, { panelistId, freshMs: FRESH_MS });
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
    await env.DB.prepare("UPDATE idea_banks SET status = 'CLOSED' WHERE id = ?1").bind(id).run();
    release();
    await early;
    expect((await read(env.DB, id, { freshMs: FRESH_MS })).ideaBank?.status).toBe("CLOSED");
  });
});

describe("the replica that answers", () => {
  it("is the primary at first, and then the nearest that is not behind what was seen or written", async () => {
    const { id } = await addIdeaBank();
    const replica = await createReplica();
    const { read } = createView();
    await read(replica.database, id);
    await read(replica.database, id);
    expect(replica.asked).toEqual(["first-primary", "00000001"]);
    await replica.write("UPDATE idea_banks SET name = 'B'");
    await read(replica.database, id);
    expect(replica.asked.at(-1)).toBe("00000001");
  });

  it("is not believed when it says that the idea bank is missing or closed: the primary is asked, once", async () => {
    const [anchor, bank] = [await addIdeaBank(), await addIdeaBank({ changelogEnabled: false })];
    const replica = await createReplica();
    const { read } = createView();
    await read(replica.database, anchor.id);
    await replica.write("UPDATE idea_banks SET changelog_enabled = 1");
    replica.asked.length = 0;
    expect((await read(replica.database, bank.id)).ideaBank?.changelogEnabled).toBe(true);
    expect(replica.asked).toEqual(["00000001", "first-primary"]);
    replica.asked.length = 0;
    expect((await read(replica.database, newId())).ideaBank).toBeNull();
    expect(replica.asked.at(-1)).toBe("first-primary");
  });

  it("is believed that an idea bank is missing when it is the primary: that is one round trip", async () => {
    const replica = await createReplica();
    expect((await createView().read(replica.database, newId())).ideaBank).toBeNull();
    expect(replica.asked).toEqual(["first-primary"]);
  });
});

describe("the table of revocations", () => {
  const LONG_AGO = Date.now() - 92 * 86_400_000;
  const add = (accountId: string, panelistId: string, recordedAt: number) =>
    env.DB.prepare(
      "INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) VALUES (?1, ?2, 1, ?3)",
    )
      .bind(accountId, panelistId, recordedAt)
      .run();
  const listed = async () =>
    (
      await env.DB.prepare("SELECT panelist_id FROM token_revocations ORDER BY seq").all<{ panelist_id: string }>()
    ).results.map(({ panelist_id }) => panelist_id);

  it.each([
    ["switching a panelist off", "UPDATE panelists SET active = 0 WHERE id = ?1"],
    ["removing a panelist", "DELETE FROM panelists WHERE id = ?1"],
  ])("forgets two that no token outlives with each that comes, by %s", async (_, change) => {
    const accountId = await addAccount();
    const other = await addAccount();
    for (const name of ["old1", "old2", "old3"]) await add(accountId, name, LONG_AGO);
    await add(other, "theirs", LONG_AGO);
    const panelistId = await addPanelist(accountId);
    await env.DB.prepare(change).bind(panelistId).run();
    expect(await listed()).toEqual(["old3", "theirs", panelistId]);
  });

  it("keeps those that a token may outlive", async () => {
    const accountId = await addAccount();
    for (const name of ["young1", "young2"]) await add(accountId, name, Date.now() - 89 * 86_400_000);
    const panelistId = await addPanelist(accountId);
    await switchOff(panelistId);
    expect(await listed()).toEqual(["young1", "young2", panelistId]);
  });

  it("goes with its account", async () => {
    const { accountId, panelistId } = await addIdeaBank();
    await switchOff(panelistId);
    await addPanelist(accountId);
    await env.DB.prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId).run();
    expect(await listed()).toEqual([]);
  });
});

it("an old comment does not take activity back", async () => {
  const bank = await addIdeaBank();
  const proposalId = newId();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       VALUES (?1, ?2, ?3, 'T', '', 'implemented', 1, 5000)`,
    ).bind(proposalId, bank.accountId, bank.id),
    env.DB.prepare("INSERT INTO comments VALUES (?1, ?2, ?3, NULL, 'B', 2000, 0)").bind(
      newId(),
      bank.accountId,
      proposalId,
    ),
  ]);
  expect(await env.DB.prepare("SELECT last_activity_at FROM proposals").first("last_activity_at")).toBe(5_000);
});
