/** The tenant acts for a panelist: proposals, comments, votes. */

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { watchLog } from "../../support/change-log.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes, findMiscounts, voterId } from "../../support/many-rows.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";
import { newId } from "../../support/world.ts";

const NOW = Date.UTC(2030, 0, 1);
type Body = { id: string; votes: number; items: { panelistId: string }[]; nextCursor?: string };

async function createScene() {
  freeze(NOW);
  const panel = await createPanel();
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const id = await panel.propose();
  const path = `/tenant/ideabanks/${panel.bank.id}/proposals`;
  const send = async (method: string, below: string, body?: object, headers = {}) => {
    const answer = await panel.tenant.send(method, path + below, body, headers);
    return { status: answer.status, body: await answer.json<Body>() };
  };
  return { panel, robin, kim, id, send, added: await watchLog(panel.bank.accountId) };
}

const KEY = { "Idempotency-Key": "once" };
const ANOTHER = { "Idempotency-Key": "another" };

describe("a proposal and a comment for a panelist", { tags: "slow" }, () => {
  it("are the panelist's, named by either id, in a replay too; the log says that the tenant acted, and for whom", async () => {
    const { panel, robin, kim, id, send, added } = await createScene();
    const bank = panel.bank.id;
    const one = await send("POST", "", { title: "A", panelistId: robin.id });
    const other = await send("POST", "", { title: "B", panelistExternalId: kim.externalId }, KEY);
    expect(await send("POST", "", { title: "B", panelistExternalId: kim.externalId }, KEY)).toEqual(other);
    expect([one.body, other.body]).toMatchObject([{ panelistId: robin.id }, { panelistId: kim.id }]);
    expect(await robin.read(`${PROPOSALS}/${one.body.id}`)).toMatchObject({ author: "Robin", mine: true });
    const comment = await send(
      "POST",
      `/${id}/comments`,
      { body: "Yes.", panelistExternalId: robin.externalId },
      ANOTHER,
    );
    expect(
      await send("POST", `/${id}/comments`, { body: "Yes.", panelistExternalId: robin.externalId }, ANOTHER),
    ).toEqual(comment);
    expect(comment).toMatchObject({ status: 201, body: { by: "panelist", panelistId: robin.id } });
    expect(await added()).toEqual([
      `tenant: proposal.created ${bank}/${one.body.id}/${robin.id}`,
      `tenant: proposal.created ${bank}/${other.body.id}/${kim.id}`,
      `tenant: comment.created ${bank}/${id}/${comment.body.id}/${robin.id}`,
    ]);
    const edited = await robin.send("PATCH", `${PROPOSALS}/${id}/comments/${comment.body.id}`, { body: "No." });
    expect(edited.status).toBe(200);
    await robin.send("PATCH", `${PROPOSALS}/${one.body.id}`, { title: "C" });
    expect(await added()).toEqual([
      `panelist: comment.updated ${bank}/${id}/${comment.body.id}`,
      `panelist: proposal.updated ${bank}/${one.body.id}`,
    ]);
    const feed = await (await panel.tenant.send("GET", "/tenant/changes?limit=100")).json<{ items: object[] }>();
    expect(feed.items).toContainEqual(
      expect.objectContaining({
        type: "comment.created",
        by: "tenant",
        panelistId: robin.id,
        commentId: comment.body.id,
      }),
    );
    for (const item of feed.items) if ("proposalId" in item) expect(item).not.toHaveProperty("panelist");
  });

  it("need no open idea bank; a comment keeps its createdAt, and is activity unless the proposal is implemented", async () => {
    const { panel, robin, send } = await createScene();
    const id = await panel.propose({ status: "implemented", createdAt: "2019-01-01T00:00:00Z" });
    await panel.manage("PATCH", "", {
      status: "CLOSED",
      submissionsEnabled: false,
      commentsEnabled: false,
      votingEnabled: false,
    });
    expect((await send("POST", "", { title: "A", panelistId: robin.id })).status).toBe(201);
    const createdAt = "2020-01-01T00:00:00.000Z";
    const comment = await send("POST", `/${id}/comments`, { body: "B", panelistId: robin.id, createdAt });
    expect(comment).toMatchObject({ status: 201, body: { createdAt } });
    expect((await send("GET", `/${id}`)).body).toMatchObject({ lastActivityAt: "2019-01-01T00:00:00.000Z" });
    await send("POST", `/${id}/comments`, { body: "Ours.", createdAt });
    expect((await send("GET", `/${id}`)).body).toMatchObject({ lastActivityAt: "2019-01-01T00:00:00.000Z" });
    const planned = await panel.propose({ status: "planned", createdAt: "2019-01-01T00:00:00Z" });
    await send("POST", `/${planned}/comments`, { body: "B", panelistId: robin.id, createdAt });
    expect((await send("GET", `/${planned}`)).body).toMatchObject({ lastActivityAt: createdAt });
    await send("POST", `/${planned}/comments`, { body: "Earlier", createdAt: "2019-06-01T00:00:00.000Z" });
    expect((await send("GET", `/${planned}`)).body).toMatchObject({ lastActivityAt: createdAt });
    expect((await send("PUT", `/${id}/votes/${robin.id}`)).status).toBe(200);
    const future = { body: "B", createdAt: "2030-01-01T00:00:01Z" };
    expect((await send("POST", `/${id}/comments`, future)).status).toBe(400);
  });

  it("are refused for a panelist whom there is not, who is deleted, or who is another tenant's; and nothing is written", async () => {
    const { panel, robin, kim, id, send, added } = await createScene();
    const other = await createPanel();
    const theirs = await other.panelist();
    await panel.tenant.send("DELETE", `/tenant/panelists/${kim.id}`);
    await added();
    const named = [
      { panelistId: newId() },
      { panelistId: kim.id },
      { panelistId: theirs.id },
      { panelistExternalId: "nobody" },
      { panelistExternalId: kim.externalId },
      { panelistExternalId: theirs.externalId },
    ];
    for (const who of named) {
      for (const [below, body] of [
        ["", { title: "A" }],
        [`/${id}/comments`, { body: "B" }],
        [`/${id}/votes`, {}],
      ] as const) {
        const refused = await send("POST", below, { ...body, ...who });
        expect(refused, JSON.stringify(who)).toMatchObject({
          status: 403,
          body: { detail: "There is no such panelist. Create the panelist first." },
        });
      }
      const upsert = await send("PUT", "/by-external-id/X", { title: "A", ...who });
      expect(upsert.status).toBe(403);
    }
    const both = { panelistId: robin.id, panelistExternalId: robin.externalId };
    for (const [below, body] of [
      ["", { title: "A" }],
      [`/${id}/comments`, { body: "B" }],
      [`/${id}/votes`, {}],
    ] as const)
      expect((await send("POST", below, { ...body, ...both })).status).toBe(400);
    expect((await send("POST", `/${id}/votes`, {})).status).toBe(400);
    expect(await added()).toEqual([]);
  });
});

