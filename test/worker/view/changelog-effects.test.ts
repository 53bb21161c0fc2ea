/** A tenant's write shows in the next changelog read through the same isolate, and in other isolates within the freshness window. */
import { describe, expect, it, vi } from "vitest";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { tokenFor } from "../../support/world.ts";

async function read(isolate: Isolate, token: string): Promise<string[] | number> {
  const response = await isolate.request("/public/ideabank/changelog", { headers: { Authorization: token } });
  if (response.status !== 200) return response.status;
  return (await response.json<{ items: { title: string }[] }>()).items.map(({ title }) => title);
}

type Scene = {
  bank: string;
  implemented: string;
  planned: string;
  send: (m: string, p: string, b?: object) => Promise<Response>;
};

const effects: [string, (scene: Scene) => Promise<Response>, string[] | number][] = [
  [
    "implementing a proposal",
    ({ send, planned }) => send("PATCH", planned, { status: "implemented" }),
    ["Planned", "A proposal"],
  ],
  ["editing one", ({ send, implemented }) => send("PATCH", implemented, { title: "Edited" }), ["Edited"]],
  ["un-implementing one", ({ send, implemented }) => send("PATCH", implemented, { status: "declined" }), []],
  ["deleting one", ({ send, implemented }) => send("DELETE", implemented), []],
  [
    "creating an implemented one",
    ({ send, bank }) => send("POST", `${bank}/proposals`, { title: "New", status: "implemented" }),
    ["New", "A proposal"],
  ],
  ["closing the idea bank", ({ send, bank }) => send("PATCH", bank, { status: "CLOSED" }), 404],
  ["disabling its changelog", ({ send, bank }) => send("PATCH", bank, { changelogEnabled: false }), 404],
  ["making it internal", ({ send, bank }) => send("PATCH", bank, { internal: true }), ["A proposal"]],
  ["deleting it", ({ send, bank }) => send("DELETE", bank), 404],
];

async function createScene() {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  const bank = `/tenant/ideabanks/${ids.ideaBankId}`;
  const planned = await tenant.send("POST", `${bank}/proposals`, { title: "Planned", status: "planned" });
  const { id } = await planned.json<{ id: string }>();
  return {
    bank,
    implemented: `${bank}/proposals/${ids.proposalId}`,
    planned: `${bank}/proposals/${id}`,
    send: tenant.send,
    isolate: tenant.isolate,
    token: await tokenFor(ids.ideaBankId, ids.panelistId),
  };
}

describe.each(effects)("%s", (_, change, expected) => {
  it("shows at once through the same isolate, and within the freshness window through any other", {
    tags: "slow",
  }, async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    vi.setSystemTime(start);
    const scene = await createScene();
    const elsewhere = createIsolate();
    expect(await read(scene.isolate, scene.token)).toEqual(["A proposal"]);
    expect(await read(elsewhere, scene.token)).toEqual(["A proposal"]);
    vi.setSystemTime(start + 10);
    expect((await change(scene)).ok).toBe(true);
    expect(await read(scene.isolate, scene.token)).toEqual(expected);
    expect(await read(elsewhere, scene.token)).toEqual(["A proposal"]);
    vi.setSystemTime(start + 5_001);
    expect(await read(elsewhere, scene.token)).toEqual(expected);
  });
});

it("a minor edit of a text shows at once, although it is no activity", async () => {
  const { send, implemented, isolate, token } = await createScene();
  const shown = async () => {
    const response = await isolate.request("/public/ideabank/changelog", { headers: { Authorization: token } });
    return (await response.json<{ items: { description: string; lastModified: number }[] }>()).items;
  };
  const [before] = await shown();
  await send("PATCH", implemented, { description: "Corrected.", minor: true });
  expect(await shown()).toEqual([{ ...before, description: "Corrected." }]);
});

it("changing the maximum shows at once", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const scene = await createScene();
  vi.setSystemTime(Date.now() + 10);
  await scene.send("PATCH", scene.planned, { status: "implemented" });
  expect(await read(scene.isolate, scene.token)).toEqual(["Planned", "A proposal"]);
  await scene.send("PATCH", scene.bank, { changelogMaxEntries: 1 });
  expect(await read(scene.isolate, scene.token)).toEqual(["Planned"]);
});

it("panelists can use an idea bank at once through the isolate that created it", async () => {
  const tenant = await createTenant();
  const created = await tenant.send("POST", "/tenant/ideabanks", { name: "N", status: "OPEN", changelogEnabled: true });
  const { id } = await created.json<{ id: string }>();
  const issued = await tenant.send("POST", `/tenant/ideabanks/${id}/tokens`, { externalId: "x" });
  expect(await read(tenant.isolate, (await issued.json<{ token: string }>()).token)).toEqual([]);
});

it("a write makes every snapshot of its tenant in the isolate stale, and no other tenant's", {
  tags: "slow",
}, async () => {
  const scene = await createScene();
  const [second, third] = [await createScene(), await createScene()];
  const created = await scene.send("POST", "/tenant/ideabanks", { name: "N", status: "OPEN", changelogEnabled: true });
  const another = await created.json<{ id: string }>();
  const issued = await scene.send("POST", `/tenant/ideabanks/${another.id}/tokens`, { externalId: "x" });
  const { token, panelistId } = await issued.json<{ token: string; panelistId: string }>();
  const own = await tokenFor(scene.bank.split("/").at(-1) ?? "", panelistId);
  for (const known of [own, second.token, third.token, token]) expect(await read(scene.isolate, known)).not.toBe(401);
  await scene.send("PATCH", `/tenant/panelists/${panelistId}`, { active: false });
  expect([await read(scene.isolate, own), await read(scene.isolate, token)]).toEqual([401, 401]);
  expect(await read(scene.isolate, second.token)).toEqual(["A proposal"]);
});
