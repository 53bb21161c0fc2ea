/** A proposal's life as panelists see it: submitted, edited, withdrawn, approved, hidden, answered; and who it says wrote it. */
import { describe, expect, it, vi } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { freeze } from "../../support/clock.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";

const START = 1_900_000_000_000;
const START_ISO = "2030-03-17T17:46:40.000Z";
const LATER_ISO = "2030-03-17T17:47:40.000Z";
const later = () => vi.setSystemTime(START + 60_000);

async function createScene() {
  freeze(START);
  const panel = await createPanel();
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const id = await robin.submit("Night buses", "Every hour.");
  const path = `${PROPOSALS}/${id}`;
  const ids = async (query = "", reader = kim) =>
    (await reader.read<{ items: { id: string }[] }>(PROPOSALS + query)).items.map((item) => item.id);
  return { panel, robin, kim, id, path, ids };
}

const submitted = {
  title: "Night buses",
  description: "Every hour.",
  status: "submitted",
  tags: [],
  votes: 1,
  comments: 0,
  voted: true,
  mine: true,
  by: "panelist",
  author: "Robin",
  visibility: "public",
  response: null,
  duplicateOf: null,
  createdAt: START_ISO,
  lastActivityAt: START_ISO,
};

describe("submitting", () => {
  it("answers with the proposal that everybody reads from then on", async () => {
    const { robin, kim, path, id, ids } = await createScene();
    expect(await robin.read(path)).toEqual({ ...submitted, id });
    expect(await kim.read(path)).toEqual({ ...submitted, id, mine: false, voted: false });
    expect(await ids()).toEqual([id]);
    expect(await ids("?mine=submitted")).toEqual([]);
    expect(await ids("?mine=submitted", robin)).toEqual([id]);
  });

  it("votes for it, where voting is open: in the answer, in its replay, in the lists", { tags: "slow" }, async () => {
    const { panel, robin, kim, id, ids } = await createScene();
    expect(await ids("?mine=voted", robin)).toEqual([id]);
    expect(await ids("?mine=voted", kim)).toEqual([]);
    const key = { "Idempotency-Key": "once" };
    const submit = async (headers = {}) =>
      (await robin.send("POST", PROPOSALS, { title: "Free rides", description: "" }, headers)).json();
    const answer = await submit(key);
    expect(answer).toMatchObject({ votes: 1, voted: true });
    await panel.manage("PATCH", "", { votingEnabled: false });
    expect(await submit(key)).toEqual(answer);
    expect(await submit()).toMatchObject({ votes: 0, voted: false });
    await panel.manage("PATCH", "", { votingEnabled: true, approvalRequired: true });
    expect(await submit()).toMatchObject({ visibility: "pending", votes: 1, voted: true });
    const voters = await (await panel.manage("GET", `/proposals/${id}/votes`)).json();
    expect(voters).toMatchObject({ items: [{ panelistId: robin.id, at: START_ISO }] });
  });

  it("by the tenant, also for a panelist, begins without votes", async () => {
    const { panel, robin, ids } = await createScene();
    const before = await ids("?mine=voted", robin);
    for (const fields of [{}, { panelistId: robin.id }, { panelistExternalId: robin.externalId }]) {
      const created = await panel.manage("POST", "/proposals", { title: "Lifts", ...fields });
      expect(await created.json()).toMatchObject({ votes: 0 });
      const upsert = await panel.manage("PUT", `/proposals/by-external-id/${crypto.randomUUID()}`, {
        title: "Lifts",
        ...fields,
      });
      expect(await upsert.json()).toMatchObject({ votes: 0 });
    }
    expect(await ids("?mine=voted", robin)).toEqual(before);
  });
});

describe("editing one's own", () => {
  it("changes what is sent, is activity, and answers with the proposal", async () => {
    const { robin, kim, path, id } = await createScene();
    later();
    const edited = await robin.send("PATCH", path, { description: "Every half hour." });
    const expected = { ...submitted, id, description: "Every half hour.", lastActivityAt: LATER_ISO };
    expect(await edited.json()).toEqual(expected);
    expect(await kim.read(path)).toEqual({ ...expected, mine: false, voted: false });
  });

  it("with what already stands, or nothing, is no activity", async () => {
    const { robin, path, id } = await createScene();
    later();
    for (const changes of [{}, { title: "Night buses" }, { title: "Night buses", description: "Every hour." }])
      expect(await (await robin.send("PATCH", path, changes)).json()).toEqual({ ...submitted, id });
  });
});

