/** Up to 100 people, votes or comments in one request. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { watchLog } from "../../support/change-log.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes, findMiscounts, voterId } from "../../support/many-rows.ts";
import { createPanel, type Panel } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";
import { newId } from "../../support/world.ts";

async function createScene() {
  const panel = await createPanel();
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const id = await panel.propose();
  const of = `/tenant/ideabanks/${panel.bank.id}/proposals`;
  return { panel, robin, kim, id, votes: `${of}/${id}/votes`, batch: `${of}/${id}/comments/batch`, of };
}

async function send(panel: Panel, method: string, path: string, body: object, headers = {}) {
  const answer = await panel.tenant.send(method, path, body, headers);
  return { status: answer.status, replayed: answer.headers.get("Idempotency-Replayed"), body: await answer.json() };
}

const countsOf = async (panel: Panel, path: string) => {
  const { votes, comments } = await (await panel.tenant.send("GET", path)).json<{ votes: number; comments: number }>();
  return { votes, comments };
};

it("people are created once, and keep their names; each is the person of a token for the same id", async () => {
  const { panel, robin } = await createScene();
  const added = await watchLog(panel.bank.accountId);
  const put = (panelists: object[]) => send(panel, "PUT", "/tenant/panelists", { panelists });
  const people = [
    { externalId: "new-1", displayName: "Ada" },
    { externalId: robin.externalId, displayName: "Another name" },
    { externalId: "new-2" },
    { externalId: "new-1", displayName: "Ada again" },
  ];
  const first = await put(people);
  const { ids } = first.body as { ids: string[] };
  expect(first).toMatchObject({ status: 200, body: { created: 2 } });
  expect([ids[1], ids[3]]).toEqual([robin.id, ids[0]]);
  expect((await put(people)).body).toEqual({ ids, created: 0 });
  const token = { externalId: "new-2" };
  const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, token);
  expect(await issued.json()).toMatchObject({ panelistId: ids[2] });
  const named = await Promise.all(
    ids.map(async (id) => (await panel.tenant.send("GET", `/tenant/panelists/${id}`)).json<{ displayName: string }>()),
  );
  expect(named.map(({ displayName }) => displayName)).toEqual(["Ada", "Robin", null, "Ada"]);
  expect((await added()).filter((line) => line.includes("panelist.created"))).toHaveLength(2);
  const other = await createPanel();
  const theirs = await send(other, "PUT", "/tenant/panelists", { panelists: [{ externalId: "new-1" }] });
  expect(theirs).toMatchObject({ body: { created: 1 } });
  expect((theirs.body as { ids: string[] }).ids).not.toContain(ids[0]);
});

it("a hundred people cost one read of the account's salt, in a new isolate too", async () => {
  const { panel } = await createScene();
  const { env: counted, counts } = countStores(env);
  const tenant = await createTenant({ accountId: panel.bank.accountId }, createIsolate(counted));
  await tenant.send("GET", "/tenant/whoami");
  Object.assign(counts, { d1: 0 });
  const panelists = Array.from({ length: 100 }, (_, index) => ({ externalId: `new-${index}` }));
  expect((await tenant.send("PUT", "/tenant/panelists", { panelists })).status).toBe(200);
  expect(counts.d1).toBe(2);
});

it("a person who is still being deleted is named, and the others exist", async () => {
  const { panel, kim } = await createScene();
  await databaseOf(kim.id).prepare("UPDATE panelists SET deleted_at = 1 WHERE id = ?1").bind(kim.id).run();
  const panelists = [{ externalId: "new" }, { externalId: kim.externalId }];
  expect(await send(panel, "PUT", "/tenant/panelists", { panelists })).toMatchObject({
    status: 409,
    body: { error: "conflict", detail: expect.stringContaining("panelists.1") },
  });
  const found = await panel.tenant.send("GET", "/tenant/panelists?externalId=new");
  expect((await found.json<{ items: object[] }>()).items).toHaveLength(1);
  for (const refused of [
    [],
    [{}],
    [{ externalId: null }],
    [{ externalId: " x" }],
    [{ externalId: "x", active: false }],
  ])
    expect((await send(panel, "PUT", "/tenant/panelists", { panelists: refused })).status).toBe(400);
});

it("a hundred panelists vote in one request; again, or beside a vote that is there, each counts once", async () => {
  const { panel, robin, kim, votes } = await createScene();
  await addVoters(panel.bank, 1, 98);
  const many = Array.from({ length: 98 }, (_, index) => ({ panelistId: voterId(panel.bank, index + 1) }));
  await send(panel, "PUT", votes, { voters: [{ panelistId: kim.id }] });
  const voters = [{ panelistExternalId: robin.externalId }, { panelistId: kim.id }, ...many];
  const added = await watchLog(panel.bank.accountId);
  for (const _ of [1, 2])
    expect(await send(panel, "PUT", votes, { voters })).toMatchObject({ status: 200, body: { votes: 100 } });
  const same = [{ panelistId: robin.id }, { panelistExternalId: robin.externalId }];
  expect(await send(panel, "PUT", votes, { voters: same })).toMatchObject({ status: 200, body: { votes: 100 } });
  expect(await added()).toEqual([]);
  expect(await findMiscounts(panel.bank)).toEqual([]);
});

it("comments keep their order, authors and times, and the log has each; a retry with its key writes nothing and answers the same", async () => {
  const { panel, robin, kim, id, batch, of } = await createScene();
  const added = await watchLog(panel.bank.accountId);
  const comments = [
    { body: "First", createdAt: "2020-01-01T00:00:00.000Z", panelistId: robin.id },
    { body: "Second", createdAt: "2020-01-02T00:00:00.000Z", panelistExternalId: kim.externalId },
    { body: "Ours “§” 🙂\n'", createdAt: "2020-01-03T00:00:00.000Z" },
  ];
  const key = { "Idempotency-Key": "once" };
  const first = await send(panel, "POST", batch, { comments }, key);
  expect(first.status).toBe(201);
  const { ids } = first.body as { ids: string[] };
  expect(await send(panel, "POST", batch, { comments }, key)).toEqual({ ...first, replayed: "true" });
  expect((await send(panel, "POST", batch, { comments: comments.slice(1) }, key)).status).toBe(422);
  const { items } = await (await panel.tenant.send("GET", `${of}/${id}/comments`)).json<{ items: object[] }>();
  expect(items.toReversed()).toMatchObject([
    { id: ids[0], by: "panelist", panelistId: robin.id, body: "First", createdAt: comments[0]?.createdAt },
    { id: ids[1], by: "panelist", panelistId: kim.id, body: "Second", createdAt: comments[1]?.createdAt },
    { id: ids[2], by: "tenant", panelistId: null, body: comments[2]?.body, createdAt: comments[2]?.createdAt },
  ]);
  const place = `${panel.bank.id}/${id}`;
  expect(await added()).toEqual([
    `tenant: comment.created ${place}/${ids[0]}/${robin.id}`,
    `tenant: comment.created ${place}/${ids[1]}/${kim.id}`,
    `tenant: comment.created ${place}/${ids[2]}`,
  ]);
  expect(await countsOf(panel, `${of}/${id}`)).toEqual({ votes: 0, comments: 3 });
});

it("comments of one time are listed in the order of the batch", async () => {
  const { panel, batch, id, of } = await createScene();
  const comments = Array.from({ length: 12 }, (_, index) => ({ body: `Comment ${index}` }));
  const { ids } = (await send(panel, "POST", batch, { comments })).body as { ids: string[] };
  const { items } = await (await panel.tenant.send("GET", `${of}/${id}/comments`)).json<{
    items: { id: string; body: string }[];
  }>();
  expect(items.toReversed().map(({ id: each, body }) => ({ id: each, body }))).toEqual(
    comments.map(({ body }, index) => ({ id: ids[index], body })),
  );
});

it("one panelist who does not exist, or is another tenant's, refuses all of them by place; nothing is written", async () => {
  const { panel, robin, kim, id, votes, batch, of } = await createScene();
  const theirs = await (await createPanel()).panelist();
  await panel.tenant.send("DELETE", `/tenant/panelists/${kim.id}`);
  const added = await watchLog(panel.bank.accountId);
  for (const named of [
    { panelistId: newId() },
    { panelistId: theirs.id },
    { panelistId: kim.id },
    { panelistExternalId: theirs.externalId },
    { panelistExternalId: kim.externalId },
  ]) {
    expect(await send(panel, "PUT", votes, { voters: [{ panelistId: robin.id }, named] })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("voters.1") },
    });
    const comments = [{ body: "A", panelistId: robin.id }, { body: "B" }, { body: "C", ...named }];
    expect(await send(panel, "POST", batch, { comments }, { "Idempotency-Key": "same" })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("comments.2") },
    });
  }
  expect(await countsOf(panel, `${of}/${id}`)).toEqual({ votes: 0, comments: 0 });
  expect(await added()).toEqual([]);
});

it("lists of none, of more than 100, with both names or a time to come are 400; another tenant's proposal is 403", {
  tags: "slow",
}, async () => {
  const { panel, robin, id, votes, batch, of } = await createScene();
  const list = (length: number, item: object) => Array.from({ length }, () => item);
  const both = { panelistId: robin.id, panelistExternalId: robin.externalId };
  for (const voters of [[], list(101, { panelistId: robin.id }), [both], [{}], ["x"]])
    expect((await send(panel, "PUT", votes, { voters })).status).toBe(400);
  expect(await send(panel, "PUT", votes, { voters: [] })).toMatchObject({
    body: { errors: [{ path: "voters", message: "must have at least 1 item" }] },
  });
  for (const comments of [[], list(101, { body: "A" }), [{ ...both, body: "A" }], [{ body: "" }]])
    expect((await send(panel, "POST", batch, { comments })).status).toBe(400);
  const future = [{ body: "A" }, { body: "B", createdAt: "2999-01-01T00:00:00Z" }];
  expect(await send(panel, "POST", batch, { comments: future })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "comments.1.createdAt" }] },
  });
  const other = await createPanel();
  expect((await send(other, "PUT", votes, { voters: [{ panelistId: (await other.panelist()).id }] })).status).toBe(403);
  expect((await send(other, "POST", batch, { comments: [{ body: "A" }] })).status).toBe(403);
  expect(await countsOf(panel, `${of}/${id}`)).toEqual({ votes: 0, comments: 0 });
});

it("a merged proposal takes no votes, and votes on their way to its target count once", { tags: "slow" }, async () => {
  const { panel, id, votes, of } = await createScene();
  const into = await panel.propose();
  await addVoters(panel.bank, 1, 200);
  await addVotes(panel.bank, id, 1, 200);
  await panel.manage("POST", `/proposals/${id}/merge`, { into });
  const late = [{ panelistId: voterId(panel.bank, 199) }, { panelistId: voterId(panel.bank, 200) }];
  expect(await send(panel, "PUT", votes, { voters: late })).toMatchObject({ status: 409, body: { duplicateOf: into } });
  expect((await send(panel, "PUT", `${of}/${into}/votes`, { voters: late })).status).toBe(200);
  await runJob(env);
  expect(await countsOf(panel, `${of}/${into}`)).toMatchObject({ votes: 200 });
  expect(await findMiscounts(panel.bank)).toEqual([]);
});

it("a key without panelists:read names nobody by panelistExternalId, in a list either", async () => {
  const { panel, robin, votes, batch } = await createScene();
  const scopes = ["ideabanks:read", "ideabanks:write"] as const;
  const blind = await createTenant({ accountId: panel.bank.accountId, scopes });
  const named = { panelistExternalId: robin.externalId };
  for (const [method, path, body] of [
    ["PUT", votes, { voters: [{ panelistId: robin.id }, named] }],
    ["POST", batch, { comments: [{ body: "A", ...named }] }],
  ] as const) {
    const answer = await blind.send(method, path, body);
    expect(answer.status).toBe(403);
    expect((await answer.json<{ detail: string }>()).detail).toContain("panelists:read");
  }
});

it("a full account's batch is refused whole", async () => {
  const { panel, robin, id, votes, batch, of } = await createScene();
  const { accountId } = panel.bank;
  const { stored } = (await databaseOf(accountId)
    .prepare("SELECT stored_bytes AS stored FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first<{ stored: number }>()) ?? { stored: 0 };
  // Room for one of two.
  const limit = (bytes: number) =>
    databaseOf(accountId).prepare("UPDATE accounts SET max_bytes = ?2 WHERE id = ?1").bind(accountId, bytes).run();
  await limit(stored + 1_500);
  const comments = [{ body: "a".repeat(900) }, { body: "b".repeat(900) }];
  expect(await send(panel, "POST", batch, { comments })).toMatchObject({
    status: 409,
    body: { error: "quota-exceeded" },
  });
  await limit(stored);
  expect((await send(panel, "PUT", votes, { voters: [{ panelistId: robin.id }] })).status).toBe(409);
  expect(await countsOf(panel, `${of}/${id}`)).toEqual({ votes: 0, comments: 0 });
});
