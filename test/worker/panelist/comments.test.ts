/** Comments: in pages, oldest first or newest first, the tenant's marked as such, one's own deleted. */
import { describe, expect, it, vi } from "vitest";
import { listCommentsForPanelist } from "../../../src/worker/database/comments/panelist-comments.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf, sessionOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";

type Comment = { id: string; by: string; author: string | null; mine: boolean; body: string; createdAt: string };
type Page = { items: Comment[]; nextCursor?: string };

async function createScene() {
  freeze(1_900_000_000_000);
  const panel = await createPanel();
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist()];
  const id = await panel.propose();
  const path = `${PROPOSALS}/${id}/comments`;
  const add = async (by: typeof robin, body: string) => {
    vi.setSystemTime(Date.now() + 1_000);
    return (await by.send("POST", path, { body })).json<Comment>();
  };
  return { panel, robin, kim, id, path, add };
}

it("are answered as they are listed: oldest first, the tenant's marked, and whose is whose only to oneself", async () => {
  const { panel, robin, kim, id, path, add } = await createScene();
  const first = await add(robin, "First.");
  const second = await add(kim, "Second.");
  vi.setSystemTime(Date.now() + 1_000);
  await panel.manage("POST", `/proposals/${id}/comments`, { body: "Thank you." });
  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
    by: "panelist",
    author: "Robin",
    mine: true,
    body: "First.",
    createdAt: "2030-03-17T17:46:41.000Z",
  });
  expect(second).toMatchObject({ author: null, mine: true });
  const tenants = {
    by: "tenant",
    author: null,
    mine: false,
    body: "Thank you.",
    createdAt: "2030-03-17T17:46:43.000Z",
  };
  expect(await robin.read(path)).toEqual({
    items: [first, { ...second, mine: false }, { ...tenants, id: expect.any(String) }],
  });
  expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 3, lastActivityAt: tenants.createdAt });
});

it("come in pages that miss nothing and repeat nothing, ties by id, also while others comment", async () => {
  const { panel, robin, id, path } = await createScene();
  await databaseOf(id)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
     INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant) SELECT printf('co%010d', i * 7919 % 100003), ?1, (SELECT idea_bank_id FROM proposals WHERE id = ?2), ?2, NULL, 'B', i / 4, i % 2 FROM n`,
    )
    .bind(panel.bank.accountId, id)
    .run();
  const all = (await robin.read<Page>(`${path}?limit=100`)).items;
  expect(all).toHaveLength(25);
  const order = ({ createdAt, id }: Comment) => `${createdAt} ${id}`;
  expect(all).toEqual(all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
  expect((await robin.read<Page>(path)).items).toEqual(all.slice(0, 20));
  const paged: Comment[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await robin.read<Page>(`${path}?limit=7${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    paged.push(...page.items);
    expect(paged.length).toBeLessThanOrEqual(26);
    cursor = page.nextCursor;
    if (paged.length === 7) await robin.send("POST", path, { body: "Meanwhile." });
  } while (cursor !== undefined);
  expect(paged.slice(0, 25)).toEqual(all);
  expect(paged.slice(25).map(({ body }) => body)).toEqual(["Meanwhile."]);
});

