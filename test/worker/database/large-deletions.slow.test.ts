/** Deleting a proposal or a panelist with many rows: gone for every reader at once, deleted in slices. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deleteLeftovers, deletePanelistLeftovers } from "../../../src/worker/database/proposals/deletions.ts";
import { DatabaseOutage } from "../../../src/worker/store/outage.ts";
import { bindingOf, databaseOf, sessionOf } from "../../support/databases.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addComments, addVoters, addVotes, findMiscounts, numbers } from "../../support/many-rows.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";

const MANY = 1_000;

/** A panelist with many votes, proposals and comments; and one of its proposals with many votes, comments and merged proposals. */
async function createScene() {
  const panel = await createPanel();
  const { bank } = panel;
  const database = databaseOf(bank.id);
  const robin = await panel.panelist("Robin");
  const kim = await panel.panelist("Kim");
  const [large, discussed] = [await robin.submit("Large"), await kim.submit("Discussed")];
  await addVoters(bank, 1, MANY);
  await addVotes(bank, large, 1, MANY);
  await addComments(bank, large, kim.id, MANY);
  await addComments(bank, discussed, robin.id, MANY);
  const insert = `INSERT INTO proposals
    (id, account_id, idea_bank_id, author_id, title, description, duplicate_of, created_at, last_activity_at)`;
  await database.batch([
    database
      .prepare(
        `${numbers(1, MANY)} ${insert} SELECT substr(?2, 1, 8) || (i + 1000), ?1, ?2, NULL, 'T', '', ?3, i, i FROM n`,
      )
      .bind(bank.accountId, bank.id, large),
    database
      .prepare(
        `${numbers(1, MANY)} ${insert} SELECT substr(?2, 1, 8) || (i + 5000), ?1, ?2, ?3, 'T', '', NULL, i, i FROM n`,
      )
      .bind(bank.accountId, bank.id, robin.id),
    database
      .prepare("INSERT INTO votes SELECT id, ?2, ?1, ?3, 1 FROM proposals WHERE duplicate_of IS NULL AND id <> ?4")
      .bind(bank.accountId, robin.id, bank.id, large),
  ]);
  let written = 0;
  const metered = meterDatabase(database, (results) => {
    for (const { meta } of results) written += meta.rows_written;
  });
  const isolate = createIsolate({ ...env, [bindingOf(bank.id)]: metered });
  const asTenant = (method: string, path: string) =>
    isolate.request(path, { method, headers: { "X-API-Key": panel.tenant.text } });
  const count = (of: string) => database.prepare(`SELECT count(*) AS n FROM ${of}`).first<number>("n");
  const proposal = (id: string) => `/tenant/ideabanks/${bank.id}/proposals/${id}`;
  const mergedId = `${bank.id.slice(0, 8)}1700`;
  return {
    panel,
    bank,
    database,
    robin,
    kim,
    large,
    discussed,
    mergedId,
    isolate,
    asTenant,
    proposal,
    count,
    rows: () => written,
  };
}

const storedBytes = (accountId: string) =>
  databaseOf(accountId)
    .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first("stored_bytes");

/** A call that is made, and whose answer is lost. */
const cutOff = (database: D1Database) =>
  interceptDatabase(database, async (_, makeCall) => {
    await makeCall();
    throw new Error("Network connection lost.");
  });

describe("a large proposal", () => {
  it.each(["the tenant deletes", "its panelist withdraws"])("that %s is gone at once", async (how) => {
    const { panel, bank, database, robin, kim, large, mergedId, isolate, asTenant, proposal, count, rows } =
      await createScene();
    if (how === "the tenant deletes") expect((await asTenant("DELETE", proposal(large))).status).toBe(204);
    else {
      await database.prepare("DELETE FROM proposals WHERE duplicate_of = ?1").bind(large).run();
      const send = sendWith(isolate, robin.token);
      expect((await send("DELETE", `${PROPOSALS}/${large}`)).status).toBe(204);
    }
    expect(rows()).toBeGreaterThan(100);
    expect(rows()).toBeLessThanOrEqual(1_500);
    for (const id of [large, mergedId]) {
      for (const path of [proposal(id), `${proposal(id)}/comments`])
        expect((await asTenant("GET", path)).status, path).toBe(403);
      for (const below of ["", "/comments"])
        expect((await kim.send("GET", `${PROPOSALS}/${id}${below}`)).status, below).toBe(404);
      for (const [method, below, body] of [
        ["PUT", "/vote", undefined],
        ["POST", "/comments", { body: "B" }],
      ] as const)
        expect((await kim.send(method, `${PROPOSALS}/${id}${below}`, body)).status, below).toBe(404);
      const comment = await panel.tenant.send("POST", `${proposal(id)}/comments`, { body: "B" });
      expect(comment.status).toBe(403);
    }
    for (const query of ["?sort=top", "?mine=submitted", "?mine=voted&sort=top"]) {
      const { items } = await robin.read<{ items: { id: string }[] }>(PROPOSALS + query);
      expect(
        items.map(({ id }) => id),
        query,
      ).not.toContain(large);
    }
    expect(await count(`votes WHERE proposal_id = '${large}'`)).toBeGreaterThan(0);
    await runJob(env);
    expect(await count(`proposals WHERE id = '${large}' OR duplicate_of IS NOT NULL`)).toBe(0);
    expect(await count("deleted_idea_banks")).toBe(0);
    expect(await findMiscounts(bank)).toEqual([]);
  });

  it("is deleted whole when slices run at the same time and one is cut off, and frees its bytes", async () => {
    const { bank, database, large, asTenant, proposal, count } = await createScene();
    await asTenant("DELETE", proposal(large));
    await expect(deleteLeftovers(sessionOf(cutOff(database)))).rejects.toThrow(DatabaseOutage);
    await Promise.all([deleteLeftovers(sessionOf(database)), deleteLeftovers(sessionOf(database)), runJob(env)]);
    await runJob(env);
    expect(await count("deleted_idea_banks")).toBe(0);
    expect(await findMiscounts(bank)).toEqual([]);
    for (const table of ["comments", "proposals", "idea_banks", "panelists", "token_revocations"])
      await database.prepare(`DELETE FROM ${table}`).run();
    expect(await storedBytes(bank.accountId)).toBe(0);
  });
});

