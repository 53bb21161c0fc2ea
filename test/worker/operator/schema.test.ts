/** `GET /operator/schema`: what each database has, for the doctor. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { SCHEMA_OBJECTS, type SchemaObject } from "../../../src/worker/database/schema.ts";
import { sendAsOperator } from "../../support/operator.ts";

type Answer = { databases: { binding: string; steps: string[]; objects: SchemaObject[] }[] };

const ask = async () => (await (await sendAsOperator("GET", "/operator/schema")).json()) as Answer;

it("says what each database has itself: an object that is dropped is missing, whatever the ledger says", async () => {
  await env.DB.prepare("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)").run();
  await env.DB.prepare("INSERT INTO d1_migrations (name) VALUES ('0001_schema.sql'), ('0002_more.sql')").run();
  const before = await ask();
  expect(before.databases.map(({ binding, steps }) => [binding, steps])).toEqual([
    ["DB", ["0001_schema.sql", "0002_more.sql"]],
    ["DB_1", []],
  ]);
  const [first, second] = before.databases;
  expect(first?.objects.map(({ name }) => name)).not.toContain("d1_migrations");
  const { results } = await env.DB.prepare(SCHEMA_OBJECTS).all<SchemaObject>();
  expect(first?.objects).toEqual(results);
  await env.DB.prepare("DROP TABLE comments").run();
  const after = await ask();
  const hasComments = ({ objects = [] }: { objects?: SchemaObject[] } = {}) =>
    objects.some(({ type, name }) => type === "table" && name === "comments");
  expect([first, second, ...after.databases].map(hasComments)).toEqual([true, true, false, true]);
});
