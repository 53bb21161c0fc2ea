/** Pagination: no row is missing, and a page reads only its own rows. For every list, generated from the definitions. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import document from "../../../public/openapi.json";
import { columnOf, columnsOf, copyRow, listedBy } from "../../support/copy-rows.ts";
import { databaseOf } from "../../support/databases.ts";
import { meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { fillPath, type OperationCase, operationsOf } from "../../support/operations.ts";
import { addOneOfEverything, createTenant } from "../../support/tenant.ts";
import { addAccount } from "../../support/world.ts";

const operations = operationsOf("apiKey");
/** The feed of changes is no list of rows (tenant/changes.test.ts), votes are not in the order of time (tenant/acting-for.test.ts), and other lists go over several parents (tenant/one-person.test.ts). Responses and texts have no identifier (tenant/survey-results.test.ts). */
const NOT_BY_TIME = [
  "listSurveyResponses",
  "listResponsesOfPanelist",
  "listSurveyTexts",
  "listChanges",
  "listVotes",
  "listVotesOfPanelist",
  "listIdeaBankComments",
];
const lists = operations.filter(({ operation, name }) => operation.query !== undefined && !NOT_BY_TIME.includes(name));

type Parameter = { readonly name: string; readonly in: string; readonly schema: Choice & { readonly items?: Choice } };
type Choice = { readonly enum?: readonly string[] };

/** The filters of a list, and the values of those that have a choice: from the document. */
function filtersOf(list: OperationCase): readonly Parameter[] {
  const [, methods = {}] = Object.entries(document.paths).find(([path]) => path === list.path) ?? [];
  const { get } = methods as Record<string, { readonly parameters: readonly Parameter[] }>;
  const query = get?.parameters.filter((each) => each.in === "query") ?? [];
  return query.filter(({ name }) => !["limit", "cursor"].includes(name));
}

/** Adds `count` rows to the list of the account; many of them share their creation time, and each filter finds some. */
async function fill(list: OperationCase, ids: Record<string, string>, count: number): Promise<void> {
  const { table, parameter } = listedBy(list, operations);
  const choices = filtersOf(list).flatMap(({ name, schema }) => (schema.enum ? [[columnOf(name), schema.enum]] : []));
  await copyRow(table, ids[parameter] ?? "", count, Object.fromEntries(choices));
}

describe.each(lists)("$name", (list) => {
  it("gives every row once, newest first, ties by id, whatever the page size", async () => {
    const ids = await addOneOfEverything();
    await fill(list, ids, 47);
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = fillPath(list.path, ids);
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
    await fill(list, ids, 30);
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = fillPath(list.path, ids);
    const page = await (await tenant.send("GET", path)).json<{ items: unknown[]; nextCursor: string }>();
    expect(page.items).toHaveLength(20);
    const last = page.nextCursor.endsWith("0") ? "1" : "0";
    for (const cursor of [page.nextCursor.slice(0, -1) + last, `${page.nextCursor}0`, page.nextCursor.slice(1)]) {
      expect((await tenant.send("GET", `${path}?cursor=${cursor}`)).status).toBe(400);
    }
    const otherList = path === "/tenant/surveys" ? "/tenant/panelists" : "/tenant/surveys";
    expect((await tenant.send("GET", `${otherList}?cursor=${page.nextCursor}`)).status).toBe(400);
  });

  it("reads as many rows for a page out of 20,000 as out of 240, whatever its neighbours have stored", async () => {
    const few = await rowsReadFrom(list, 240, 0);
    const many = await rowsReadFrom(list, 20_000, 20_000);
    const { table } = listedBy(list, operations);
    const index = `CREATE INDEX ${table}_by_account ON ${table} (account_id, created_at, id)`;
    // A search reads the candidates that its words have, within a bound of its own: they differ by a few.
    const flat = (costs: Record<string, number>) => Object.entries(costs).filter(([query]) => !query.includes("&q="));
    expect(
      flat(many),
      `${list.name} reads more rows the more there are: schema.sql and migrations/ need an index that serves it, such as ${index}`,
    ).toEqual(flat(few));
    const named = ["comments", "proposals", "surveys"].includes(table) ? 1 : 0;
    for (const [query, rows] of Object.entries(many)) {
      expect(rows, query).toBeGreaterThan(0);
      // Rows with long texts are read twice: their sizes, then what fits. Those that name a panelist or an idea bank look it up. A list of one
      // visibility merges six scans.
      const isMerged = query.includes("visibility=") && !query.includes("status=");
      // One of a tag merges a scan for each status and visibility, eighteen at most.
      const isTagged = query.includes("tag=");
      // A search has a bound of its own (panelist/finding.test.ts).
      if (query.includes("&q=")) expect(rows, query).toBeLessThanOrEqual(400);
      else if (isTagged) expect(rows, query).toBeLessThanOrEqual(18 * 11 + 20);
      else expect(rows, query).toBeLessThanOrEqual(isMerged ? 6 * 11 + 20 : (2 + named) * 13);
    }
  });
});

