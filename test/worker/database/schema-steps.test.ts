/** The steps in migrations/: they make what schema.sql says, and a database of the first version keeps all of its data. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { normalizeSql, SCHEMA_OBJECTS } from "../../../src/commands/deployment/schema-objects.ts";
import firstVersion from "../../fixtures/first-version.sql?raw";
import { createIsolate } from "../../support/isolate.ts";
import { tokenFor } from "../../support/world.ts";

const files = import.meta.glob<string>("../../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const steps = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));

const load = (file: string) => env.DB.prepare(file).run();
const rows = async (sql: string) => (await env.DB.prepare(sql).all<Record<string, string | number | null>>()).results;

/** Those before the step `until`, or all. */
async function applySteps(until?: string) {
  for (const [path, sql] of steps) {
    if (until !== undefined && path.includes(until)) return;
    await load(sql);
  }
}

const schema = async () =>
  (await rows(SCHEMA_OBJECTS)).map(({ type, name, sql }) => `${type} ${name}: ${normalizeSql(String(sql))}`).toSorted();

describe("the files", () => {
  it("are numbered from 0001 without a gap", () => {
    const numbers = steps.map(([path]) => path.replace("../../../migrations/", "").slice(0, 5));
    expect(numbers).toEqual(steps.map((_, index) => `${String(index + 1).padStart(4, "0")}_`));
  });

  // D1 splits a file at semicolons on its side, and has failed on these forms: workers-sdk issues 4727, 10998, 14991.
  it.each(steps)("%s has no form that D1 has split wrongly", (_, sql) => {
    expect(sql).not.toContain("\r");
    const code = normalizeSql(sql);
    expect(code).not.toMatch(/\bCASE\b/i);
    expect(code.replaceAll(/\b(BEGIN|END)\b/g, "")).not.toMatch(/\b(begin|end)\b/i);
    expect(code).not.toMatch(/\b(BEGIN TRANSACTION|COMMIT|SAVEPOINT|PRAGMA)\b/i);
  });
});

it("the steps make the schema that schema.sql says, to the order of the columns", async () => {
  const whole = await schema();
  await reset();
  expect(await schema()).toEqual([]);
  await applySteps();
  const made = await schema();
  const mend = "write a step in migrations/ that makes the same change as schema.sql (CONTRIBUTING.md, Schema)";
  expect({ inSchemaAlone: whole.filter((each) => !made.includes(each)) }, mend).toEqual({ inSchemaAlone: [] });
  expect({ inStepsAlone: made.filter((each) => !whole.includes(each)) }, mend).toEqual({ inStepsAlone: [] });
  expect(whole.length).toBeGreaterThan(50);
});

it("what owners' Idempotency-Keys keep is taken out of the stored bytes, and its deletion is not counted", async () => {
  await reset();
  await applySteps("0017_");
  await rows("INSERT INTO accounts (id, owner_email, created_at) VALUES ('a', 'a@example.com', 1)");
  const remember = (key: string) =>
    rows(`INSERT INTO idempotency_keys VALUES ('a', '${key}', 'hash', '{}', 1)`).then(() => stored());
  const stored = async () => Number((await rows("SELECT stored_bytes FROM accounts"))[0]?.stored_bytes);
  const tenants = await remember("0Key00000001 k");
  expect(await remember("account k")).toBeGreaterThan(tenants);
  for (const [path, sql] of steps) if (path.includes("0017_")) await load(sql);
  expect([tenants > 0, await stored()]).toEqual([true, tenants]);
  await rows("DELETE FROM idempotency_keys");
  expect(await stored()).toBe(0);
});

