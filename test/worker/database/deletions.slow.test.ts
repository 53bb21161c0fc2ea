/** Deleting an idea bank: not accessible at once, its proposals deleted in slices by the scheduled job. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deleteLeftovers, deletePanelistLeftovers } from "../../../src/worker/database/proposals/deletions.ts";
import { countRows, type Digit, databaseOf, selectEverywhere, sessionOf } from "../../support/databases.ts";
import { interceptDatabases, meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addComments, addVoters, addVotes, findMiscounts } from "../../support/many-rows.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createPanel } from "../../support/panel.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { addAccount, addPanelist, tokenFor } from "../../support/world.ts";

/** An idea bank with 1,200 proposals, one of them with 1,200 comments and one with two votes, deleted through the API. */
async function deleteLargeIdeaBank(digit?: Digit) {
  const ids = await addOneOfEverything(await addAccount({ digit }));
  const tenant = await createTenant({ accountId: ids.accountId });
  const { accountId, ideaBankId, proposalId } = ids;
  const n = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)";
  const database = databaseOf(accountId);
  await database.batch([
    database
      .prepare(
        `${n} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, created_at, last_activity_at)
       SELECT 'p' || i, ?1, ?2, 'T', '', i, i FROM n`,
      )
      .bind(accountId, ideaBankId),
    database
      .prepare(
        `${n} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at) SELECT 'c' || i, ?1, (SELECT idea_bank_id FROM proposals WHERE id = ?2), ?2, 'B', i FROM n`,
      )
      .bind(accountId, proposalId),
    database.prepare("UPDATE proposals SET duplicate_of = 'p2' WHERE id = 'p1'"),
  ]);
  for (const panelistId of [ids.panelistId, await addPanelist(accountId)]) {
    await database
      .prepare("INSERT INTO votes VALUES ('p3', ?1, ?2, ?3, 1)")
      .bind(panelistId, accountId, ideaBankId)
      .run();
  }
  expect((await tenant.send("DELETE", `/tenant/ideabanks/${ideaBankId}`)).status).toBe(204);
  return { ids, tenant };
}

