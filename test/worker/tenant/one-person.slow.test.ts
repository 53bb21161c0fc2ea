/** What is known of one person, and the lists that a copy and an integration need: comments of an idea bank, votes of a panelist, sorts. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { countRows, databaseOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { createTenant } from "../../support/tenant.ts";

type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };
type Named = { readonly id: string };

/** A tenant with an idea bank, and requests that answer JSON. */
async function createScene() {
  const tenant = await createTenant();
  const ask = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await tenant.send(method, path, body);
    expect([method, path, response.status < 400]).toEqual([method, path, true]);
    return response.status === 204 ? (null as Answer) : response.json<Answer>();
  };
  const bank = await ask<Named>("POST", "/tenant/ideabanks", { name: "N", status: "OPEN" });
  const proposals = `/tenant/ideabanks/${bank.id}/proposals`;
  return {
    tenant,
    ask,
    bank,
    proposals,
    panelist: async () => (await ask<Named>("POST", "/tenant/panelists", {})).id,
    propose: async (fields: object = {}) =>
      (await ask<Named>("POST", proposals, { title: "T", description: "", ...fields })).id,
    comment: async (proposalId: string, fields: object = {}) =>
      (await ask<Named>("POST", `${proposals}/${proposalId}/comments`, { body: "B", ...fields })).id,
    vote: (proposalId: string, panelistId: string) => ask("PUT", `${proposals}/${proposalId}/votes/${panelistId}`),
    refused: async (method: string, path: string) => (await tenant.send(method, path)).status,
    /** The items of all pages of one item. */
    pages: async <Item>(path: string): Promise<Item[]> => {
      const found: Item[] = [];
      const separator = path.includes("?") ? "&" : "?";
      for (let cursor = ""; ; ) {
        const page = await ask<Page<Item>>("GET", `${path}${separator}limit=1${cursor}`);
        found.push(...page.items);
        if (page.nextCursor === undefined) return found;
        cursor = `&cursor=${page.nextCursor}`;
      }
    },
  };
}
const idsOf = (items: readonly Named[]) => items.map(({ id }) => id);

describe("the comments of an idea bank", () => {
  it("are those of all its proposals, newest first, each with its proposal", async () => {
    const { bank, propose, comment, pages, ask } = await createScene();
    const [first, second] = [await propose(), await propose()];
    const at = (day: number) => ({ createdAt: `2024-01-0${day}T00:00:00Z` });
    const made = [await comment(first, at(1)), await comment(second, at(2)), await comment(first, at(3))];
    const other = await ask<Named>("POST", "/tenant/ideabanks", { name: "Other" });
    const listed = await pages<{ id: string; proposalId: string }>(`/tenant/ideabanks/${bank.id}/comments`);
    expect(idsOf(listed)).toEqual(made.toReversed());
    expect(listed.map(({ proposalId }) => proposalId)).toEqual([first, second, first]);
    expect(await pages(`/tenant/ideabanks/${other.id}/comments`)).toEqual([]);
  });

  it("of one panelist are that person's; those of a deleted proposal are gone", async () => {
    const { bank, panelist, propose, comment, pages, ask, proposals } = await createScene();
    const [robin, kim] = [await panelist(), await panelist()];
    const [kept, deleted] = [await propose(), await propose()];
    const own = await comment(kept, { panelistId: robin });
    await comment(kept, { panelistId: kim });
    await comment(kept);
    await comment(deleted, { panelistId: robin });
    await ask("DELETE", `${proposals}/${deleted}`);
    const path = `/tenant/ideabanks/${bank.id}/comments`;
    expect(idsOf(await pages(`${path}?panelistId=${robin}`))).toEqual([own]);
    expect(await pages(path)).toHaveLength(3);
    await ask("DELETE", `/tenant/panelists/${robin}`);
    expect(await pages(`${path}?panelistId=${robin}`)).toEqual([]);
  });
});

