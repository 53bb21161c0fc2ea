/** Pagination in the tenant API: no row is missing, and a page reads only its own rows. */
import { describe, expect, it } from "vitest";
import { listComments } from "../../../src/worker/database/comments.ts";
import { listIdeaBanks } from "../../../src/worker/database/idea-banks.ts";
import { listPanelists } from "../../../src/worker/database/panelists.ts";
import { listProposals } from "../../../src/worker/database/proposals.ts";
import { listSurveys } from "../../../src/worker/database/surveys.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { fillPath, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";

/** Adds `count` rows to every list of one account; many of them share their creation time. */
async function fill(ids: Awaited<ReturnType<typeof addOneOfEverything>>, count: number): Promise<void> {
  const n = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const id = (prefix: string) => `printf('${prefix}%010d', (i * 7919) % 100003) `;
  const { accountId, ideaBankId, proposalId } = ids;
  const database = databaseOf(accountId);
  await database.batch([
    database
      .prepare(`${n} INSERT INTO surveys SELECT ${id("su")}, ?2, 'T', '', 'OPEN', i / 3, 1 FROM n`)
      .bind(count, accountId),
    database
      .prepare(
        `${n} INSERT INTO idea_banks (id, account_id, name, created_at) SELECT ${id("ib")}, ?2, 'N', i / 3 FROM n`,
      )
      .bind(count, accountId),
    database
      .prepare(
        `${n} INSERT INTO panelists (id, account_id, external_id, created_at) SELECT ${id("pa")}, ?2, 'e' || i, i / 3 FROM n`,
      )
      .bind(count, accountId),
    database
      .prepare(
        `${n} INSERT INTO proposals (id, account_id, idea_bank_id, title, description, status, created_at, last_activity_at)
       SELECT ${id("pr")}, ?2, ?3, 'T', '', iif(i % 2, 'planned', 'declined'), i / 3, i FROM n`,
      )
      .bind(count, accountId, ideaBankId),
    database
      .prepare(`${n} INSERT INTO comments SELECT ${id("co")}, ?2, ?3, NULL, 'B', i / 3, 0 FROM n`)
      .bind(count, accountId, proposalId),
  ]);
}

const lists = operationsOf("apiKey").filter(({ operation }) => operation.query !== undefined);

describe.each(lists)("$name", ({ path: template }) => {
  it("gives every row once, newest first, ties by id, whatever the page size", async () => {
    const ids = await addOneOfEverything();
    await fill(ids, 47);
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = fillPath(template, ids);
    const all = async (limit: number) => {
      const items: { id: string; createdAt: string }[] = [];
      let cursor: string | undefined;
      do {
        const query: string = cursor === undefined ? "" : `&cursor=${cursor}`;
        const response = await tenant.send("GET", `${path}?limit=${limit}${query}`);
        const page = await response.json<{ items: typeof items; nextCursor?: string }>();
        items.push(...page.items);
        cursor = page.nextCursor;
        if (cursor !== undefined) expect(page.items).toHaveLength(limit);
      } while (cursor !== undefined);
      return items;
    };
    const whole = await all(100);
    expect(whole.length).toBeGreaterThanOrEqual(47);
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    const sorted = whole.toSorted((a, b) =>
      a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
    );
    expect(whole).toEqual(sorted);
    for (const limit of [1, 7, whole.length]) expect(await all(limit)).toEqual(whole);
  });

  it("has 20 items on a page by default, and refuses a changed cursor", async () => {
    const ids = await addOneOfEverything();
    await fill(ids, 30);
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = fillPath(template, ids);
    const page = await (await tenant.send("GET", path)).json<{ items: unknown[]; nextCursor: string }>();
    expect(page.items).toHaveLength(20);
    const last = page.nextCursor.endsWith("0") ? "1" : "0";
    for (const cursor of [page.nextCursor.slice(0, -1) + last, `${page.nextCursor}0`, page.nextCursor.slice(1)]) {
      expect((await tenant.send("GET", `${path}?cursor=${cursor}`)).status).toBe(400);
    }
    const otherList = path === "/tenant/surveys" ? "/tenant/panelists" : "/tenant/surveys";
    expect((await tenant.send("GET", `${otherList}?cursor=${page.nextCursor}`)).status).toBe(400);
  });
});

it("a cursor of another account is refused; one of another key of the account is not", async () => {
  const ids = await addOneOfEverything();
  await fill(ids, 30);
  const [tenant, colleague, other] = [
    await createTenant({ accountId: ids.accountId }),
    await createTenant({ accountId: ids.accountId }),
    await createTenant(),
  ];
  for (const path of ["/tenant/surveys", "/tenant/panelists", "/tenant/ideabanks"]) {
    const { nextCursor } = await (await tenant.send("GET", path)).json<{ nextCursor: string }>();
    const statuses = [tenant, colleague, other].map(({ send }) => send("GET", `${path}?cursor=${nextCursor}`));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 400]);
  }
});

it("a page reads as many rows from 20,000 as from 30", async () => {
  const rowsRead = async (count: number) => {
    const ids = await addOneOfEverything();
    await databaseOf(ids.accountId).prepare("DELETE FROM comments").run();
    await fill(ids, count);
    const { accountId, ideaBankId, proposalId } = ids;
    const costs: Record<string, number> = {};
    const measure = async (name: string, list: (session: D1DatabaseSession) => Promise<unknown>) => {
      costs[name] = 0;
      const database = meterDatabase(databaseOf(accountId), (results) => {
        for (const { meta } of results) costs[name] = (costs[name] ?? 0) + meta.rows_read;
      });
      await list(database.withSession());
    };
    const page = { limit: 10, after: { key: count / 3 - 2, id: "" } };
    await measure("surveys", (session) => listSurveys(session, accountId, page));
    await measure("idea banks", (session) => listIdeaBanks(session, accountId, page));
    await measure("panelists", (session) => listPanelists(session, accountId, undefined, page));
    await measure("panelist by name", (session) => listPanelists(session, accountId, "e7", page));
    await measure("proposals", (session) => listProposals(session, accountId, ideaBankId, {}, page));
    await measure("by status", (session) => listProposals(session, accountId, ideaBankId, { status: "planned" }, page));
    await measure("by visibility", (session) =>
      listProposals(session, accountId, ideaBankId, { visibility: "public" }, page),
    );
    await measure("by both", (session) =>
      listProposals(session, accountId, ideaBankId, { status: "planned", visibility: "public" }, page),
    );
    const path = { ideaBankId, proposalId };
    await measure("comments", (session) => listComments(session, accountId, path, page));
    await databaseOf(accountId).prepare("DELETE FROM accounts").run();
    return costs;
  };
  const few = await rowsRead(30);
  expect(await rowsRead(20_000)).toEqual(few);
  for (const [list, rows] of Object.entries(few)) {
    expect(rows, list).toBeGreaterThan(0);
    // Rows with long texts are read twice: their sizes, then what fits. A list of one visibility merges six scans.
    expect(rows, list).toBeLessThanOrEqual(list === "by visibility" ? 6 * 11 + 20 : 2 * 11 + 4);
  }
});