describe("the bytes of an account", () => {
  /** Two proposals of a panelist, one of them merged into the other, with votes, comments and tags. */
  async function createScene() {
    const panel = await createPanel();
    const { bank } = panel;
    const database = databaseOf(bank.id);
    const robin = await panel.panelist("Robin");
    await addVoters(bank, 1, 300);
    const stored = () =>
      database
        .prepare("SELECT stored_bytes, counted_votes FROM accounts WHERE id = ?1")
        .bind(bank.accountId)
        .first<{ stored_bytes: number; counted_votes: number }>();
    const empty = await stored();
    const fields = { panelistId: robin.id, tags: ["A", "B"] };
    const [one, other] = [await panel.propose(fields), await panel.propose({ ...fields, externalId: "1" })];
    await addVotes(bank, one, 1, 200);
    await addVotes(bank, other, 101, 300);
    for (const id of [one, other]) await addComments(bank, id, robin.id, 300);
    await panel.manage("POST", `/proposals/${one}/merge`, { into: other });
    await runJob(env);
    expect(await stored()).toMatchObject({ counted_votes: 288 });
    return { panel, database, robin, other, stored, empty };
  }
  type Scene = Awaited<ReturnType<typeof createScene>>;

  const ways: [string, (scene: Scene) => Promise<unknown>][] = [
    ["a proposal", ({ panel, other }) => panel.manage("DELETE", `/proposals/${other}`)],
    [
      "a panelist with what that person wrote",
      ({ panel, robin }) => panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}?content=delete`),
    ],
    ["an idea bank", ({ panel }) => panel.manage("DELETE", "")],
  ];
  it.each(ways)("are given back when %s is deleted, and the votes are right after each slice", async (what, remove) => {
    const scene = await createScene();
    const { panel, database, stored, empty } = scene;
    await remove(scene);
    const session = sessionOf(database);
    while ((await deletePanelistLeftovers(session)) || (await deleteLeftovers(session)))
      expect(await findMiscounts(panel.bank)).toEqual([]);
    expect(await countRows("proposals")).toBe(0);
    expect((await stored())?.counted_votes).toBe(0);
    const goneToo = { "an idea bank": 200 + "An idea bank".length, "a proposal": 0 }[what];
    // Of the panelist the revocation stays.
    const freed = goneToo ?? 150 + "Robin".length + scene.robin.externalId.length - 100;
    expect((await stored())?.stored_bytes).toBe((empty?.stored_bytes ?? 0) - freed);
  });
});

describe("a deleted idea bank", () => {
  it("is not accessible to the tenant and to panelists before its proposals are deleted", async () => {
    const { ids, tenant } = await deleteLargeIdeaBank();
    expect(await countRows("proposals")).toBeGreaterThan(1_000);
    for (const { operation, method, path, name } of operationsOf("apiKey")) {
      if (!path.includes("{ideaBankId}")) continue;
      const response = await tenant.send(method, fillPath(path, ids), bodyOf(operation, ids));
      expect(response.status, name).toBe(403);
    }
    const token = await tokenFor(ids.ideaBankId, ids.panelistId);
    for (const { operation, method, path, name } of operationsOf("compoundToken")) {
      if (name === "getCapabilities") continue;
      const response = await createIsolate().request(fillPath(path, ids), {
        method,
        headers: { Authorization: token, ...(operation.body && { "Content-Type": "application/json" }) },
        body: operation.body ? JSON.stringify(bodyOf(operation)) : null,
      });
      expect(response.status, name).toBe(404);
      const error = path.includes("{surveyId}") ? "survey-not-found" : "idea-bank-not-found";
      expect(await response.json(), name).toMatchObject({ error });
    }
  });

  it("is deleted in slices that write a bounded number of rows", async () => {
    await deleteLargeIdeaBank();
    let most = 0;
    let slices = 0;
    const metered = meterDatabases(env, (results) => {
      slices += 1;
      most = Math.max(most, ...results.map(({ meta }) => meta.rows_written));
    });
    await runJob(metered);
    expect(slices).toBeGreaterThan(4);
    expect(most).toBeLessThan(500 * 20);
    for (const table of ["proposals", "comments", "votes", "deleted_idea_banks"])
      expect(await countRows(table)).toBe(0);
  });

  it("is deleted even when slices run at the same time, or one fails", async () => {
    const database = databaseOf((await deleteLargeIdeaBank()).ids.accountId);
    await Promise.all([deleteLeftovers(sessionOf(database)), deleteLeftovers(sessionOf(database)), runJob(env)]);
    await runJob(env);
    expect(await countRows("proposals")).toBe(0);
    expect(await deleteLeftovers(sessionOf(database))).toBe(false);
  });

  it("is deleted while another database is down, and the run counts as failed", async () => {
    await deleteLargeIdeaBank("0");
    await deleteLargeIdeaBank("1");
    const down = interceptDatabases(
      env,
      (binding) => (_, makeCall) =>
        binding === "DB" ? Promise.reject(new Error("Network connection lost.")) : makeCall(),
    );
    await expect(runJob(down)).rejects.toThrow("the scheduled job failed in part");
    expect(await env.DB_1.prepare("SELECT id FROM deleted_idea_banks").all()).toMatchObject({ results: [] });
    expect(await countRows("deleted_idea_banks")).toBe(1);
    await runJob(env);
    expect(await countRows("deleted_idea_banks")).toBe(0);
  });

  it("does not affect other idea banks, and the next run continues an interrupted one", async () => {
    const other = await addOneOfEverything();
    await deleteLargeIdeaBank();
    let clock = 0;
    await runJob(env, () => (clock += 20_000));
    expect(await countRows("deleted_idea_banks")).toBe(1);
    await runJob(env);
    expect(await countRows("proposals")).toBe(2);
    expect(await selectEverywhere("SELECT id FROM comments")).toEqual([{ id: other.commentId }]);
  });
});