it("what is deleted is 403 whatever is sent, also while slices of it are left", async () => {
  const { panel, robin, large, mergedId, proposal, asTenant, count } = await createScene();
  const deleted = [`/tenant/panelists/${robin.id}`, proposal(large)];
  for (const path of deleted) expect((await asTenant("DELETE", path)).status).toBe(204);
  for (const table of ["panelists", "proposals"])
    expect(await count(`${table} WHERE id IN ('${robin.id}', '${mergedId}')`)).toBe(1);
  for (const path of [...deleted, proposal(mergedId)])
    expect((await panel.tenant.send("PATCH", path, { unknown: 1 })).status, path).toBe(403);
});

describe("a panelist with many votes, proposals and comments", () => {
  it("is gone at once: for the tenant, for panelists, and the externalId is free", async () => {
    const { panel, bank, robin, kim, large, discussed, asTenant, proposal, count, rows } = await createScene();
    const path = `/tenant/panelists/${robin.id}`;
    expect((await asTenant("DELETE", path)).status).toBe(204);
    expect(rows()).toBeGreaterThan(100);
    expect(rows()).toBeLessThanOrEqual(1_500);
    for (const method of ["GET", "PATCH", "DELETE"])
      expect((await panel.tenant.send(method, path, method === "PATCH" ? { active: true } : undefined)).status).toBe(
        403,
      );
    expect((await panel.tenant.send("DELETE", `${path}/tokens`)).status).toBe(403);
    const tokens = `/tenant/ideabanks/${bank.id}/tokens`;
    expect((await panel.tenant.send("POST", tokens, { panelistId: robin.id, displayName: "R" })).status).toBe(403);
    const { items } = await (await asTenant("GET", "/tenant/panelists?limit=100")).json<{ items: { id: string }[] }>();
    expect(items.map(({ id }) => id)).not.toContain(robin.id);
    expect((await robin.send("GET", PROPOSALS)).status).toBe(401);
    expect(await (await asTenant("GET", proposal(large))).json()).toMatchObject({ panelistId: null });
    const comments = await (await asTenant("GET", `${proposal(discussed)}/comments`)).json<{ items: object[] }>();
    for (const comment of comments.items) expect(comment).toMatchObject({ by: "panelist", panelistId: null });
    expect(await kim.read(`${PROPOSALS}/${large}`)).toMatchObject({ author: null });
    const again = await panel.tenant.send("POST", "/tenant/panelists", { externalId: robin.externalId });
    expect(again.status).toBe(201);
    expect(await count(`comments WHERE panelist_id = '${robin.id}'`)).toBeGreaterThan(0);
  });

  it("leaves its proposals and comments without an author, and no vote, whatever is cut off or runs twice", async () => {
    const { bank, database, robin, asTenant, count } = await createScene();
    const [proposals, comments, votes] = [await count("proposals"), await count("comments"), await count("votes")];
    await asTenant("DELETE", `/tenant/panelists/${robin.id}`);
    await expect(deletePanelistLeftovers(sessionOf(cutOff(database)))).rejects.toThrow(DatabaseOutage);
    await Promise.all([
      deletePanelistLeftovers(sessionOf(database)),
      deletePanelistLeftovers(sessionOf(database)),
      runJob(env),
    ]);
    await runJob(env);
    for (const of of [
      `panelists WHERE id = '${robin.id}'`,
      `votes WHERE panelist_id = '${robin.id}'`,
      `proposals WHERE author_id = '${robin.id}'`,
      `comments WHERE panelist_id = '${robin.id}'`,
    ])
      expect(await count(of), of).toBe(0);
    expect([await count("proposals"), await count("comments")]).toEqual([proposals, comments]);
    expect(await count("votes")).toBe((votes ?? 0) - MANY - 2);
    expect(await findMiscounts(bank)).toEqual([]);
  });
});