describe("a vote for a panelist", () => {
  it("counts once however it is given, is the panelist's own, and is no change in the log", async () => {
    const { panel, robin, kim, id, send, added } = await createScene();
    expect(await send("PUT", `/${id}/votes/${robin.id}`)).toEqual({ status: 200, body: { voted: true, votes: 1 } });
    expect((await send("POST", `/${id}/votes`, { panelistExternalId: robin.externalId })).body.votes).toBe(1);
    await robin.send("PUT", `${PROPOSALS}/${id}/vote`);
    expect((await send("POST", `/${id}/votes`, { panelistId: kim.id })).body.votes).toBe(2);
    expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ voted: true, votes: 2 });
    expect(await send("DELETE", `/${id}/votes/${kim.id}`)).toEqual({ status: 200, body: { voted: false, votes: 1 } });
    expect((await send("DELETE", `/${id}/votes/${kim.id}`)).body.votes).toBe(1);
    await kim.send("PUT", `${PROPOSALS}/${id}/vote`);
    expect((await send("DELETE", `/${id}/votes/${kim.id}`)).body.votes).toBe(1);
    expect(await kim.read(`${PROPOSALS}/${id}`)).toMatchObject({ voted: false });
    expect(await added()).toEqual([]);
    expect(await findMiscounts(panel.bank)).toEqual([]);
  });

  it("is not taken by a merged proposal, and counts once while votes are on their way to its target", {
    tags: "slow",
  }, async () => {
    const { panel, id, send } = await createScene();
    const into = await panel.propose();
    await addVoters(panel.bank, 1, 200);
    await addVotes(panel.bank, id, 1, 200);
    await panel.manage("POST", `/proposals/${id}/merge`, { into });
    const late = voterId(panel.bank, 200);
    expect(await send("PUT", `/${id}/votes/${late}`)).toMatchObject({ status: 409, body: { duplicateOf: into } });
    const { votes } = (await send("PUT", `/${into}/votes/${late}`)).body;
    expect(votes).toBeLessThan(200);
    expect((await send("DELETE", `/${into}/votes/${voterId(panel.bank, 199)}`)).status).toBe(200);
    await runJob(env);
    expect((await send("GET", `/${into}`)).body.votes).toBe(199);
    expect(await findMiscounts(panel.bank)).toEqual([]);
  });
});