describe.each([
  ["PATCH", { title: "Another" }, 200],
  ["DELETE", undefined, 204],
] as const)("%s of a proposal", (method, body, success) => {
  it("is for who submitted it", async () => {
    const { panel, robin, kim, path } = await createScene();
    const before = await robin.read(path);
    for (const refused of [
      await kim.send(method, path, body),
      await kim.send(method, `${PROPOSALS}/${await panel.propose()}`, body),
    ]) {
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: "forbidden" });
    }
    expect(await robin.read(path)).toEqual(before);
  });

  it.each(PROPOSAL_STATUSES)("while it is `submitted`: %s", async (status) => {
    const { panel, robin, id, path } = await createScene();
    await panel.manage("PATCH", `/proposals/${id}`, { status });
    const before = await robin.read(path);
    const response = await robin.send(method, path, body);
    expect(response.status).toBe(status === "submitted" ? success : 409);
    if (status === "submitted") return;
    expect(await response.json()).toMatchObject({ error: "conflict" });
    expect(await robin.read(path)).toEqual(before);
  });
});

it("withdrawing deletes the proposal, its votes and its comments", async () => {
  const { panel, robin, kim, id, path, ids } = await createScene();
  await kim.send("PUT", `${path}/vote`);
  await kim.send("POST", `${path}/comments`, { body: "Yes." });
  const response = await robin.send("DELETE", path);
  expect([response.status, await response.text()]).toEqual([204, ""]);
  for (const { send } of [robin, kim])
    for (const below of ["", "/comments"]) expect((await send("GET", path + below)).status).toBe(404);
  expect(await ids()).toEqual([]);
  expect(await ids("?mine=voted")).toEqual([]);
  expect((await panel.tenant.send("GET", `/tenant/ideabanks/${panel.bank.id}/proposals/${id}`)).status).toBe(403);
});