it("a cursor of another account is refused; one of another key of the account is not", async () => {
  const ids = await addOneOfEverything();
  const [tenant, colleague, other] = [
    await createTenant({ accountId: ids.accountId }),
    await createTenant({ accountId: ids.accountId }),
    await createTenant(),
  ];
  const ofAccounts = lists.filter(({ path }) => fillPath(path, {}) === path);
  expect(ofAccounts.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["/tenant/surveys", "/tenant/panelists", "/tenant/ideabanks"]),
  );
  for (const list of ofAccounts) {
    await fill(list, ids, 30);
    const { nextCursor } = await (await tenant.send("GET", list.path)).json<{ nextCursor: string }>();
    const statuses = [tenant, colleague, other].map(({ send }) => send("GET", `${list.path}?cursor=${nextCursor}`));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 400]);
  }
});

/** The rows read for two pages of 10, with each combination of filters. */
async function rowsReadFrom(list: OperationCase, own: number, others: number): Promise<Record<string, number>> {
  const ids = await addOneOfEverything(await addAccount({ digit: "1" }));
  await fill(list, ids, own);
  if (others > 0) {
    const neighbour = await addOneOfEverything(await addAccount({ digit: "1" }));
    await fill(list, neighbour, others);
  }
  let read = 0;
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) read += meta.rows_read;
  });
  const tenant = await createTenant({ accountId: ids.accountId }, createIsolate(metered));
  const costs: Record<string, number> = {};
  for (const query of await queriesOf(list, ids)) {
    let cursor = "";
    for (const page of [1, 2]) {
      read = 0;
      const answer = await tenant.send("GET", `${fillPath(list.path, ids)}?limit=10${query}${cursor}`);
      expect(answer.status, query).toBe(200);
      costs[`page ${page}: ${query.replace(ids.ideaBankId, "…")}`] = read;
      const { nextCursor } = await answer.json<{ nextCursor?: string }>();
      if (nextCursor === undefined) break;
      cursor = `&cursor=${nextCursor}`;
    }
  }
  await databaseOf(ids.accountId).prepare("DELETE FROM accounts").run();
  return costs;
}

/** What a filter that is no column is sent. */
const SENT: Readonly<Record<string, string>> = { tag: "Mobile", q: "proposal" };

/** Every combination of filters: each that has a choice with its first value, each other with that of a row. */
async function queriesOf(list: OperationCase, ids: Record<string, string>): Promise<string[]> {
  const { table, parameter } = listedBy(list, operations);
  const database = databaseOf(ids[parameter] ?? "");
  const columns = await columnsOf(database, table);
  const row = await database
    .prepare(`SELECT * FROM ${table} WHERE created_at = 2 AND account_id = ?1`)
    .bind(ids.accountId)
    .first<Record<string, string>>();
  let queries = [""];
  for (const { name, schema } of filtersOf(list)) {
    // It goes with no other filter: tenant/one-person.test.ts.
    if (name === "panelistId") continue;
    const choice = schema.enum ?? schema.items?.enum;
    const column = columnOf(name);
    if (!choice && !columns.includes(column) && SENT[name] === undefined) {
      throw new Error(`${table} has no column for the filter ${name} of ${list.name}: say in queriesOf what to send`);
    }
    const value = SENT[name] ?? choice?.[0] ?? row?.[column];
    queries = queries.flatMap((query) => [query, `${query}&${name}=${value}`]);
  }
  return queries;
}
