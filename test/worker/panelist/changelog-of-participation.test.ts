/** The changelog stays right, whatever panelists and the tenant do to its proposals. */
import { describe, expect, it, vi } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { CHANGELOG, createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";

const START = 1_900_000_000_000;

/** Two implemented proposals, the older one first, and another isolate that has seen them. */
async function createScene() {
  freeze(START);
  const panel = await createPanel();
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const older = await panel.propose({ title: "Older", status: "implemented" });
  vi.setSystemTime(START + 1_000);
  const newer = await panel.propose({ title: "Newer", status: "implemented" });
  const elsewhere = createIsolate();
  const read = async (isolate = panel.isolate) => {
    const response = await sendWith(isolate, robin.token)("GET", CHANGELOG);
    const { items } = await response.json<{ items: { title: string; lastModified: number }[] }>();
    return { titles: items.map(({ title }) => title), items, etag: response.headers.get("ETag") };
  };
  const version = () =>
    databaseOf(panel.bank.id)
      .prepare("SELECT changelog_version AS version FROM idea_banks WHERE id = ?1")
      .bind(panel.bank.id)
      .first("version");
  expect((await read()).titles).toEqual(["Newer", "Older"]);
  expect((await read(elsewhere)).titles).toEqual(["Newer", "Older"]);
  vi.setSystemTime(START + 60_000);
  return {
    panel,
    robin,
    kim,
    older,
    newer,
    elsewhere,
    read,
    version,
    before: { ...(await read()), version: await version() },
  };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

/** Seen at once through the isolate that it went through, and by any other within the freshness window. */
async function expectTitles({ read, elsewhere }: Scene, titles: string[]): Promise<void> {
  expect((await read()).titles).toEqual(titles);
  vi.setSystemTime(Date.now() + 5_000);
  expect((await read(elsewhere)).titles).toEqual(titles);
  expect((await read(createIsolate())).titles).toEqual(titles);
}

it("has an entry without a text for a proposal without a description", async () => {
  const { robin, panel, read } = await createScene();
  const { id } = await (await robin.send("POST", PROPOSALS, { title: "Ours" })).json<{ id: string }>();
  await panel.manage("PATCH", `/proposals/${id}`, { status: "implemented" });
  expect((await read()).items[0]).toEqual({
    title: "Ours",
    description: "",
    lastModified: Math.floor(Date.now() / 1000),
  });
});

const moving: [string, (scene: Scene) => Promise<unknown>][] = [
  [
    "an official response",
    ({ panel, older }) => panel.manage("PATCH", `/proposals/${older}`, { response: { text: "Done." } }),
  ],
  ["an edit", ({ panel, older }) => panel.manage("PATCH", `/proposals/${older}`, { description: "In every bus." })],
];

it.each(moving)("%s on an implemented proposal moves it up", async (_, change) => {
  const scene = await createScene();
  await change(scene);
  await expectTitles(scene, ["Older", "Newer"]);
  const { items, etag } = await scene.read();
  expect(items[0]?.lastModified).toBe((START + 60_000) / 1_000);
  expect(etag).not.toBe(scene.before.etag);
  expect(await scene.version()).not.toBe(scene.before.version);
});

const still: [string, (scene: Scene) => Promise<unknown>][] = [
  ["a vote", ({ kim, older }) => kim.send("PUT", `${PROPOSALS}/${older}/vote`)],
  [
    "a vote that is taken back",
    async ({ kim, older }) => {
      await kim.send("PUT", `${PROPOSALS}/${older}/vote`);
      return kim.send("DELETE", `${PROPOSALS}/${older}/vote`);
    },
  ],
  [
    "the votes of a panelist who is deleted",
    async ({ panel, kim, older }) => {
      await kim.send("PUT", `${PROPOSALS}/${older}/vote`);
      return panel.tenant.send("DELETE", `/tenant/panelists/${kim.id}`);
    },
  ],
  [
    "a panelist's comment on an implemented proposal",
    ({ kim, older }) => kim.send("POST", `${PROPOSALS}/${older}/comments`, { body: "Thank you!" }),
  ],
  [
    "the tenant's comment on an implemented proposal, written, edited and deleted",
    async ({ panel, older }) => {
      const comments = `/proposals/${older}/comments`;
      const { id } = await (await panel.manage("POST", comments, { body: "Enjoy!" })).json<{ id: string }>();
      await panel.manage("PATCH", `${comments}/${id}`, { body: "Enjoy it!" });
      return panel.manage("DELETE", `${comments}/${id}`);
    },
  ],
  [
    "the tenant's comment for a panelist on an implemented proposal",
    ({ panel, kim, older }) =>
      panel.manage("POST", `/proposals/${older}/comments`, { body: "Thank you!", panelistId: kim.id }),
  ],
  [
    "a merge into an implemented proposal",
    async ({ panel, kim, older }) => {
      const id = await kim.submit();
      await kim.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Soon?" });
      return panel.manage("POST", `/proposals/${id}/merge`, { into: older });
    },
  ],
  [
    "a change of what the changelog does not show",
    ({ panel, older }) => panel.manage("PATCH", `/proposals/${older}`, { tags: ["Buses"], externalId: "1" }),
  ],
  [
    "a minor official response",
    ({ panel, older }) =>
      panel.manage("PATCH", `/proposals/${older}`, { minor: true, response: { text: "It is in version 4.2." } }),
  ],
  ["a submission", ({ kim }) => kim.submit()],
  [
    "a comment on a proposal that is not implemented",
    async ({ kim }) => kim.send("POST", `${PROPOSALS}/${await kim.submit()}/comments`, { body: "Yes." }),
  ],
  [
    "a merge of proposals that are not implemented",
    async ({ panel, kim }) =>
      panel.manage("POST", `/proposals/${await kim.submit()}/merge`, { into: await kim.submit() }),
  ],
];

it.each(still)("%s leaves version, ETag and bytes alone", async (_, change) => {
  const scene = await createScene();
  await change(scene);
  expect(await scene.version()).toBe(scene.before.version);
  vi.setSystemTime(Date.now() + 1_000);
  for (const isolate of [scene.panel.isolate, scene.elsewhere, createIsolate()]) {
    const { etag, items } = await scene.read(isolate);
    expect([etag, items]).toEqual([scene.before.etag, scene.before.items]);
  }
});

describe("a minor change", () => {
  it.each(["PATCH", "PUT"])(
    "by %s corrects the text of an entry, which keeps its date and place",
    { tags: "slow" },
    async (method) => {
      const scene = await createScene();
      const { panel, older, before } = scene;
      await panel.manage("PATCH", `/proposals/${older}`, { externalId: "older" });
      const path = method === "PATCH" ? `/proposals/${older}` : "/proposals/by-external-id/older";
      const fields = { title: "Old", description: "Corrected." };
      const answer = await panel.manage(method, path, { ...fields, minor: true });
      expect(await answer.json()).toMatchObject({ ...fields, lastActivityAt: new Date(START).toISOString() });
      await expectTitles(scene, ["Newer", "Old"]);
      const dates = (items: typeof before.items) => items.map(({ lastModified }) => lastModified);
      expect(dates((await scene.read()).items)).toEqual(dates(before.items));
      await panel.manage(method, path, { title: "Older", minor: false });
      await expectTitles(scene, ["Older", "Newer"]);
    },
  );
});

describe.each(["pending", "hidden"])("a proposal that is %s", { tags: "slow" }, (visibility) => {
  it("leaves the changelog, and comes back when it is public", async () => {
    const scene = await createScene();
    await scene.panel.manage("PATCH", `/proposals/${scene.newer}`, { visibility });
    await expectTitles(scene, ["Older"]);
    await scene.panel.manage("PATCH", `/proposals/${scene.newer}`, { visibility: "public" });
    await expectTitles(scene, ["Newer", "Older"]);
  });

  it("is never in it, whatever its status and whatever happens to it", async () => {
    const scene = await createScene();
    const { panel, robin, version, before } = scene;
    const id = await robin.submit("Unseen");
    await panel.manage("PATCH", `/proposals/${id}`, { visibility });
    for (const status of PROPOSAL_STATUSES) {
      await panel.manage("PATCH", `/proposals/${id}`, { status });
      await panel.manage("POST", `/proposals/${id}/comments`, { body: status });
      await robin.send("POST", `${PROPOSALS}/${id}/comments`, { body: status });
      expect((await scene.read()).titles).toEqual(["Newer", "Older"]);
    }
    expect(await version()).toBe(before.version);
  });
});

describe("a merged proposal", () => {
  it("leaves the changelog for good, whatever its status, and its target stays", { tags: "slow" }, async () => {
    const scene = await createScene();
    const { panel, older, newer } = scene;
    await panel.manage("POST", `/proposals/${newer}/merge`, { into: older });
    await expectTitles(scene, ["Older"]);
    for (const status of PROPOSAL_STATUSES) {
      await panel.manage("PATCH", `/proposals/${newer}`, { status, response: { text: status } });
      expect((await scene.read()).titles).toEqual(["Older"]);
    }
  });

  it("into one that is not implemented is in it no more either", async () => {
    const scene = await createScene();
    await scene.panel.manage("POST", `/proposals/${scene.newer}/merge`, { into: await scene.kim.submit() });
    await expectTitles(scene, ["Older"]);
  });
});

it("a proposal that a panelist has submitted is in it once it is approved and implemented", {
  tags: "slow",
}, async () => {
  const scene = await createScene();
  await scene.panel.manage("PATCH", "", { approvalRequired: true });
  const id = await scene.kim.submit("Kim's");
  await scene.panel.manage("PATCH", `/proposals/${id}`, { status: "implemented" });
  await expectTitles(scene, ["Newer", "Older"]);
  await scene.panel.manage("PATCH", `/proposals/${id}`, { visibility: "public" });
  await expectTitles(scene, ["Kim's", "Newer", "Older"]);
  await scene.panel.tenant.send("DELETE", `/tenant/panelists/${scene.kim.id}`);
  await expectTitles(scene, ["Kim's", "Newer", "Older"]);
});