describe("the votes of a panelist", () => {
  it("name the proposals, the latest first", async () => {
    const { bank, panelist, propose, vote, pages, proposals, ask } = await createScene();
    const robin = await panelist();
    const ids = [await propose({ title: "One" }), await propose({ title: "Two" }), await propose()];
    for (const id of ids) await vote(id, robin);
    await ask("DELETE", `${proposals}/${ids[2]}`);
    const [two, one, ...others] = await pages<object>(`/tenant/panelists/${robin}/votes`);
    expect(others).toEqual([]);
    const at = expect.any(String);
    expect([one, two].map((each) => each ?? {})).toEqual(
      expect.arrayContaining([
        { ideaBankId: bank.id, proposalId: ids[0], title: "One", at },
        { ideaBankId: bank.id, proposalId: ids[1], title: "Two", at },
      ]),
    );
  });

  it("go on over all idea banks, each page where the one before has ended", async () => {
    const { tenant, bank, panelist, pages, ask } = await createScene();
    const robin = await panelist();
    const banks = [bank, await ask<Named>("POST", "/tenant/ideabanks", { name: "Other", status: "OPEN" })];
    const voted = [];
    // In turn, so that the times of one idea bank are between those of the other.
    for (let index = 0; index < 6; index += 1) {
      const ideaBankId = banks[index % 2]?.id ?? "";
      const { id } = await ask<Named>("POST", `/tenant/ideabanks/${ideaBankId}/proposals`, { title: "T" });
      await ask("PUT", `/tenant/ideabanks/${ideaBankId}/proposals/${id}/votes/${robin}`);
      await databaseOf(id).prepare("UPDATE votes SET created_at = ?2 WHERE proposal_id = ?1").bind(id, index).run();
      voted.push({ ideaBankId, proposalId: id, index });
    }
    const inOrder = voted.toSorted((one, other) =>
      one.ideaBankId === other.ideaBankId ? other.index - one.index : one.ideaBankId < other.ideaBankId ? 1 : -1,
    );
    const listed = await pages<{ proposalId: string }>(`/tenant/panelists/${robin}/votes`);
    expect(listed.map(({ proposalId }) => proposalId)).toEqual(inOrder.map(({ proposalId }) => proposalId));
    const two = await (await tenant.send("GET", `/tenant/panelists/${robin}/votes?limit=2`)).json<Page<object>>();
    expect(two.items).toMatchObject(
      inOrder.slice(0, 2).map(({ ideaBankId, proposalId }) => ({ ideaBankId, proposalId })),
    );
  });

  it("are refused from a cursor at a vote that was taken back, which the answer says", async () => {
    const { panelist, propose, vote, ask, tenant, proposals } = await createScene();
    const robin = await panelist();
    for (const id of [await propose(), await propose()]) await vote(id, robin);
    const path = `/tenant/panelists/${robin}/votes`;
    const page = await ask<Page<{ proposalId: string }>>("GET", `${path}?limit=1`);
    await ask("DELETE", `${proposals}/${page.items[0]?.proposalId}/votes/${robin}`);
    const again = await tenant.send("GET", `${path}?limit=1&cursor=${page.nextCursor}`);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("taken back")]);
  });
});

describe("a tenant's proposals", () => {
  it("of one panelist are those that the person submitted, merged ones included", async () => {
    const { panelist, propose, pages, ask, proposals, refused } = await createScene();
    const robin = await panelist();
    const own = [await propose({ panelistId: robin }), await propose({ panelistId: robin })];
    const other = await propose();
    await ask("POST", `${proposals}/${own[0]}/merge`, { into: other });
    const found = await pages<Named>(`${proposals}?panelistId=${robin}`);
    expect(idsOf(found).toSorted()).toEqual(own.toSorted());
    expect(await refused("GET", `${proposals}?panelistId=${robin}&status=planned`)).toBe(400);
  });

  it("are listed by several statuses, in the order of creation", async () => {
    const { propose, pages, proposals, ask, refused } = await createScene();
    const statuses = ["planned", "submitted", "in-progress", "planned"];
    const ids: string[] = [];
    for (const [index, status] of statuses.entries())
      ids.push(await propose({ status, createdAt: `2024-01-0${index + 1}T00:00:00Z` }));
    const wanted = [ids[3], ids[2], ids[0]];
    for (const query of ["status=planned,in-progress", "status=planned&status=in-progress"])
      expect([query, idsOf(await pages(`${proposals}?${query}`))]).toEqual([query, wanted]);
    expect(idsOf(await pages(`${proposals}?status=submitted`))).toEqual([ids[1]]);
    expect(await refused("GET", `${proposals}?status=planned,nonsense`)).toBe(400);
    expect(await refused("GET", `${proposals}?visibility=public&visibility=hidden`)).toBe(400);
    const { nextCursor } = await ask<Page<Named>>("GET", `${proposals}?limit=1&status=planned&status=in-progress`);
    expect(await refused("GET", `${proposals}?limit=1&status=planned&cursor=${nextCursor}`)).toBe(400);
  });

  it("are sorted by votes, or by activity; then only public ones are listed", async () => {
    const { panelist, propose, vote, pages, proposals, ask, refused } = await createScene();
    const [low, high, hidden] = [await propose(), await propose(), await propose()];
    const robin = await panelist();
    await vote(high, robin);
    await ask("PATCH", `${proposals}/${hidden}`, { visibility: "hidden" });
    await ask("PATCH", `${proposals}/${low}`, { status: "planned" });
    expect(idsOf(await pages(`${proposals}?sort=top`))).toEqual([high, low]);
    const active = await pages<{ id: string; lastActivityAt: string }>(`${proposals}?sort=active`);
    expect(idsOf(active).toSorted()).toEqual([high, low].toSorted());
    expect(active.map(({ lastActivityAt }) => lastActivityAt)).toEqual(
      active
        .map(({ lastActivityAt }) => lastActivityAt)
        .toSorted()
        .toReversed(),
    );
    expect(idsOf(await pages(`${proposals}?sort=top&status=planned`))).toEqual([low]);
    expect(await refused("GET", `${proposals}?sort=top&tag=T`)).toBe(400);
    expect(await refused("GET", `${proposals}?sort=active&visibility=hidden`)).toBe(400);
  });

  it("idea banks are listed by status", async () => {
    const { ask, bank, pages } = await createScene();
    const draft = await ask<Named>("POST", "/tenant/ideabanks", { name: "Draft" });
    expect(idsOf(await pages("/tenant/ideabanks?status=OPEN"))).toEqual([bank.id]);
    expect(idsOf(await pages("/tenant/ideabanks?status=DRAFT"))).toEqual([draft.id]);
  });
});

