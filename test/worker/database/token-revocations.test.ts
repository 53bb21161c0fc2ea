/** The table of revocations stays small, and the times of activity never go back. */
import { describe, expect, it } from "vitest";
import { databaseOf, selectEverywhere } from "../../support/databases.ts";
import { addAccount, addIdeaBank, addPanelist, newId } from "../../support/world.ts";

const switchOff = (panelistId: string) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET active = 0 WHERE id = ?1").bind(panelistId).run();

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

  it("a block of somebody who is missing, as after a restore, stays when the person is made again", async () => {
    const accountId = await addAccount();
    const id = newId(accountId);
    await databaseOf(accountId)
      .prepare(
        "INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at) VALUES (?1, ?2, 9007199254740991, 1)",
      )
      .bind(accountId, id)
      .run();
    const write = (sql: string) => databaseOf(id).prepare(sql).bind(id, accountId).run();
    await write("INSERT INTO panelists (id, account_id, created_at) VALUES (?1, ?2, 1)");
    const state = async () => ({
      ...(await databaseOf(id)
        .prepare("SELECT active, tokens_revoked_at < 9007199254740991 AS ends FROM panelists")
        .first()),
    });
    expect([await state(), await listed()]).toEqual([{ active: 0, ends: 1 }, [id]]);
    await write("UPDATE panelists SET active = 1 WHERE id = ?1 AND account_id = ?2");
    expect([await state(), await listed()]).toEqual([{ active: 1, ends: 1 }, [id]]);
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
      .prepare(
        "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, NULL, 'B', 2000, 0)",
      )
      .bind(newId(), bank.accountId, proposalId),
  ]);
  expect(await database.prepare("SELECT last_activity_at FROM proposals").first("last_activity_at")).toBe(5_000);
});
