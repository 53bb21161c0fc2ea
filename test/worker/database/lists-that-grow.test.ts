/** Lists of values that may grow: triggers refuse an unknown one, and no CHECK does, which a step could not change. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { normalizeSql, SCHEMA_OBJECTS, type SchemaObject } from "../../../src/worker/database/schema.ts";
import { CHANGE_ACTORS } from "../../../src/worker/model/change.ts";
import { IDEA_BANK_STATUSES } from "../../../src/worker/model/idea-bank.ts";
import { ACCOUNT_STATUSES } from "../../../src/worker/model/operator.ts";
import { PROPOSAL_STATUSES, VISIBILITIES } from "../../../src/worker/model/proposal.ts";
import { ROLES } from "../../../src/worker/model/role.ts";
import { SURVEY_STATUSES } from "../../../src/worker/model/survey.ts";
import { WEBHOOK_FORMATS, WEBHOOK_STATES } from "../../../src/worker/model/webhook.ts";

const files = import.meta.glob<string>("../../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const steps = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));

type Row = Readonly<Record<string, string | number>>;

const insert = (table: string, row: Row) =>
  env.DB.prepare(
    `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row).map((_, index) => `?${index + 1}`)})`,
  )
    .bind(...Object.values(row))
    .run();

const AT = { created_at: 1 };
const OF_ACCOUNT = { account_id: "a" };
/** One row of each table, in an order in which they can be inserted. */
const ROWS: Readonly<Record<string, Row>> = {
  accounts: { id: "a", owner_email: "o@example.com", ...AT },
  members: { id: "m", ...OF_ACCOUNT, email: "m@example.com", added_by: "o@example.com", ...AT },
  invitations: { id: "i", ...OF_ACCOUNT, email: "i@example.com", added_by: "o@example.com", ...AT },
  idea_banks: { id: "b", ...OF_ACCOUNT, name: "Ideas", ...AT },
  proposals: { id: "p", ...OF_ACCOUNT, idea_bank_id: "b", title: "Dogs", description: "", ...AT, last_activity_at: 1 },
  comments: { id: "c", ...OF_ACCOUNT, idea_bank_id: "b", proposal_id: "p", body: "Yes", ...AT },
  surveys: { id: "s", ...OF_ACCOUNT, title: "Ride", description: "", ...AT, updated_at: 1 },
  webhooks: { id: "w", ...OF_ACCOUNT, url: "https://example.com", secret: "s", ...AT, number: 0 },
  change_log: { ...OF_ACCOUNT, number: 99, type: "survey.created", changed_at: 1 },
};

const LISTS: readonly (readonly [table: string, column: string, values: readonly string[]])[] = [
  ["accounts", "status", ACCOUNT_STATUSES],
  ["accounts", "owner_role", ROLES],
  ["members", "role", ROLES],
  ["invitations", "role", ROLES],
  ["idea_banks", "status", IDEA_BANK_STATUSES],
  ["proposals", "status", PROPOSAL_STATUSES],
  ["proposals", "visibility", VISIBILITIES],
  ["comments", "visibility", VISIBILITIES],
  ["surveys", "status", SURVEY_STATUSES],
  ["webhooks", "state", WEBHOOK_STATES],
  ["webhooks", "format", WEBHOOK_FORMATS],
  ["change_log", "actor", CHANGE_ACTORS],
];

describe.each(LISTS)("in %s, %s", (table, column, values) => {
  it("can be each known value", async () => {
    for (const [each, row] of Object.entries(ROWS)) await insert(each, row);
    for (const value of values) {
      await env.DB.prepare(`UPDATE ${table} SET ${column} = ?1`).bind(value).run();
      expect(await env.DB.prepare(`SELECT DISTINCT ${column} FROM ${table}`).first(column)).toBe(value);
    }
  });

  it("can be nothing else, in a new row or an old one", async () => {
    for (const [each, row] of Object.entries(ROWS)) {
      if (each === table)
        await expect(insert(each, { ...row, [column]: "unheard-of" })).rejects.toThrow(`unknown ${column}`);
      await insert(each, row);
    }
    const changed = env.DB.prepare(`UPDATE ${table} SET ${column} = 'unheard-of'`).run();
    await expect(changed).rejects.toThrow(`unknown ${column}`);
  });
});

it("no CHECK of the schema has a list of texts", async () => {
  const { results } = await env.DB.prepare(SCHEMA_OBJECTS).all<SchemaObject>();
  const listed = results.filter(({ sql }) => /\bCHECK\([^)]* IN\('/.test(normalizeSql(sql)));
  expect(listed.map(({ name }) => name)).toEqual([]);
  expect(results.some(({ sql }) => normalizeSql(sql).includes("CHECK(internal IN(0,1))"))).toBe(true);
});

it("the step that opens them leaves the database as it was, wherever it is cut off, and then goes through", {
  tags: "slow",
}, async () => {
  await reset();
  const at = steps.findIndex(([path]) => path.endsWith("_one_two.sql"));
  for (const [, sql] of steps.slice(0, at)) await env.DB.prepare(sql).run();
  for (const [table, row] of Object.entries(ROWS))
    await insert(table, table === "change_log" ? { ...row, actor: "system" } : row);
  await env.DB.prepare("UPDATE proposals SET status = 'planned', visibility = 'hidden'").run();
  const read = async () => {
    const { results } = await env.DB.prepare(`${SCHEMA_OBJECTS} ORDER BY type, name`).all<SchemaObject>();
    const rows = await Promise.all(Object.keys(ROWS).map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()));
    return { schema: results, rows: rows.map((all) => all.results) };
  };
  const before = await read();
  const statements = (steps[at]?.[1] ?? "")
    .replaceAll(/^--.*$/gm, "")
    .split(/;\n(?!\s*END;|[ \t])/)
    .filter((sql) => sql.trim() !== "")
    .map((sql) => env.DB.prepare(sql));
  expect(statements.length).toBeGreaterThan(60);
  for (const part of [0.1, 0.35, 0.6, 1]) {
    const done = statements.slice(0, Math.ceil(part * statements.length));
    const cutOff = env.DB.batch([...done, env.DB.prepare("SELECT no_such_function()")]);
    await expect(cutOff).rejects.toThrow("no_such_function");
    expect(await read()).toEqual(before);
  }
  await env.DB.batch(statements);
  const after = await read();
  expect(after.rows).toMatchObject(before.rows);
  expect(after.schema.length).toBeGreaterThan(before.schema.length);
});
