/** The tenant's own id of a proposal, its metadata, and imports: created or changed by that id, once. */
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addComments } from "../../support/many-rows.ts";
import { CHANGELOG, createPanel } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";

const NOW = Date.UTC(2030, 0, 1);
type Proposal = { id: string; externalId: string | null; createdAt: string; lastActivityAt: string };

async function createScene() {
  freeze(NOW);
  const panel = await createPanel();
  const proposals = `/tenant/ideabanks/${panel.bank.id}/proposals`;
  const put = (externalId: string, body: object, isolate = createIsolate()) =>
    createTenant({ accountId: panel.bank.accountId }, isolate).then((tenant) =>
      tenant.send("PUT", `${proposals}/by-external-id/${encodeURIComponent(externalId)}`, body),
    );
  const list = async (query: string) =>
    (await (await panel.tenant.send("GET", `${proposals}?${query}`)).json<{ items: Proposal[] }>()).items;
  const send = async (method: string, below: string, body: object) => {
    const answer = await panel.tenant.send(method, proposals + below, body);
    return { status: answer.status, body: await answer.json<Proposal & { error?: string; detail?: string }>() };
  };
  return { panel, put, list, send };
}

describe("PUT by the tenant's own id", () => {
  it("creates, then changes, and says which; the same again changes nothing", async () => {
    const { put, list } = await createScene();
    const body = { title: "Night buses", description: "Every hour.", tags: ["Bus"] };
    const created = await put("TRACK-42", body);
    const proposal = await created.json<Proposal>();
    expect([created.status, proposal]).toMatchObject([201, { externalId: "TRACK-42", ...body, status: "submitted" }]);
    freeze(NOW + 1_000);
    const same = await put("TRACK-42", body);
    expect([same.status, await same.json()]).toEqual([200, proposal]);
    const changed = await put("TRACK-42", { title: "Night buses", status: "planned" });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      { ...proposal, status: "planned", lastActivityAt: "2030-01-01T00:00:01.000Z" },
    ]);
    expect(await list("externalId=TRACK-42")).toHaveLength(1);
    expect(await list("")).toHaveLength(1);
  });

  it("gives one proposal for requests at the same moment, through whatever isolate", async () => {
    const { put, list } = await createScene();
    const answers = await Promise.all(Array.from({ length: 6 }, () => put("T-1", { title: "Once" })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json<Proposal>()).id));
    expect(new Set(ids).size).toBe(1);
    expect(await list("")).toHaveLength(1);
  });

  it("takes every visible character, and refuses another spelling of the same", async () => {
    const { put, list } = await createScene();
    for (const id of ["a/b", "100 %", "?x=1&y#z", "é", "ü".repeat(255), "日本"]) {
      expect((await put(id, { title: "T" })).status, id).toBe(201);
      expect((await put(id.normalize("NFD"), { title: "T" })).status, id).toBe(id.normalize("NFD") === id ? 200 : 400);
      const found = await list(new URLSearchParams({ externalId: id }).toString());
      expect(found.map(({ externalId }) => externalId)).toEqual([id]);
    }
  });

  it.each(["u".repeat(256), "a\nb", "a\u200bb", " "])("refuses %j with 400, and 403 comes first", async (id) => {
    const { put, panel } = await createScene();
    const refused = await put(id, { title: "T" });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ path: "externalId" }] });
    const other = await createTenant();
    const path = `/tenant/ideabanks/${panel.bank.id}/proposals/by-external-id/${encodeURIComponent(id)}`;
    expect((await other.send("PUT", path, { title: "T" })).status).toBe(403);
  });

  it("finds a merged proposal, too, and frees the id of a deleted one", async () => {
    const { put, list, panel } = await createScene();
    const { id } = await (await put("A", { title: "A" })).json<Proposal>();
    const into = await panel.propose();
    await panel.manage("POST", `/proposals/${id}/merge`, { into });
    expect(await list("externalId=A")).toMatchObject([{ id, duplicateOf: into }]);
    expect((await put("A", { title: "B" })).status).toBe(200);
    expect(await list("")).toMatchObject([{ id: into }]);
    await panel.manage("DELETE", `/proposals/${id}`);
    const again = await put("A", { title: "A" });
    expect([again.status, (await again.json<Proposal>()).id === id]).toEqual([201, false]);
  });

  it("is told that an id is taken while what has it is being deleted", async () => {
    const { put, panel } = await createScene();
    const { id } = await (await put("A", { title: "A" })).json<Proposal>();
    const into = await panel.propose();
    await panel.manage("POST", `/proposals/${id}/merge`, { into });
    await databaseOf(id).prepare("UPDATE proposals SET idea_bank_id = id WHERE id = ?1").bind(into).run();
    const refused = await put("A", { title: "A" });
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: "conflict" }]);
  });
});