describe("where the idea bank asks for approval", () => {
  it("a new proposal is seen by its author and the tenant until the tenant makes it public", async () => {
    const { panel, robin, kim, ids } = await createScene();
    await panel.manage("PATCH", "", { approvalRequired: true });
    const id = await robin.submit("Free rides");
    const path = `${PROPOSALS}/${id}`;
    expect((await kim.send("GET", path)).status).toBe(404);
    expect((await robin.send("GET", path)).status).toBe(200);
    for (const reader of [robin, kim]) expect(await ids("", reader)).not.toContain(id);
    expect(await ids("?mine=submitted", robin)).toContain(id);

    const pending = await panel.manage("GET", "/proposals?visibility=pending");
    expect(await pending.json()).toMatchObject({ items: [{ id, panelistId: robin.id, visibility: "pending" }] });

    await panel.manage("PATCH", `/proposals/${id}`, { visibility: "public" });
    for (const reader of [robin, kim]) expect(await ids("", reader)).toContain(id);
    expect(await (await panel.manage("GET", "/proposals?visibility=pending")).json()).toEqual({ items: [] });
  });

  it("its author reads that it is pending: in the answer, in its replay, in the list, until it is public", async () => {
    const { panel, robin } = await createScene();
    await panel.manage("PATCH", "", { approvalRequired: true });
    const key = { "Idempotency-Key": "once" };
    const submit = async (by: typeof robin, headers = {}) =>
      (await by.send("POST", PROPOSALS, { title: "Free rides" }, headers)).json<{ id: string }>();
    expect(await submit(robin)).toMatchObject({ visibility: "pending" });
    const submitted = await submit(robin, key);
    expect(submitted).toMatchObject({ visibility: "pending", description: "" });
    const path = `${PROPOSALS}/${submitted.id}`;
    expect(await robin.read(path)).toEqual(submitted);
    const { items } = await robin.read<{ items: object[] }>(`${PROPOSALS}?mine=submitted`);
    expect(items).toContainEqual(submitted);
    await panel.manage("PATCH", "", { approvalRequired: false });
    await panel.manage("PATCH", `/proposals/${submitted.id}`, { visibility: "public" });
    // The first answer, as it was.
    expect(await submit(robin, key)).toEqual(submitted);
    expect(await robin.read(path)).toEqual({ ...submitted, visibility: "public" });
    expect(await submit(robin)).toMatchObject({ visibility: "public" });
  });

  it("an approved proposal that its author edits waits for approval again; one that stays the same does not", async () => {
    const { panel, robin, kim, ids } = await createScene();
    await panel.manage("PATCH", "", { approvalRequired: true });
    const id = await robin.submit("Free rides");
    await panel.manage("PATCH", `/proposals/${id}`, { visibility: "public" });
    expect((await robin.send("PATCH", `${PROPOSALS}/${id}`, { title: "Free rides" })).status).toBe(200);
    expect(await ids("", kim)).toContain(id);
    expect((await robin.send("PATCH", `${PROPOSALS}/${id}`, { title: "Not approved" })).status).toBe(200);
    expect(await ids("", kim)).not.toContain(id);
    expect((await kim.send("GET", `${PROPOSALS}/${id}`)).status).toBe(404);
    expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ title: "Not approved" });
    const pending = await panel.manage("GET", "/proposals?visibility=pending");
    expect(await pending.json()).toMatchObject({ items: [{ id, title: "Not approved" }] });
  });

  it("its author can vote for it, comment on it, edit and withdraw it, and nobody else", { tags: "slow" }, async () => {
    const { panel, robin, kim } = await createScene();
    await panel.manage("PATCH", "", { approvalRequired: true });
    const path = `${PROPOSALS}/${await robin.submit("Free rides")}`;
    const steps: [string, string, object | undefined, number][] = [
      ["PUT", `${path}/vote`, undefined, 200],
      ["POST", `${path}/comments`, { body: "Please." }, 201],
      ["PATCH", path, { title: "Cheap rides" }, 200],
      ["DELETE", path, undefined, 204],
    ];
    for (const [method, target, body, status] of steps) {
      expect((await kim.send(method, target, body)).status).toBe(404);
      expect((await robin.send(method, target, body)).status).toBe(status);
    }
  });

  it("what is public already, and what the tenant creates, stays public", async () => {
    const { panel, id, ids } = await createScene();
    await panel.manage("PATCH", "", { approvalRequired: true });
    const tenants = await panel.propose();
    expect((await ids()).toSorted()).toEqual([id, tenants].toSorted());
  });
});

it("a hidden proposal is nobody's, not even its author's, and comes back as it was", { tags: "slow" }, async () => {
  const { panel, robin, kim, id, path, ids } = await createScene();
  await kim.send("PUT", `${path}/vote`);
  const before = await kim.read(path);
  await panel.manage("PATCH", `/proposals/${id}`, { visibility: "hidden" });
  for (const { send } of [robin, kim]) expect((await send("GET", path)).status).toBe(404);
  for (const query of ["", "?mine=submitted", "?mine=voted"])
    for (const reader of [robin, kim]) expect(await ids(query, reader)).toEqual([]);
  await panel.manage("PATCH", `/proposals/${id}`, { visibility: "public" });
  expect(await kim.read(path)).toEqual(before);
});

describe("the official response", () => {
  it("is shown with its time, is activity, and goes when the tenant removes it", async () => {
    const { panel, kim, id, path } = await createScene();
    later();
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "From May on." } });
    const response = { text: "From May on.", respondedAt: LATER_ISO };
    expect(await kim.read(path)).toMatchObject({ response, lastActivityAt: LATER_ISO });
    vi.setSystemTime(START + 120_000);
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "From May on." } });
    expect(await kim.read(path)).toMatchObject({ response, lastActivityAt: LATER_ISO });
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "From June on." } });
    const changed = "2030-03-17T17:48:40.000Z";
    expect(await kim.read(path)).toMatchObject({
      response: { text: "From June on.", respondedAt: changed },
      lastActivityAt: changed,
    });
    await panel.manage("PATCH", `/proposals/${id}`, { response: null });
    expect(await kim.read(path)).toMatchObject({ response: null, lastActivityAt: changed });
  });

  it.each([{ text: "" }, { text: "é".repeat(10_001) }, {}, "yes", { text: "T", respondedAt: START_ISO }])(
    "of %j is refused",
    async (response) => {
      const { panel, id } = await createScene();
      const path = `/tenant/ideabanks/${panel.bank.id}/proposals/${id}`;
      expect((await panel.tenant.send("PATCH", path, { response })).status).toBe(400);
    },
  );
});

