/** Tags: set by the tenant, seen and filtered by panelists, counted, at most 200 in an idea bank; what lists by tag cost. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SORTS } from "../../../src/worker/model/panelist-proposal.ts";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { numbers } from "../../support/many-rows.ts";
import { createPanel, listPath, sendWith } from "../../support/panel.ts";

type Page = { items: { id: string; title: string; tags: string[] }[]; nextCursor?: string };

async function createScene() {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const robin = await panel.panelist("Robin");
  const patch = (id: string, body: object) => panel.manage("PATCH", `/proposals/${id}`, body);
  const titles = async (query: Record<string, string>) =>
    (await robin.read<Page>(listPath(query))).items.map(({ title }) => title);
  const tags = async () => (await robin.read<{ items: { tag: string; proposals: number }[] }>("/ideabank/tags")).items;
  return { panel, robin, patch, titles, tags };
}

const tagsIn = async (ideaBankId: string, table: string) =>
  (await databaseOf(ideaBankId).prepare(`SELECT * FROM ${table} WHERE idea_bank_id = ?1`).bind(ideaBankId).all())
    .results;

describe("a panelist", () => {
  it("sees a proposal's tags, and lists by tag in every sort, with a status, and of one's own", {
    tags: "slow",
  }, async () => {
    const { panel, robin, patch, titles } = await createScene();
    const [bus] = [await panel.propose({ title: "Bus", tags: ["Road", "Fast"] })];
    await panel.propose({ title: "Train", tags: ["Rail", "Fast"], status: "planned" });
    await panel.propose({ title: "Walk" });
    const own = await robin.submit("Own");
    for (const { send } of [robin, await panel.panelist()]) await send("PUT", `/ideabank/proposals/${bus}/vote`);
    await patch(own, { tags: ["Fast"] });
    expect(await robin.read(`/ideabank/proposals/${bus}`)).toMatchObject({ tags: ["Road", "Fast"] });
    for (const sort of SORTS) {
      expect((await titles({ sort, tag: "Fast" })).toSorted()).toEqual(["Bus", "Own", "Train"]);
      expect(await titles({ sort, tag: "Fast", status: "planned" })).toEqual(["Train"]);
      expect(await titles({ sort, tag: "Fast", mine: "submitted" })).toEqual(["Own"]);
      expect((await titles({ sort, tag: "Fast", mine: "voted" })).toSorted()).toEqual(["Bus", "Own"]);
      expect((await titles({ sort, tag: "fast" })).toSorted()).toEqual(["Bus", "Own", "Train"]);
      expect(await titles({ sort, tag: "fast", mine: "submitted" })).toEqual(["Own"]);
      expect(await titles({ sort, tag: "Slow" })).toEqual([]);
    }
    expect(await titles({ sort: "top", tag: "Fast" })).toMatchObject({ 0: "Bus" });
    await patch(own, { tags: ["Rail"] });
    expect((await titles({ tag: "Fast" })).toSorted()).toEqual(["Bus", "Train"]);
    expect((await titles({ tag: "Rail" })).toSorted()).toEqual(["Own", "Train"]);
  });

  it("sees the tags of public proposals alone, with counts that follow everything", { tags: "slow" }, async () => {
    const { panel, patch, tags, titles } = await createScene();
    const [a, b] = [await panel.propose({ tags: ["X", "Y"] }), await panel.propose({ tags: ["X"] })];
    const x = (proposals: number) => ({ tag: "X", proposals });
    const y = { tag: "Y", proposals: 1 };
    expect(await tags()).toEqual([x(2), y]);
    for (const visibility of ["pending", "hidden"]) {
      await patch(a, { visibility });
      expect([await tags(), await titles({ tag: "Y" })]).toEqual([[x(1)], []]);
      await patch(a, { visibility: "public", status: "planned" });
      expect(await tags()).toEqual([x(2), y]);
    }
    await patch(a, { status: "declined", visibility: "hidden", tags: ["Z"] });
    expect(await tags()).toEqual([x(1)]);
    await patch(a, { visibility: "public", tags: ["X", "Y"] });
    expect(await tags()).toEqual([x(2), y]);
    await panel.manage("POST", `/proposals/${a}/merge`, { into: b });
    expect(await tags()).toEqual([x(1)]);
    await panel.manage("DELETE", `/proposals/${b}`);
    await runJob(env);
    expect(await tags()).toEqual([]);
    for (const table of ["proposal_tags", "idea_bank_tags"]) expect(await tagsIn(panel.bank.id, table)).toEqual([]);
  });

  it("sees one tag where two differ by capitals only, spelled as the first, and each proposal as it was sent", {
    tags: "slow",
  }, async () => {
    const { panel, robin, patch, tags, titles } = await createScene();
    const bus = await panel.propose({ title: "Bus", tags: ["Mobile"] });
    const train = await panel.propose({ title: "Train", tags: ["mobile", "Rail"] });
    expect((await tags()).toSorted((one, other) => other.proposals - one.proposals)).toEqual([
      { tag: "Mobile", proposals: 2 },
      { tag: "Rail", proposals: 1 },
    ]);
    for (const tag of ["Mobile", "mobile", "MOBILE"]) {
      expect((await titles({ tag })).toSorted()).toEqual(["Bus", "Train"]);
      const list = await panel.manage("GET", `/proposals?tag=${tag}`);
      expect((await list.json<Page>()).items.map(({ title }) => title).toSorted()).toEqual(["Bus", "Train"]);
    }
    expect(await robin.read(`/ideabank/proposals/${train}`)).toMatchObject({ tags: ["mobile", "Rail"] });
    // Another spelling of its own tag is a change, and counts once.
    await patch(train, { tags: ["MOBILE"] });
    expect(await tags()).toEqual([{ tag: "Mobile", proposals: 2 }]);
    await patch(bus, { tags: [] });
    await patch(train, { tags: [] });
    expect(await tags()).toEqual([]);
  });

  it("sees nothing of a closed idea bank's tags", async () => {
    const { panel, robin } = await createScene();
    await panel.manage("PATCH", "", { internal: true });
    expect((await robin.send("GET", "/ideabank/tags")).status).toBe(404);
  });
});

describe("the tenant", () => {
  it("lists by tag with any other filter; a deleted idea bank leaves no tags behind", { tags: "slow" }, async () => {
    const { panel } = await createScene();
    for (const status of PROPOSAL_STATUSES)
      for (const visibility of ["public", "pending", "hidden"])
        await panel.propose({ title: `${status} ${visibility}`, status, visibility, tags: ["X"] });
    await panel.propose({ title: "Other", tags: ["Y"] });
    const count = async (query: string) =>
      (await (await panel.manage("GET", `/proposals?limit=100&tag=X${query}`)).json<Page>()).items.length;
    expect(await count("")).toBe(3 * PROPOSAL_STATUSES.length);
    expect(await count("&status=planned")).toBe(3);
    expect(await count("&visibility=hidden")).toBe(PROPOSAL_STATUSES.length);
    expect(await count("&visibility=hidden&status=planned")).toBe(1);
    await panel.manage("DELETE", "");
    await runJob(env);
    for (const table of ["proposal_tags", "idea_bank_tags"]) expect(await tagsIn(panel.bank.id, table)).toEqual([]);
  });

  it("gives tags that differ by capitals only, or that are the same, and has one, as it is spelled first", async () => {
    const { panel, tags } = await createScene();
    const given = { title: "T", tags: ["A", "a", "b", "B", "A", "É", "é", "C", "D"] };
    const kept = ["A", "b", "É", "C", "D"];
    const id = await panel.propose(given);
    expect(await (await panel.manage("GET", `/proposals/${id}`)).json()).toMatchObject({ tags: kept });
    expect(await tags()).toHaveLength(5);
    for (const [method, path] of [
      ["PATCH", `/proposals/${id}`],
      ["PUT", "/proposals/by-external-id/one"],
      ["PUT", "/proposals/by-external-id/one"],
    ] as const)
      expect(await (await panel.manage(method, path, given)).json()).toMatchObject({ tags: kept });
  });

  it.each([[["a", "b", "c", "d", "e", "f"]], [[""]], [["x".repeat(33)]], [["a\nb"]], ["a"], [null]])(
    "cannot set the tags %j",
    async (tags) => {
      const { panel } = await createScene();
      const path = `/tenant/ideabanks/${panel.bank.id}/proposals`;
      const refused = await panel.tenant.send("POST", path, { title: "T", tags });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ errors: [{ path: expect.stringMatching(/^tags/) }] });
    },
  );

  it("has 200 tags in an idea bank; with another, a write is 409 and changes nothing", { tags: "slow" }, async () => {
    const { panel, tags } = await createScene();
    for (let first = 0; first < 200; first += 5)
      await panel.propose({ tags: Array.from({ length: 5 }, (_, index) => `T${first + index}`) });
    const path = `/tenant/ideabanks/${panel.bank.id}/proposals`;
    const refused = await panel.tenant.send("POST", path, { title: "T", tags: ["T1", "One more"] });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: "conflict", detail: expect.stringContaining("200 tags") });
    expect((await panel.tenant.send("POST", path, { title: "T", tags: ["T1", "T2"] })).status).toBe(201);
    expect(await tags()).toHaveLength(200);
    const other = await createPanel({ accountId: panel.bank.accountId });
    await other.propose({ tags: ["One more"] });
  });
});

it("a list by tag reads what it shows, or the latest 200 with the tag; a tagged proposal's vote writes no more", {
  tags: "slow",
}, async () => {
  const { panel, robin } = await createScene();
  const { id, accountId } = panel.bank;
  const rows = async (from: number, to: number) =>
    databaseOf(id)
      .prepare(
        `${numbers(from, to)} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, visibility, tags, created_at, last_activity_at)
         SELECT substr(?1, 1, 6) || printf('%06d', i), ?2, ?1, 'T', 'D', s.value, iif(i % 7 = 0, 'hidden', 'public'), '["X"]', i, i
         FROM n JOIN json_each(?3) s ON s.key = i % json_array_length(?3)`,
      )
      .bind(id, accountId, JSON.stringify(PROPOSAL_STATUSES))
      .run();
  const spent = { read: 0, written: 0 };
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) {
      spent.read += meta.rows_read;
      spent.written += meta.rows_written;
    }
  });
  const isolate = createIsolate(withoutLimits(metered));
  const cost = async (path: string, method = "GET") => {
    Object.assign(spent, { read: 0, written: 0 });
    const answer = await sendWith(isolate, robin.token)(method, path);
    expect(answer.status).toBe(200);
    return { ...spent };
  };
  const lists = SORTS.flatMap((sort) => [
    listPath({ sort, tag: "X", limit: "10" }),
    listPath({ sort, tag: "X", status: "planned", limit: "10" }),
  ]);
  const measure = async () => {
    const costs: Record<string, number> = {};
    for (const path of [...lists, "/ideabank/tags"]) costs[path] = (await cost(path)).read;
    return costs;
  };
  await rows(1, 2_000);
  const few = await measure();
  await rows(2_001, 8_000);
  const many = await measure();
  for (const [path, read] of Object.entries(many)) {
    expect(read, path).toBeLessThanOrEqual((few[path] ?? 0) + 5);
    // An item of a page: its tag, twice itself, its author, whether voted.
    expect(read, path).toBeLessThanOrEqual(
      path.includes("sort=new") || !path.includes("sort") ? 12 * 11 : 12 * 11 + 3 * 206,
    );
  }
  const voted = await panel.propose({ tags: ["X", "Y", "Z"] });
  expect((await cost(`/ideabank/proposals/${voted}/vote`, "PUT")).written).toBeLessThanOrEqual(5);
});