describe("the external id", () => {
  it("is unique in its idea bank: 409 on creation and on change; null removes it", async () => {
    const { send } = await createScene();
    const first = await send("POST", "", { title: "A", externalId: "X" });
    const second = await send("POST", "", { title: "B" });
    expect(await send("POST", "", { title: "C", externalId: "X" })).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
    const path = `/${second.body.id}`;
    expect(await send("PATCH", path, { externalId: "X", title: "Changed" })).toMatchObject({ status: 409 });
    expect(await send("PATCH", path, { externalId: "Y" })).toMatchObject({
      status: 200,
      body: { externalId: "Y", title: "B" },
    });
    expect(await send("PATCH", `/${first.body.id}`, { externalId: null })).toMatchObject({
      body: { externalId: null },
    });
    expect(await send("PATCH", path, { externalId: "X" })).toMatchObject({ status: 200 });
  });

  it("and the metadata can be another idea bank's, too", async () => {
    const { send, panel } = await createScene();
    await send("POST", "", { title: "A", externalId: "X" });
    const other = await createPanel({ accountId: panel.bank.accountId });
    expect((await other.manage("POST", "/proposals", { title: "A", externalId: "X" })).status).toBe(201);
  });
});

describe("metadata", () => {
  it("is replaced as a whole, and is no activity", async () => {
    const { send } = await createScene();
    const { body } = await send("POST", "", { title: "A", metadata: { a: "1", b: "" } });
    expect(body).toMatchObject({ metadata: { a: "1", b: "" } });
    freeze(NOW + 1_000);
    const changed = await send("PATCH", `/${body.id}`, { metadata: { c: "3" }, tags: ["Bus"] });
    expect(changed.body).toEqual({ ...body, metadata: { c: "3" }, tags: ["Bus"] });
    expect((await send("PATCH", `/${body.id}`, { metadata: {} })).body).toMatchObject({ metadata: {} });
  });

  it.each([
    [{ a: 1 }],
    [[]],
    ["text"],
    [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, ""]))],
    [{ ["k".repeat(65)]: "" }],
    [{ "": "" }],
    [{ a: "x".repeat(1_001) }],
    [Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`k${index}`, "x".repeat(900)]))],
  ])("%j is refused", async (metadata) => {
    const { send } = await createScene();
    const refused = await send("POST", "", { title: "A", metadata });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: expect.stringMatching(/^metadata/) }] } });
  });

  it("counts in the account's storage, as the external id and the tags do", async () => {
    const { send, panel } = await createScene();
    const stored = () =>
      databaseOf(panel.bank.id)
        .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
        .bind(panel.bank.accountId)
        .first("stored_bytes");
    const before = Number(await stored());
    const { body } = await send("POST", "", { title: "A" });
    const plain = Number(await stored()) - before;
    await send("PATCH", `/${body.id}`, { metadata: { a: "é" }, externalId: "é", tags: ["é"] });
    expect(Number(await stored()) - before).toBe(plain + 10 + 2 + 6 + 100);
    await send("PATCH", `/${body.id}`, { metadata: {}, externalId: null, tags: [] });
    expect(Number(await stored()) - before).toBe(plain);
  });
});