describe("the author", () => {
  it("is the panelist's display name now, whatever it was, also when a token gives it", { tags: "slow" }, async () => {
    const { panel, robin, kim, path } = await createScene();
    await kim.send("POST", `${path}/comments`, { body: "Yes." });
    const authors = async () => {
      const { items } = await robin.read<{ items: { author: string | null }[] }>(`${path}/comments`);
      return [(await kim.read<{ author: string | null }>(path)).author, items[0]?.author];
    };
    expect(await authors()).toEqual(["Robin", "Kim"]);
    const rename = (id: string, displayName: string | null) =>
      panel.tenant.send("PATCH", `/tenant/panelists/${id}`, { displayName });
    expect((await rename(robin.id, "Robin H.")).status).toBe(200);
    await rename(kim.id, null);
    expect(await authors()).toEqual(["Robin H.", null]);
    await panel.manage("POST", "/tokens", { externalId: kim.externalId, displayName: "Kim again" });
    await panel.manage("POST", "/tokens", { panelistId: robin.id });
    expect(await authors()).toEqual(["Robin H.", "Kim again"]);
    const created = await panel.manage("POST", "/tokens", { externalId: "new-here", displayName: "Sam" });
    const { panelistId } = await created.json<{ panelistId: string }>();
    const sam = await panel.tenant.send("GET", `/tenant/panelists/${panelistId}`);
    expect(await sam.json()).toMatchObject({ displayName: "Sam", externalId: "new-here" });
  });

  it("is the tenant, without a name, of what the tenant writes for no panelist", async () => {
    const { panel, robin, kim } = await createScene();
    const readNew = async (fields?: object) => kim.read(`${PROPOSALS}/${await panel.propose(fields)}`);
    expect(await readNew()).toMatchObject({ by: "tenant", author: null, mine: false });
    expect(await readNew({ panelistId: robin.id })).toMatchObject({ by: "panelist", author: "Robin", mine: false });
    expect(await readNew({ panelistExternalId: kim.externalId })).toMatchObject({ by: "panelist", mine: true });
    const { bank, tenant } = panel;
    const synced = await tenant.send("PUT", `/tenant/ideabanks/${bank.id}/proposals/by-external-id/a`, { title: "A" });
    const { id } = await synced.json<{ id: string }>();
    expect(await kim.read(`${PROPOSALS}/${id}`)).toMatchObject({ by: "tenant" });
  });

  it("who is deleted leaves proposals and comments without one, and the votes are deleted", {
    tags: "slow",
  }, async () => {
    const { panel, robin, kim, path, ids } = await createScene();
    const another = `${PROPOSALS}/${await kim.submit()}`;
    for (const [index, { send }] of [robin, kim].entries()) {
      vi.setSystemTime(START + index);
      for (const target of [path, another]) await send("PUT", `${target}/vote`);
      await send("POST", `${path}/comments`, { body: "Yes." });
    }
    expect((await panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}`)).status).toBe(204);
    expect(await kim.read(path)).toMatchObject({ by: "panelist", author: null, mine: false, votes: 1, voted: true });
    expect(await kim.read(path)).toMatchObject({ comments: 2 });
    expect(await kim.read(another)).toMatchObject({ author: "Kim", mine: true, votes: 1 });
    expect(await kim.read(`${path}/comments`)).toMatchObject({
      items: [
        { by: "panelist", author: null, mine: false },
        { by: "panelist", author: "Kim", mine: true },
      ],
    });
    expect((await ids("?sort=top")).length).toBe(2);
    expect((await robin.send("GET", path)).status).toBe(401);
    expect((await kim.send("DELETE", path)).status).toBe(403);
  });
});