describe("a database of the first version", () => {
  const isolate = createIsolate();
  const get = (path: string, headers: Record<string, string>) => isolate.request(path, { headers });
  const key = { "X-API-Key": "ibk_0irstKey0001wZMQbtn4RrualYuhl8YS1S4T44lfyu5ftrU" };
  const as = async (panelist: string, bank = "0irstBank001") => ({ Authorization: await tokenFor(bank, panelist) });

  /** The columns of the first version, of every table. */
  let columns: Map<string, string>;
  let before: Map<string, Record<string, unknown>[]>;

  const dump = async () => {
    const dumped = new Map<string, Record<string, unknown>[]>();
    for (const [table, list] of columns) dumped.set(table, await rows(`SELECT ${list} FROM ${table} ORDER BY 1, 2`));
    return dumped;
  };

  beforeEach(async () => {
    await reset();
    await load(firstVersion);
    columns = new Map();
    for (const { type, name } of await rows(SCHEMA_OBJECTS)) {
      if (type !== "table") continue;
      const list = await rows(`SELECT name FROM pragma_table_info('${name}')`);
      columns.set(String(name), list.map((column) => column.name).join(", "));
    }
    before = await dump();
    await applySteps();
  });

  it("has data in every table", () => {
    expect(columns.size).toBe(11);
    for (const [table, list] of before) expect([table, list.length > 0]).toEqual([table, true]);
  });

  it("keeps every row and every value; tokens of a panelist who is not active count as revoked", async () => {
    const after = await dump();
    const inactive = after.get("panelists")?.find(({ active }) => active === 0) ?? {};
    expect(inactive).toMatchObject({ id: "0irstPanel03", tokens_revoked_at: expect.any(Number) });
    inactive.tokens_revoked_at = null;
    expect(after).toEqual(before);
  });

  it("has the schema of today, and its references hold", async () => {
    const migrated = await schema();
    await reset();
    await applySteps();
    expect(migrated).toEqual(await schema());
    expect(await rows("PRAGMA foreign_key_check")).toEqual([]);
  });

  it("has counted comments and stored bytes as the triggers would have", async () => {
    expect(await rows("SELECT id, comments, votes FROM proposals WHERE comments > 0 ORDER BY id")).toEqual([
      { id: "0irstProp003", comments: 2, votes: 0 },
      { id: "0irstProp004", comments: 1, votes: 0 },
    ]);
    const counted = await rows("SELECT id, stored_bytes FROM accounts ORDER BY id");
    expect(counted.at(-1)).toEqual({ id: "0irstAcct003", stored_bytes: 0 });
    // The triggers count the same when every row is deleted again.
    for (const table of [
      "comments",
      "proposals",
      "idea_banks",
      "panelists",
      "token_revocations",
      "surveys",
      "idempotency_keys",
    ]) {
      await rows(`DELETE FROM ${table}`);
    }
    expect(await rows("SELECT DISTINCT stored_bytes FROM accounts")).toEqual([{ stored_bytes: 0 }]);
    expect(counted[0]?.stored_bytes).toBeGreaterThan(2_000);
  });

  it("answers: keys, surveys, panelists, the changelog", async () => {
    expect(await (await get("/tenant/whoami", key)).json()).toEqual({ apiKeyId: "0irstKey0001" });
    const surveys = await (await get("/tenant/surveys", key)).json<{ items: unknown[] }>();
    expect(surveys.items).toMatchObject([{ id: "0irstSurvey1", title: "Travel" }]);
    const panelists = await (await get("/tenant/panelists", key)).json<{ items: unknown[] }>();
    expect(panelists.items).toHaveLength(3);
    const changelog = await (await get("/public/ideabank/changelog", await as("0irstPanel01"))).json();
    expect(changelog).toEqual({
      items: [
        { title: "Shelters", description: "Against the rain.", lastModified: 1750000009 },
        { title: "Night buses", description: "Every half hour.", lastModified: 1750000005 },
      ],
    });
  });

  it("refuses a revoked token, one of a panelist who is not active, and one of a deleted panelist", async () => {
    const revoked = { Authorization: await tokenFor("0irstBank001", "0irstPanel02", 1750000899) };
    const statuses = [(await get("/public/ideabank/changelog", revoked)).status];
    for (const panelist of ["0irstPanel03", "0irstPanel04"]) {
      statuses.push((await get("/public/ideabank/changelog", await as(panelist))).status);
    }
    expect(statuses).toEqual([401, 401, 401]);
  });

  it("takes votes, comments and submissions, and its triggers work", async () => {
    const headers = { ...(await as("0irstPanel01")), "Content-Type": "application/json" };
    const send = (method: string, path: string, json: unknown = null) =>
      isolate.request(path, { method, headers, body: json === null ? null : JSON.stringify(json) });
    const vote = await send("PUT", "/ideabank/proposals/0irstProp001/vote");
    expect(await vote.json()).toEqual({ voted: true, votes: 1 });
    expect((await send("POST", "/ideabank/proposals/0irstProp002/comments", { body: "Good." })).status).toBe(201);
    expect((await send("POST", "/ideabank/proposals", { title: "Maps", description: "At stops." })).status).toBe(201);
    const first = async () =>
      (await (await send("GET", "/public/ideabank/changelog")).json<{ items: { title: string }[] }>()).items[0]?.title;
    expect(await first()).toBe("Shelters");
    const answered = await isolate.request("/tenant/ideabanks/0irstBank001/proposals/0irstProp002/comments", {
      method: "POST",
      headers: { ...key, "Content-Type": "application/json" },
      body: JSON.stringify({ body: "Done." }),
    });
    expect(answered.status).toBe(201);
    expect(await first()).toBe("Bicycle racks");
    const [{ comments, votes } = {}] = await rows(
      "SELECT sum(comments) AS comments, sum(votes) AS votes FROM proposals",
    );
    expect({ comments, votes }).toEqual({ comments: 5, votes: 1 });
  });
});