describe("createdAt", () => {
  it("is the time of everything that is created with it; an update does not change it", async () => {
    const { put, panel } = await createScene();
    const at = "2019-05-01T08:00:00.000Z";
    const response = { text: "Done." };
    const imported = await put("A", {
      title: "A",
      status: "implemented",
      response,
      createdAt: "2019-05-01T10:00:00+02:00",
    });
    const proposal = await imported.json();
    expect(proposal).toMatchObject({ createdAt: at, lastActivityAt: at, response: { ...response, respondedAt: at } });
    const again = await put("A", { title: "A", createdAt: "2018-01-01T00:00:00Z", response });
    expect([again.status, await again.json()]).toEqual([200, proposal]);
    const robin = await panel.panelist();
    expect(await robin.read(CHANGELOG)).toMatchObject({ items: [{ title: "A", lastModified: Date.parse(at) / 1000 }] });
  });

  it.each(["2030-01-01T00:00:00.001Z", "1969-12-31T23:59:59Z", "2019-05-01", "2019-13-01T00:00:00Z", "yesterday"])(
    "of %s is refused, and 403 comes first",
    async (createdAt) => {
      const { send, panel } = await createScene();
      const body = { title: "A", createdAt };
      expect(await send("POST", "", body)).toMatchObject({ status: 400, body: { errors: [{ path: "createdAt" }] } });
      const other = await createTenant();
      expect((await other.send("POST", `/tenant/ideabanks/${panel.bank.id}/proposals`, body)).status).toBe(403);
    },
  );
});

it("an id is free again when its proposal is deleted, also while slices of that are left", async () => {
  const { panel, put, send } = await createScene();
  const [source, target] = [await put("A", { title: "Source" }), await put("B", { title: "Target" })];
  const [{ id: sourceId }, { id: targetId }] = [await source.json<Proposal>(), await target.json<Proposal>()];
  await addComments(panel.bank, sourceId, panel.bank.panelistId, 120);
  expect((await send("POST", `/${sourceId}/merge`, { into: targetId })).status).toBe(200);
  const path = `/tenant/ideabanks/${panel.bank.id}`;
  expect((await panel.tenant.send("DELETE", `${path}/proposals/${sourceId}`)).status).toBe(204);
  expect((await put("A", { title: "Another one" })).status).toBe(201);
  expect((await panel.tenant.send("DELETE", path)).status).toBe(204);
  const database = databaseOf(panel.bank.id);
  for (let slice = 0; slice < 5; slice++) await runJob({ DB: database });
  const left = await database.prepare("SELECT count(*) AS n FROM proposals").first<number>("n");
  expect(left).toBe(0);
});

it("a search finds public proposals beside however many that are hidden", async () => {
  const { list, send } = await createScene();
  for (let n = 0; n < 60; n++) await send("POST", "", { title: `Export ${n}`, visibility: "hidden" });
  // The last active of those that have the word.
  freeze(NOW + 1_000);
  const { body } = await send("POST", "", { title: "App export" });
  const found = await list("q=export");
  expect(found.map(({ id }) => id)).toContain(body.id);
});

it("no list by external id has what was deleted with the proposal that it was merged into", async () => {
  const { panel, put, list, send } = await createScene();
  const isolate = createIsolate();
  const { id: into } = await (await put("target", { title: "Target" }, isolate)).json<Proposal>();
  // More than are deleted with the answer.
  for (let n = 0; n < 55; n++) {
    const { id } = await (await put(`own-${n}`, { title: "Own" }, isolate)).json<Proposal>();
    await send("POST", `/${id}/merge`, { into });
  }
  expect(await list("externalId=own-54")).toHaveLength(1);
  await panel.tenant.send("DELETE", `/tenant/ideabanks/${panel.bank.id}/proposals/${into}`);
  for (let n = 0; n < 55; n++) expect(await list(`externalId=own-${n}`)).toEqual([]);
});

it("the pairs of metadata have no order: the same ones again change nothing", async () => {
  const { panel, put } = await createScene();
  await put("A", { title: "T", metadata: { a: "1", b: "2" } });
  const read = async (after: string) =>
    (await panel.tenant.send("GET", `/tenant/changes?after=${after}`)).json<{ items: object[]; nextCursor: string }>();
  const { nextCursor } = await read("now");
  expect((await put("A", { title: "T", metadata: { b: "2", a: "1" } })).status).toBe(200);
  expect((await read(nextCursor)).items).toEqual([]);
});