describe("of a long discussion", () => {
  /** The bodies of a page, and where it goes on. */
  const take = async (by: Awaited<ReturnType<typeof createScene>>["robin"], path: string) => {
    const { items, nextCursor } = await by.read<Page>(path);
    return { bodies: items.map(({ body }) => Number(body)), items, nextCursor };
  };

  it("come newest first on demand, in pages, with a cursor that the other order refuses", async () => {
    const { robin, kim, path, add } = await createScene();
    for (let number = 1; number <= 5; number++) await add(number % 2 ? robin : kim, String(number));
    const first = await take(robin, `${path}?order=newest&limit=2`);
    expect(first.bodies).toEqual([5, 4]);
    await add(kim, "6");
    const second = await take(robin, `${path}?order=newest&limit=2&cursor=${first.nextCursor}`);
    expect(second.bodies).toEqual([3, 2]);
    const last = await take(robin, `${path}?order=newest&limit=2&cursor=${second.nextCursor}`);
    expect([last.bodies, last.nextCursor]).toEqual([[1], undefined]);
    const status = async (query: string) => (await robin.send("GET", `${path}?limit=2&${query}`)).status;
    expect(await status(`cursor=${first.nextCursor}`)).toBe(400);
    const { nextCursor } = await take(robin, `${path}?limit=2`);
    expect(await status(`order=newest&cursor=${nextCursor}`)).toBe(400);
    expect(await status("order=hot")).toBe(400);
  });

  it("begin with a named one, in either direction, and go on from there", { tags: "slow" }, async () => {
    const { robin, path, add } = await createScene();
    const ids = [];
    for (let number = 1; number <= 6; number++) ids.push((await add(robin, String(number))).id);
    const later = await take(robin, `${path}?from=${ids[2]}&limit=2`);
    expect(later.bodies).toEqual([3, 4]);
    const more = await take(robin, `${path}?from=${ids[2]}&limit=2&cursor=${later.nextCursor}`);
    expect([more.bodies, more.nextCursor]).toEqual([[5, 6], undefined]);
    const earlier = await take(robin, `${path}?order=newest&from=${ids[2]}&limit=2`);
    expect(earlier.bodies).toEqual([3, 2]);
    expect(
      (await take(robin, `${path}?order=newest&from=${ids[2]}&cursor=${earlier.nextCursor}&limit=2`)).bodies,
    ).toEqual([1]);
  });

  it("begin with none that the panelist cannot see: deleted, hidden, waiting, another's proposal's", {
    tags: "slow",
  }, async () => {
    const { panel, robin, kim, id, path, add } = await createScene();
    const [deleted, hidden, waiting] = [await add(robin, "1"), await add(robin, "2"), await add(robin, "3")];
    const other = await panel.propose();
    const elsewhere = await (await robin.send("POST", `${PROPOSALS}/${other}/comments`, { body: "4" })).json<Comment>();
    await robin.send("DELETE", `${path}/${deleted.id}`);
    await panel.manage("PATCH", `/proposals/${id}/comments/${hidden.id}`, { visibility: "hidden" });
    await databaseOf(id).prepare("UPDATE comments SET visibility = 'pending' WHERE id = ?1").bind(waiting.id).run();
    for (const { id: from } of [deleted, hidden, waiting, elsewhere])
      for (const order of ["oldest", "newest"]) {
        const answer = await kim.send("GET", `${path}?order=${order}&from=${from}`);
        expect([answer.status, await answer.json()]).toMatchObject([404, { error: "comment-not-found" }]);
      }
    expect((await take(robin, `${path}?from=${waiting.id}`)).bodies).toEqual([3]);
    expect((await kim.send("GET", `${path}?from=x`)).status).toBe(400);
  });

  it("cost rows by the page alone, from either end and from the middle", { tags: "slow" }, async () => {
    const { panel, robin, id } = await createScene();
    const database = databaseOf(id);
    await database
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at, by_tenant)
         SELECT printf('1o%010d', i), ?1, ?2, ?3, 'B', i, 1 FROM n`,
      )
      .bind(panel.bank.accountId, panel.bank.id, id)
      .run();
    let rows = 0;
    const metered = meterDatabase(database, (results) => {
      for (const { meta } of results) rows += meta.rows_read;
    });
    const token = { ideaBankId: panel.bank.id, panelistId: robin.id, issuedAt: 1_900_000_000 };
    for (const order of ["oldest", "newest"] as const)
      for (const [from, after] of [
        [undefined, undefined],
        ["1o0000002500", undefined],
        [undefined, { key: 2_500, id: "1o0000002500" }],
      ] as const) {
        rows = 0;
        const request = { limit: 20, after };
        const { page } = await listCommentsForPanelist(sessionOf(metered), {
          token,
          proposalId: id,
          request,
          order,
          from,
        });
        expect(page?.items).toHaveLength(20);
        expect(rows, `${order} ${from} ${after?.key}`).toBeLessThanOrEqual(6 * 21 + 30);
      }
  });
});

describe("editing one", () => {
  it("is for who wrote it, as long as commenting is open and the proposal was not merged", {
    tags: "slow",
  }, async () => {
    const { panel, robin, kim, id, path, add } = await createScene();
    const own = await add(robin, "Mine.");
    vi.setSystemTime(Date.now() + 1_000);
    const created = await panel.manage("POST", `/proposals/${id}/comments`, { body: "The tenant's." });
    const tenants = await created.json<Comment>();
    const edit = async (by: typeof robin, commentId: string) => {
      const answer = await by.send("PATCH", `${path}/${commentId}`, { body: "Changed." });
      return [answer.status, (await answer.json<{ error?: string }>()).error];
    };
    expect(await edit(kim, own.id)).toEqual([403, "forbidden"]);
    expect(await edit(robin, tenants.id)).toEqual([403, "forbidden"]);
    expect(await edit(robin, id)).toEqual([404, "comment-not-found"]);
    await panel.manage("PATCH", "", { commentsEnabled: false });
    expect(await edit(robin, own.id)).toEqual([403, "capability-closed"]);
    await panel.manage("PATCH", "", { commentsEnabled: true });
    await panel.manage("POST", `/proposals/${id}/merge`, { into: await panel.propose() });
    expect(await edit(robin, own.id)).toEqual([409, "conflict"]);
    expect(await kim.read(path)).toMatchObject({ items: [{ body: "Mine." }, { body: "The tenant's." }] });
  });

  it("answers with the comment that everybody reads from then on, and is no activity", async () => {
    const { robin, kim, id, path, add } = await createScene();
    const own = await add(robin, "Mine.");
    vi.setSystemTime(Date.now() + 60_000);
    const edited = await robin.send("PATCH", `${path}/${own.id}`, { body: "Changed." });
    expect([edited.status, await edited.json()]).toEqual([200, { ...own, body: "Changed." }]);
    expect(await kim.read(path)).toEqual({ items: [{ ...own, body: "Changed.", mine: false }] });
    expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 1, lastActivityAt: own.createdAt });
  });

  it("by the tenant edits the tenant's own, and is no activity either", async () => {
    const { panel, robin, id, path, add } = await createScene();
    const { id: theirs } = await add(robin, "Mine.");
    vi.setSystemTime(Date.now() + 1_000);
    const comments = `/proposals/${id}/comments`;
    const own = await (await panel.manage("POST", comments, { body: "Soon." })).json<Comment>();
    vi.setSystemTime(Date.now() + 60_000);
    const edited = await panel.manage("PATCH", `${comments}/${own.id}`, { body: "Next week." });
    expect(await edited.json()).toEqual({ ...own, body: "Next week." });
    const full = `/tenant/ideabanks/${panel.bank.id}${comments}`;
    const refused = await panel.tenant.send("PATCH", `${full}/${theirs}`, { body: "Changed." });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { detail: "A panelist wrote this comment. You can hide or delete it; only the text of your own can be edited." },
    ]);
    expect(await robin.read(path)).toMatchObject({ items: [{ body: "Mine." }, { body: "Next week." }] });
    expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ lastActivityAt: own.createdAt });
  });
});

describe("deleting one", () => {
  it("is for who wrote it", async () => {
    const { panel, robin, kim, id, path, add } = await createScene();
    const own = await add(robin, "Mine.");
    const created = await panel.manage("POST", `/proposals/${id}/comments`, { body: "The tenant's." });
    const tenants = await created.json<Comment>();
    for (const [by, comment] of [
      [kim, own],
      [robin, tenants],
    ] as const) {
      const refused = await by.send("DELETE", `${path}/${comment.id}`);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: "forbidden" });
    }
    expect(await kim.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 2 });
    const deleted = await robin.send("DELETE", `${path}/${own.id}`);
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect((await robin.send("DELETE", `${path}/${own.id}`)).status).toBe(404);
    expect(await kim.read(path)).toMatchObject({ items: [{ id: tenants.id }] });
    expect(await kim.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 1 });
  });

  it("is no activity", async () => {
    const { robin, id, path, add } = await createScene();
    const { id: commentId, createdAt } = await add(robin, "Mine.");
    vi.setSystemTime(Date.now() + 60_000);
    await robin.send("DELETE", `${path}/${commentId}`);
    expect(await robin.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 0, lastActivityAt: createdAt });
  });

  it("by the tenant deletes anybody's", async () => {
    const { panel, robin, id, path, add } = await createScene();
    const { id: commentId } = await add(robin, "Mine.");
    await panel.manage("DELETE", `/proposals/${id}/comments/${commentId}`);
    expect(await robin.read(path)).toEqual({ items: [] });
  });
});

it("the count agrees with the rows after 60 panelists have commented at once, and half of them took it back", {
  tags: "slow",
}, async () => {
  const { panel, id, path } = await createScene();
  const panelists = await Promise.all(Array.from({ length: 60 }, () => panel.panelist()));
  const added = await Promise.all(panelists.map(({ send }) => send("POST", path, { body: "Me too." })));
  const ids = await Promise.all(added.map(async (answer) => (await answer.json<Comment>()).id));
  const half = panelists.slice(0, 30);
  const deleted = await Promise.all(half.map(({ send }, index) => send("DELETE", `${path}/${ids[index]}`)));
  for (const { status } of deleted) expect(status).toBe(204);
  const { items } = (await panelists[0]?.read<Page>(`${path}?limit=100`)) ?? { items: [] };
  expect(items).toHaveLength(30);
  expect(await panelists[0]?.read(`${PROPOSALS}/${id}`)).toMatchObject({ comments: 30 });
});

describe("the same text twice in a row", () => {
  const LONG = "A text that is long enough to be compared.";

  it("is refused for an edit as for a new comment", async () => {
    const { robin, kim, path, add } = await createScene();
    const [first, second, third] = [await add(robin, "One"), await add(robin, "Two"), await add(robin, "Three")];
    const edit = async (comment: Comment, body: string) => {
      const answer = await robin.send("PATCH", `${path}/${comment.id}`, { body });
      return answer.ok ? answer.status : [answer.status, (await answer.json<{ error: string }>()).error];
    };
    // Just before, just after, but not with another one between.
    expect(await edit(second, "One")).toEqual([409, "repeated-comment"]);
    expect(await edit(second, "Three")).toEqual([409, "repeated-comment"]);
    expect(await edit(third, "One")).toBe(200);
    // Its own text, and another person's.
    expect(await edit(first, "One")).toBe(200);
    await add(kim, "Kim's");
    expect(await edit(first, "Kim's")).toBe(200);
    const { items } = await robin.read<Page>(path);
    expect(items.map(({ body }) => body)).toEqual(["Kim's", "Two", "One", "Kim's"]);
  });

  it("is refused for a longer one on any idea within a day", async () => {
    const { panel, robin, path, add } = await createScene();
    await add(robin, LONG);
    const other = `${PROPOSALS}/${await panel.propose()}/comments`;
    const { id } = await (await robin.send("POST", other, { body: "Other" })).json<Comment>();
    const edit = () => robin.send("PATCH", `${other}/${id}`, { body: LONG });
    expect((await edit()).status).toBe(409);
    await databaseOf(id)
      .prepare("UPDATE comments SET created_at = created_at - 86400000 WHERE body = ?1")
      .bind(LONG)
      .run();
    expect((await edit()).status).toBe(200);
    // A comment that is not there is not found, whatever its text.
    expect((await robin.send("PATCH", `${path}/${id}`, { body: LONG })).status).toBe(404);
  });
});