describe("who votes", () => {
  it("is listed once each, in pages, with names for a key that may read panelists alone; deleted panelists are not", async () => {
    const { panel, robin, kim, id, send } = await createScene();
    await send("PUT", `/${id}/votes/${robin.id}`);
    vi.setSystemTime(NOW + 1_000);
    await kim.send("PUT", `${PROPOSALS}/${id}/vote`);
    const voters = [
      { panelistId: robin.id, externalId: robin.externalId, displayName: "Robin", at: "2030-01-01T00:00:00.000Z" },
      { panelistId: kim.id, externalId: kim.externalId, displayName: "Kim", at: "2030-01-01T00:00:01.000Z" },
    ].toSorted((a, b) => (a.panelistId < b.panelistId ? -1 : 1));
    expect((await send("GET", `/${id}/votes`)).body).toEqual({ items: voters });
    const first = (await send("GET", `/${id}/votes?limit=1`)).body;
    expect(first.items).toEqual(voters.slice(0, 1));
    expect((await send("GET", `/${id}/votes?limit=1&cursor=${first.nextCursor}`)).body).toEqual({
      items: voters.slice(1),
    });
    const narrow = await createTenant({ accountId: panel.bank.accountId, scopes: ["ideabanks:read"] });
    const seen = await (await narrow.send("GET", `/tenant/ideabanks/${panel.bank.id}/proposals/${id}/votes`)).json();
    expect(seen).toEqual({ items: voters.map((voter) => ({ ...voter, externalId: null, displayName: null })) });
    await databaseOf(kim.id).prepare("UPDATE panelists SET deleted_at = 1 WHERE id = ?1").bind(kim.id).run();
    expect((await send("GET", `/${id}/votes`)).body.items.map(({ panelistId }) => panelistId)).toEqual([robin.id]);
  });

  it("costs a page of rows, however many vote", { tags: "slow" }, async () => {
    const { panel, id } = await createScene();
    let read = 0;
    const metered = meterDatabases(env, (results) => {
      for (const { meta } of results) read += meta.rows_read;
    });
    const tenant = await createTenant({ accountId: panel.bank.accountId }, createIsolate(metered));
    const costOf = async (query: string) => {
      read = 0;
      const answer = await tenant.send(
        "GET",
        `/tenant/ideabanks/${panel.bank.id}/proposals/${id}/votes?limit=10${query}`,
      );
      const { items, nextCursor } = await answer.json<Body>();
      return { items: items.length, read, nextCursor };
    };
    const costs = [];
    for (const [from, to] of [
      [1, 50],
      [51, 3_000],
    ] as const) {
      await addVoters(panel.bank, from, to);
      await addVotes(panel.bank, id, from, to);
      const first = await costOf("");
      const second = await costOf(`&cursor=${first.nextCursor}`);
      costs.push([first, second].map(({ items, read }) => ({ items, read })));
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]?.[0]?.read).toBeLessThanOrEqual(2 * 11 + 5);
  });
});

it("a key without panelists:read learns nobody by panelistExternalId: 403, whether there is such a person or not", async () => {
  const { panel, robin, id } = await createScene();
  const accountId = panel.bank.accountId;
  const blind = await createTenant({ accountId, scopes: ["ideabanks:read", "ideabanks:write", "panelists:write"] });
  const path = `/tenant/ideabanks/${panel.bank.id}/proposals`;
  const added = await watchLog(accountId);
  for (const panelistExternalId of [robin.externalId, "nobody"])
    for (const [method, below, body] of [
      ["POST", "", { title: "A" }],
      ["PUT", "/by-external-id/one", { title: "A" }],
      ["POST", `/${id}/comments`, { body: "B" }],
      ["POST", `/${id}/votes`, {}],
    ] as const) {
      const answer = await blind.send(method, path + below, { ...body, panelistExternalId });
      expect([method, below, answer.status]).toEqual([method, below, 403]);
      expect((await answer.json<{ detail: string }>()).detail).toContain("panelists:read");
    }
  expect(await added()).toEqual([]);
  expect((await blind.send("POST", path, { title: "A", panelistId: robin.id })).status).toBe(201);
});
