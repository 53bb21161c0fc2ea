/** The log of changes: which rows each change writes, whoever makes it, in which order, and what that costs. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createLogScene, dropLogTriggers, logOf, watchLog } from "../../support/change-log.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { addVoters, voterId } from "../../support/many-rows.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { PROPOSALS, sendWith } from "../../support/panel.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { giveAddress, telling } from "../../support/told.ts";
import { addAccount, addIdeaBank, addProposal, newId, tokenFor } from "../../support/world.ts";

const idOf = async (response: Response | Promise<Response>) => (await (await response).json<{ id: string }>()).id;

describe("the tenant's", () => {
  it("idea banks: created, updated, deleted; sending the same again is no change", async () => {
    const accountId = await addAccount();
    const { send } = await createTenant({ accountId });
    const added = await watchLog(accountId);
    const id = await idOf(send("POST", "/tenant/ideabanks", { name: "Ideas" }));
    expect(await added()).toEqual([`tenant: ideabank.created ${id}`]);
    await send("PATCH", `/tenant/ideabanks/${id}`, { status: "OPEN", approvalRequired: true });
    expect(await added()).toEqual([`tenant: ideabank.updated ${id}`]);
    await send("PATCH", `/tenant/ideabanks/${id}`, { status: "OPEN", name: "Ideas" });
    expect(await added()).toEqual([]);
    await send("DELETE", `/tenant/ideabanks/${id}`);
    await runJob(env);
    expect(await added()).toEqual([`tenant: ideabank.deleted ${id}`]);
  });

  it("proposals: created, updated, status changed, merged, deleted", async () => {
    const { bank, manage, propose, added } = await createLogScene();
    const [id, other] = [await propose({ status: "planned" }), await propose()];
    const entry = (type: string) => [`tenant: proposal.${type} ${bank}/${id}`];
    expect(await added()).toEqual([...entry("created"), `tenant: proposal.created ${bank}/${other}`]);
    const changes: [object, string[]][] = [
      [{ title: "Another" }, entry("updated")],
      [{ title: "Another", status: "planned" }, []],
      [{ visibility: "hidden" }, entry("updated")],
      [{ response: { text: "Soon." } }, entry("updated")],
      [{ response: { text: "Soon." } }, []],
      [{ status: "implemented", title: "Done" }, entry("status-changed")],
    ];
    for (const [change, expected] of changes) {
      await manage("PATCH", `/proposals/${id}`, change);
      expect(await added(), JSON.stringify(change)).toEqual(expected);
    }
    await manage("POST", `/proposals/${id}/merge`, { into: other });
    expect(await added()).toEqual(entry("merged"));
    await manage("POST", `/proposals/${id}/merge`, { into: other });
    expect(await added()).toEqual([]);
    await manage("DELETE", `/proposals/${other}`);
    await runJob(env);
    // What was merged into it goes with it.
    expect(await added()).toEqual([
      `tenant: proposal.deleted ${bank}/${other}`,
      `system: proposal.deleted ${bank}/${id}`,
    ]);
  });

  it("comments: created and deleted, also a panelist's; with their proposal they are not named", async () => {
    const { bank, manage, propose, robin, added } = await createLogScene();
    const id = await propose({ status: "planned" });
    const mine = await idOf(manage("POST", `/proposals/${id}/comments`, { body: "Ours." }));
    const theirs = await idOf(robin.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Mine." }));
    await manage("DELETE", `/proposals/${id}/comments/${theirs}`);
    await manage("DELETE", `/proposals/${id}`);
    expect(await added()).toEqual([
      `tenant: proposal.created ${bank}/${id}`,
      `tenant: comment.created ${bank}/${id}/${mine}`,
      `panelist: comment.created ${bank}/${id}/${theirs}`,
      `tenant: comment.deleted ${bank}/${id}/${theirs}`,
      `tenant: proposal.deleted ${bank}/${id}`,
    ]);
  });

  it("panelists: created, also by a token, updated, deleted; tokens and uses of them are no changes", async () => {
    const { bank, tenant, added } = await createLogScene();
    const id = await idOf(tenant.send("POST", "/tenant/panelists", { externalId: "one" }));
    expect(await added()).toEqual([`tenant: panelist.created ${id}`]);
    const issue = (body: object) => tenant.send("POST", `/tenant/ideabanks/${bank}/tokens`, body);
    await issue({ externalId: "one" });
    await tenant.send("DELETE", `/tenant/panelists/${id}/tokens`);
    await tenant.send("PATCH", `/tenant/panelists/${id}`, { externalId: "one" });
    expect(await added()).toEqual([]);
    await tenant.send("PATCH", `/tenant/panelists/${id}`, { active: false });
    expect(await added()).toEqual([`tenant: panelist.updated ${id}`]);
    const { panelistId } = await (await issue({ externalId: "two" })).json<{ panelistId: string }>();
    await issue({ externalId: "two", displayName: "Kim" });
    expect(await added()).toEqual([`tenant: panelist.created ${panelistId}`, `tenant: panelist.updated ${panelistId}`]);
    const named = await (await issue({ externalId: "three", displayName: "Lou" })).json<{ panelistId: string }>();
    expect(await added()).toEqual([`tenant: panelist.created ${named.panelistId}`]);
    await tenant.send("DELETE", `/tenant/panelists/${id}`);
    await runJob(env);
    expect(await added()).toEqual([`tenant: panelist.deleted ${id}`]);
  });

  it("surveys: created, updated by each field, deleted; sending the same again is no change", async () => {
    const accountId = await addAccount();
    const { send } = await createTenant({ accountId });
    const added = await watchLog(accountId);
    const id = await idOf(send("POST", "/tenant/surveys", { title: "Rides" }));
    expect(await added()).toEqual([`tenant: survey.created ${id}`]);
    const fields = { title: "T", description: "D", status: "OPEN", url: "https://example.com", externalId: "1" };
    for (const [field, value] of Object.entries(fields)) {
      for (const expected of [[`tenant: survey.updated ${id}`], []]) {
        await send("PATCH", `/tenant/surveys/${id}`, { [field]: value });
        expect(await added(), field).toEqual(expected);
      }
    }
    await send("DELETE", `/tenant/surveys/${id}`);
    await send("DELETE", `/tenant/surveys/${id}`);
    expect(await added()).toEqual([`tenant: survey.deleted ${id}`]);
  });
});

describe("a panelist's", () => {
  it("proposals and comments are in the log as a panelist's; votes are not", async () => {
    const { bank, robin, manage, added } = await createLogScene();
    const id = await robin.submit();
    const proposal = (type: string) => `panelist: proposal.${type} ${bank}/${id}`;
    expect(await added()).toEqual([proposal("created")]);
    await robin.send("PATCH", `${PROPOSALS}/${id}`, { title: "Better" });
    await robin.send("PATCH", `${PROPOSALS}/${id}`, { title: "Better" });
    expect(await added()).toEqual([proposal("updated")]);
    await manage("PATCH", "", { approvalRequired: true });
    await robin.send("PATCH", `${PROPOSALS}/${id}`, { title: "Best" });
    await manage("PATCH", `/proposals/${id}`, { visibility: "public" });
    expect(await added()).toEqual([
      `tenant: ideabank.updated ${bank}`,
      proposal("updated"),
      `tenant: proposal.updated ${bank}/${id}`,
    ]);
    for (const method of ["PUT", "DELETE", "PUT"]) await robin.send(method, `${PROPOSALS}/${id}/vote`);
    expect(await added()).toEqual([]);
    const comment = await idOf(robin.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Mine." }));
    for (const body of ["Changed.", "Changed."])
      await robin.send("PATCH", `${PROPOSALS}/${id}/comments/${comment}`, { body });
    await robin.send("DELETE", `${PROPOSALS}/${id}/comments/${comment}`);
    await robin.send("DELETE", `${PROPOSALS}/${id}`);
    const ofComment = (type: string) => `panelist: comment.${type} ${bank}/${id}/${comment}`;
    expect(await added()).toEqual([...["created", "updated", "deleted"].map(ofComment), proposal("deleted")]);
  });

  it("refused requests are not in it, and a repeated one is in it once", async () => {
    const { bank, robin, panelist, manage, added } = await createLogScene();
    const kim = await panelist("Kim");
    const id = await robin.submit();
    const comment = await idOf(robin.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Mine." }));
    await added();
    const refused = [
      kim.send("PATCH", `${PROPOSALS}/${id}`, { title: "Mine" }),
      kim.send("DELETE", `${PROPOSALS}/${id}`),
      kim.send("DELETE", `${PROPOSALS}/${id}/comments/${comment}`),
    ];
    for (const { status } of await Promise.all(refused)) expect(status).toBe(403);
    await manage("PATCH", "", { commentsEnabled: false });
    expect((await robin.send("DELETE", `${PROPOSALS}/${id}/comments/${comment}`)).status).toBe(403);
    expect(await added()).toEqual([`tenant: ideabank.updated ${bank}`]);
    const once = { "Idempotency-Key": "once" };
    const submit = () => robin.send("POST", PROPOSALS, { title: "T", description: "D" }, once);
    const again = [await idOf(submit()), await idOf(submit())];
    expect(await added()).toEqual([`panelist: proposal.created ${bank}/${again[0]}`]);
  });

  it("comment of which the log has nothing any more can be deleted", async () => {
    const { accountId, bank, robin, propose } = await createLogScene();
    const id = await propose({ status: "planned" });
    const comment = await idOf(robin.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Mine." }));
    await databaseOf(accountId).prepare("DELETE FROM change_log").run();
    expect((await robin.send("DELETE", `${PROPOSALS}/${id}/comments/${comment}`)).status).toBe(204);
    expect(await logOf(accountId)).toMatchObject([
      { number: 1, type: "comment.deleted", actor: "panelist", idea_bank_id: bank, comment_id: comment },
    ]);
  });
});

it("changes made by SQL are in it, as the tenant's", async () => {
  const { bank, rows, accountId, added } = await createLogScene();
  const id = await addProposal(rows);
  const comment = newId(id);
  const run = (sql: string, ...values: string[]) =>
    databaseOf(accountId)
      .prepare(sql)
      .bind(...values)
      .run();
  await addVoters(rows, 1, 1);
  const voter = voterId(rows, 1);
  await run(
    "INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, ?4, 'B', 1, 0)",
    comment,
    accountId,
    id,
    voter,
  );
  await run("UPDATE proposals SET status = 'declined' WHERE id = ?1", id);
  await run("UPDATE proposals SET votes = 7, created_at = 1 WHERE id = ?1", id);
  await run("UPDATE comments SET body = 'C' WHERE id = ?1", comment);
  await run("DELETE FROM comments WHERE id = ?1", comment);
  await run("DELETE FROM panelists WHERE id = ?1", voter);
  await run("DELETE FROM proposals WHERE id = ?1", id);
  expect(await added()).toEqual([
    `tenant: proposal.created ${bank}/${id}`,
    `tenant: panelist.created ${voter}`,
    `panelist: comment.created ${bank}/${id}/${comment}`,
    `tenant: proposal.status-changed ${bank}/${id}`,
    `panelist: comment.updated ${bank}/${id}/${comment}`,
    `tenant: comment.deleted ${bank}/${id}/${comment}`,
    `tenant: panelist.deleted ${voter}`,
    `tenant: proposal.deleted ${bank}/${id}`,
  ]);
});

it("numbers are those of the account, from 1 without a gap, also of changes at the same time and of refused ones", async () => {
  const scenes = [await createLogScene(), await createLogScene()];
  await Promise.all(scenes.flatMap(({ propose }) => Array.from({ length: 10 }, () => propose())));
  for (const { accountId, tenant, bank } of scenes) {
    const before = await logOf(accountId);
    expect(before.map(({ number }) => number)).toEqual(before.map((_, index) => index + 1));
    await databaseOf(accountId).prepare("UPDATE accounts SET max_bytes = 0 WHERE id = ?1").bind(accountId).run();
    const refused = await tenant.send("POST", `/tenant/ideabanks/${bank}/proposals`, { title: "T" });
    expect(refused.status).toBe(409);
    expect(await logOf(accountId)).toEqual(before);
  }
});

it("an account has at most 500,000 changes", async () => {
  const { accountId, propose } = await createLogScene();
  const database = databaseOf(accountId);
  await propose();
  const last = (await logOf(accountId)).length;
  await database.prepare("UPDATE change_log SET number = 499998 WHERE number = ?1").bind(last).run();
  const oldest = async () => (await logOf(accountId))[0]?.number;
  for (const expected of [1, 1, 2, 3]) {
    await propose();
    expect(await oldest()).toBe(expected);
  }
});

it("an account is deleted with its log", async () => {
  const { accountId } = await addOneOfEverything();
  await databaseOf(accountId).prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId).run();
  expect(await logOf(accountId)).toEqual([]);
});

describe("costs", () => {
  const writes = [...operationsOf("apiKey"), ...operationsOf("compoundToken")].filter(({ method }) => method !== "GET");

  /** What a request writes in a new account: rows in all, and of the log. */
  async function written({ operation, path, method, name, status }: (typeof writes)[number], digit: "0" | "1") {
    const isPanelists = operation.credential.kind === "compoundToken";
    const ids = await addOneOfEverything(await addAccount({ digit }), isPanelists ? "panelist" : "tenant");
    const { accountId, ideaBankId, panelistId, proposalId } = ids;
    if (isPanelists)
      await databaseOf(accountId)
        .prepare("UPDATE proposals SET author_id = ?2, status = 'submitted' WHERE id = ?1")
        .bind(proposalId, panelistId)
        .run();
    await giveAddress(panelistId);
    let rows = 0;
    const metered = meterDatabases(telling, (results) => {
      for (const { meta } of results) rows += meta.rows_written;
    });
    const isolate = createIsolate(withoutLimits(metered));
    const send =
      operation.credential.kind === "apiKey"
        ? (await createTenant({ accountId }, isolate)).send
        : sendWith(isolate, await tokenFor(ideaBankId, panelistId));
    const added = await watchLog(accountId);
    expect((await send(method, fillPath(path, ids), bodyOf(operation, ids))).status, name).toBe(status);
    return { rows, logged: (await added()).length };
  }

  it.each(writes)(
    "$name writes at most a row more for each change, and an event for what a key ends",
    async (operation) => {
      await dropLogTriggers(env.DB_1);
      const [logging, without] = [await written(operation, "0"), await written(operation, "1")];
      // A panelist's removal is logged by its own statement, not by a trigger.
      const [more, changes] = [logging.rows - without.rows, logging.logged - without.logged];
      const isTenants = operation.operation.credential.kind === "apiKey";
      // Without the one change that it was for, the row that says which key acts is deleted again.
      expect(more).toBeGreaterThanOrEqual(changes - (isTenants ? 1 : 0));
      expect(more).toBeLessThanOrEqual(changes + (operation.operation.effect === "ends" && isTenants ? 20 : 0));
      expect(logging.logged).toBeLessThanOrEqual(3);
      if (/vote/i.test(operation.path)) expect(logging.logged).toBe(0);
    },
  );
});

it("a neighbour in the same database has a log of its own", async () => {
  const [one, other] = [await addIdeaBank({ digit: "0" }), await addIdeaBank({ digit: "0" })];
  expect(bindingOf(one.id)).toBe(bindingOf(other.id));
  const before = await logOf(other.accountId);
  await addProposal(one);
  expect(await logOf(other.accountId)).toEqual(before);
});