describe("deleting a panelist", () => {
  async function createAuthor() {
    const scene = await createScene();
    const robin = await scene.panelist();
    const own = await scene.propose({ panelistId: robin });
    const other = await scene.propose();
    const comment = await scene.comment(other, { panelistId: robin });
    const onOwn = await scene.comment(own);
    await scene.vote(other, robin);
    return { ...scene, robin, own, other, comment, onOwn };
  }

  it("with its content deletes proposals and comments, and what others wrote on them", async () => {
    const { robin, own, other, ask, refused, proposals, bank, pages } = await createAuthor();
    await ask("DELETE", `/tenant/panelists/${robin}?content=delete`);
    expect(await refused("GET", `${proposals}/${own}`)).toBe(403);
    expect(await pages(`/tenant/ideabanks/${bank.id}/comments`)).toEqual([]);
    expect(await ask("GET", `${proposals}/${other}`)).toMatchObject({ votes: 0, comments: 0 });
    for (let run = 0; run < 3; run++) await runJob(env);
    expect([await countRows("panelists"), await countRows("proposals"), await countRows("comments")]).toEqual([
      0, 1, 0,
    ]);
  });

  it("without it leaves them, without an author", async () => {
    const { robin, own, comment, ask, proposals, bank, pages } = await createAuthor();
    await ask("DELETE", `/tenant/panelists/${robin}?content=keep`);
    expect(await ask("GET", `${proposals}/${own}`)).toMatchObject({ panelistId: null, votes: 0 });
    expect(await pages(`/tenant/ideabanks/${bank.id}/comments`)).toHaveLength(2);
    expect(await pages(`/tenant/ideabanks/${bank.id}/comments`)).toContainEqual(
      expect.objectContaining({ id: comment, panelistId: null }),
    );
  });

  it("goes on in the job where there is much, and takes all of it", async () => {
    const { robin, ask, bank, tenant, refused } = await createAuthor();
    await databaseOf(bank.id)
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, created_at, last_activity_at)
         SELECT substr(?1, 1, 1) || printf('%011d', i), ?2, ?1, ?3, 'T', '', i, i FROM n`,
      )
      .bind(bank.id, tenant.accountId, robin)
      .run();
    await ask("DELETE", `/tenant/panelists/${robin}?content=delete`);
    for (let run = 0; run < 12; run++) await runJob(env);
    expect([await countRows("panelists"), await countRows("proposals")]).toEqual([0, 1]);
    expect(await refused("DELETE", `/tenant/panelists/${robin}?content=delete`)).toBe(403);
  });

  it("with another word is refused, and deletes nothing", async () => {
    const { robin, ask, refused } = await createAuthor();
    for (const query of ["content=all", "content=delete&x=1"])
      expect(await refused("DELETE", `/tenant/panelists/${robin}?${query}`)).toBe(400);
    expect(await ask("GET", `/tenant/panelists/${robin}`)).toMatchObject({ id: robin });
  });
});

it("a survey says where it is answered, and its own id", async () => {
  const { ask, tenant } = await createScene();
  const made = await ask<Named>("POST", "/tenant/surveys", {
    title: "T",
    url: "https://s.example/1",
    externalId: "own-1",
  });
  expect(made).toMatchObject({ url: "https://s.example/1", externalId: "own-1" });
  expect(await ask("PATCH", `/tenant/surveys/${made.id}`, { url: null })).toMatchObject({
    url: null,
    externalId: "own-1",
  });
  for (const url of ["http://s.example/", "javascript:alert(1)", "https://", "https://a b.example/"])
    expect([url, (await tenant.send("POST", "/tenant/surveys", { title: "T", url })).status]).toEqual([url, 400]);
});
