/** Merging proposals: votes united, final, both keep their comments, and the merged one says where to look. */
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { dumpDatabases } from "../../support/tenant.ts";

type Proposal = { id: string; votes: number; voted: boolean; duplicateOf: string | null };

/** `source` has the votes of two panelists, and `target` of one of them and a third. */
async function createScene() {
  freeze(1_900_000_000_000);
  const panel = await createPanel();
  const [robin, kim, sam] = [await panel.panelist("Robin"), await panel.panelist("Kim"), await panel.panelist("Sam")];
  const [source, target] = [await robin.submit("The source"), await kim.submit("The target")];
  for (const { send } of [robin, kim]) await send("PUT", `${PROPOSALS}/${source}/vote`);
  for (const { send } of [kim, sam]) await send("PUT", `${PROPOSALS}/${target}/vote`);
  for (const id of [source, target]) await sam.send("POST", `${PROPOSALS}/${id}/comments`, { body: `On ${id}.` });
  vi.setSystemTime(1_900_000_060_000);
  const merge = (from: string, into: string) =>
    panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/proposals/${from}/merge`, { into });
  const ids = async (query = "", reader = sam) =>
    (await reader.read<{ items: Proposal[] }>(PROPOSALS + query)).items.map(({ id }) => id);
  return { panel, robin, kim, sam, source, target, merge, ids };
}

describe("merging", { tags: "slow" }, () => {
  it("unites the votes, each panelist counted once, and answers with the proposal that stays", async () => {
    const { robin, kim, sam, source, target, merge } = await createScene();
    const merged = await merge(source, target);
    expect(merged.status).toBe(200);
    expect(await merged.json()).toMatchObject({ id: target, votes: 3, duplicateOf: null });
    for (const { read } of [robin, kim, sam])
      expect(await read(`${PROPOSALS}/${target}`)).toMatchObject({ votes: 3, voted: true });
  });

  it("leaves the merged one to be read by its id, in no list, and both keep their comments", async () => {
    const { robin, kim, sam, source, target, merge, ids } = await createScene();
    expect((await ids()).length).toBe(2);
    await merge(source, target);
    for (const { read } of [robin, kim, sam])
      expect(await read(`${PROPOSALS}/${source}`)).toMatchObject({ duplicateOf: target, comments: 1, votes: 0 });
    for (const id of [source, target])
      expect(await kim.read(`${PROPOSALS}/${id}/comments`)).toMatchObject({ items: [{ body: `On ${id}.` }] });
    for (const sort of ["new", "top", "hot", "active"])
      for (const filter of ["", "&status=submitted"]) expect(await ids(`?sort=${sort}${filter}`)).toEqual([target]);
    expect(await ids("?mine=submitted", robin)).toEqual([]);
    expect(await ids("?mine=voted", robin)).toEqual([target]);
  });

  it("into a proposal that is hidden names no proposal, and is final all the same", async () => {
    const { panel, robin, kim, sam, source, target, merge } = await createScene();
    await merge(source, target);
    for (const [visibility, seenBy] of [
      ["hidden", []],
      ["pending", [kim]],
    ] as const) {
      await panel.manage("PATCH", `/proposals/${target}`, { visibility });
      for (const reader of [robin, kim, sam]) {
        const duplicateOf = seenBy.some((each) => each === reader) ? target : null;
        expect(await reader.read(`${PROPOSALS}/${source}`)).toMatchObject({ duplicateOf });
        for (const [method, below, body] of [
          ["PUT", "/vote"],
          ["DELETE", "/vote"],
          ["POST", "/comments", { body: "B" }],
        ] as const) {
          const refused = await reader.send(method, `${PROPOSALS}/${source}${below}`, body);
          expect(refused.status).toBe(409);
          const problem = await refused.text();
          const { error, duplicateOf: named } = JSON.parse(problem);
          expect([error, named]).toEqual(["conflict", duplicateOf ?? undefined]);
          expect(problem.includes(target)).toBe(duplicateOf !== null);
        }
      }
      for (const [method, body] of [["PATCH", { title: "T" }], ["DELETE"]] as const) {
        const refused = await robin.send(method, `${PROPOSALS}/${source}`, body);
        expect([refused.status, (await refused.text()).includes(target)]).toEqual([409, false]);
      }
    }
  });

  it("is no activity", async () => {
    const { kim, source, target, merge } = await createScene();
    const activity = async () =>
      Promise.all([source, target].map((id) => kim.read<{ lastActivityAt: string }>(`${PROPOSALS}/${id}`)));
    const before = (await activity()).map(({ lastActivityAt }) => lastActivityAt);
    await merge(source, target);
    expect((await activity()).map(({ lastActivityAt }) => lastActivityAt)).toEqual(before);
  });

  it("again into the same one changes nothing, and is no error", async () => {
    const { source, target, merge } = await createScene();
    const first = await (await merge(source, target)).json();
    const before = await dumpDatabases();
    expect(await (await merge(source, target)).json()).toEqual(first);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is final: into another, or back, is 409 naming the target", async () => {
    const { panel, source, target, merge } = await createScene();
    const third = await panel.propose();
    await merge(source, target);
    const before = await dumpDatabases();
    for (const [from, into] of [
      [source, third],
      [target, source],
      [third, source],
    ] as const) {
      const refused = await merge(from, into);
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ error: "conflict", duplicateOf: target });
    }
    expect(await dumpDatabases()).toEqual(before);
  });

  it("takes what was merged before along, votes and name", async () => {
    const { panel, robin, source, target, merge } = await createScene();
    const third = await panel.propose();
    await merge(source, target);
    await merge(target, third);
    for (const id of [source, target])
      expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ duplicateOf: third });
    expect(await robin.read(`${PROPOSALS}/${third}`)).toMatchObject({ votes: 3, voted: true, duplicateOf: null });
    const vote = await robin.send("PUT", `${PROPOSALS}/${source}/vote`);
    expect([vote.status, await vote.json()]).toEqual([409, expect.objectContaining({ duplicateOf: third })]);
  });

  it("into itself is 400; into what is not of the idea bank 403; and nothing is written", async () => {
    const { panel, source, merge } = await createScene();
    const [elsewhere, sister] = [await createPanel(), await createPanel({ accountId: panel.bank.accountId })];
    const before = await dumpDatabases();
    expect((await merge(source, source)).status).toBe(400);
    const foreign = [await elsewhere.propose(), await sister.propose()];
    const written = await dumpDatabases();
    expect(written).not.toEqual(before);
    for (const id of [...foreign, "000000000000"]) {
      expect((await merge(source, id)).status).toBe(403);
      expect((await merge(id, source)).status).toBe(403);
    }
    expect(await dumpDatabases()).toEqual(written);
  });
});

describe("a merged proposal", () => {
  it.each([
    ["PUT", "/vote", undefined],
    ["DELETE", "/vote", undefined],
    ["POST", "/comments", { body: "B" }],
    ["PATCH", "", { title: "T" }],
    ["DELETE", "", undefined],
  ])(
    "answers %s %s with 409, naming the target, and nothing is written",
    { tags: "slow" },
    async (method, below, body) => {
      const { robin, source, target, merge } = await createScene();
      await merge(source, target);
      const before = await dumpDatabases();
      const refused = await robin.send(method, `${PROPOSALS}/${source}${below}`, body);
      expect(refused.status).toBe(409);
      const problem = await refused.json<{ detail: string }>();
      expect(problem).toMatchObject({ error: "conflict", duplicateOf: target });
      expect(problem.detail).toContain(target);
      expect(await dumpDatabases()).toEqual(before);
    },
  );

  it("still lets its panelists delete their own comments", async () => {
    const { sam, source, target, merge } = await createScene();
    await merge(source, target);
    const path = `${PROPOSALS}/${source}/comments`;
    const { items } = await sam.read<{ items: { id: string }[] }>(path);
    expect((await sam.send("DELETE", `${path}/${items[0]?.id}`)).status).toBe(204);
  });

  it("keeps the count of the panelists who are left when one of them is deleted", { tags: "slow" }, async () => {
    const { panel, robin, kim, source, target, merge } = await createScene();
    await merge(source, target);
    await panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}`);
    expect(await kim.read(`${PROPOSALS}/${target}`)).toMatchObject({ votes: 2 });
    expect(await kim.read(`${PROPOSALS}/${source}`)).toMatchObject({ votes: 0, voted: false });
  });

  it("goes with its target when the tenant deletes that", async () => {
    const { panel, kim, source, target, merge } = await createScene();
    await merge(source, target);
    await panel.manage("DELETE", `/proposals/${target}`);
    for (const id of [source, target]) expect((await kim.send("GET", `${PROPOSALS}/${id}`)).status).toBe(404);
  });
});

it("a proposal that others were merged into can be edited and cannot be withdrawn, and the refusal says so", {
  tags: "slow",
}, async () => {
  const { kim, source, target, merge } = await createScene();
  await merge(source, target);
  expect((await kim.send("PATCH", `${PROPOSALS}/${target}`, { title: "Edited" })).status).toBe(200);
  const before = await dumpDatabases();
  const refused = await kim.send("DELETE", `${PROPOSALS}/${target}`);
  const detail = expect.stringContaining(
    "edited or withdrawn only while its status is `submitted`, and cannot be withdrawn once",
  );
  expect([refused.status, await refused.json()]).toEqual([409, expect.objectContaining({ error: "conflict", detail })]);
  expect(await dumpDatabases()).toEqual(before);
});
