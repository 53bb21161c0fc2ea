/**
 * The steps of the schema: the numbered files of migrations/, and what a database still needs of them.
 *
 * The format, the order and the ledger (the table d1_migrations) are those of `wrangler d1 migrations`, so its `list` works here.
 * One thing differs: on Cloudflare a step is applied with `wrangler d1 execute --file`, not with `wrangler d1 migrations apply`.
 * The latter sends the step to D1's query endpoint, which splits it at semicolons and has cut triggers in two, each time for
 * another reason (workers-sdk issues 4727, 10998, 14991, 15178, and 15690, which is open). `--file` uses D1's import, which takes
 * the same files, and either completes or leaves the database as it was. The ledger's row is part of the file.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { schemaAfter as schemaAfterFiles } from "./schema-after.ts";
import { LEDGER, normalizeSql, SCHEMA_OBJECTS, type SchemaObject } from "./schema-objects.ts";

/** `name` is the file's name, as the ledger has it. */
export type SchemaStep = { readonly name: string; readonly sql: string };

/** `ledger`: the names of the steps that the database has had, in their order. Empty if it has no ledger. */
export type SchemaState = { readonly ledger: readonly string[]; readonly objects: readonly SchemaObject[] };

export type SchemaPlan = {
  /** The files to apply, in this order. Each is one transaction, and ends with its rows in the ledger. */
  readonly files: readonly SchemaStep[];
  /** Steps in the ledger that this version does not have: a newer version was here. Its steps are additive, so this one works. */
  readonly unknown: readonly string[];
};

/** The database has no ledger, and its schema is not `schema.sql`. */
export class UnknownSchema extends Error {}

/** Wrangler's own statement. */
const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER}(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

const insertIntoLedger = ({ name }: SchemaStep) => `INSERT INTO ${LEDGER} (name) VALUES ('${name}');`;

/** One statement: 1 if the database has a ledger. */
export const HAS_LEDGER = `SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name = '${LEDGER}'`;

/** One statement: the ledger, oldest first. */
export const READ_LEDGER = `SELECT name FROM ${LEDGER} ORDER BY id`;

/** Runs one statement and returns its rows. */
export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

export async function readSchemaState(query: Query): Promise<SchemaState> {
  const [found] = await query(HAS_LEDGER);
  const ledger = Number(found?.found) > 0 ? await query(READ_LEDGER) : [];
  const objects = await query(SCHEMA_OBJECTS);
  return {
    ledger: ledger.map(({ name }) => String(name)),
    objects: objects.map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) })),
  };
}

/** The files of `folder`, in their order. */
export async function readSchemaSteps(folder = "migrations"): Promise<readonly SchemaStep[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted();
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), "utf8") })));
}

/** The steps that a database in `state` needs. Throws UnknownSchema. */
export function planSchema({ ledger, objects }: SchemaState, steps: readonly SchemaStep[]): SchemaPlan {
  if (ledger.length === 0 && objects.length > 0) return { files: [ledgerOfWhole(objects, steps)], unknown: [] };
  return {
    files: steps.filter(({ name }) => !ledger.includes(name)).map(withLedger),
    unknown: ledger.filter((name) => !steps.some((step) => step.name === name)),
  };
}

/** The tables, indexes and triggers that a database in `state` should have by the steps in its ledger, and has not. */
export function missingObjects({ ledger, objects }: SchemaState, steps: readonly SchemaStep[]): readonly string[] {
  if (ledger.length === 0) return [`table ${LEDGER}`];
  return schemaAfter(steps.filter(({ name }) => ledger.includes(name)))
    .filter((wanted) => !objects.some(({ type, name }) => type === wanted.type && name === wanted.name))
    .map(({ type, name }) => `${type} ${name}`);
}

/**
 * The triggers and views in `state` that do not belong to the schema, and the tables and indexes that have a name of the schema's
 * and are different. The schema is the one that the steps in its ledger make; without a ledger, the one that all steps make.
 */
export function foreignObjects({ ledger, objects }: SchemaState, steps: readonly SchemaStep[]): readonly string[] {
  const had = ledger.length === 0 ? steps : steps.filter(({ name }) => ledger.includes(name));
  const own = new Map(schemaAfter(had).map(({ type, name, sql }) => [`${type} ${name}`, normalizeSql(sql)]));
  return objects
    .map(({ type, name, sql }) => ({ type, key: `${type} ${name}`, sql: normalizeSql(sql) }))
    .filter(({ type, key, sql }) =>
      type === "trigger" || type === "view" || own.has(key) ? own.get(key) !== sql : false,
    )
    .map(({ key }) => key);
}

const schemaAfter = (steps: readonly SchemaStep[]) => schemaAfterFiles(steps.map(({ sql }) => sql));

const withLedger = (step: SchemaStep): SchemaStep => ({
  name: step.name,
  sql: [CREATE_LEDGER, step.sql, insertIntoLedger(step), ""].join("\n"),
});

/** The ledger of a database that `schema.sql` made. Throws UnknownSchema for any other database that has no ledger. */
function ledgerOfWhole(objects: readonly SchemaObject[], steps: readonly SchemaStep[]): SchemaStep {
  if (textOf(objects) !== textOf(schemaAfter(steps))) {
    throw new UnknownSchema("The database has tables and no ledger of schema steps, and its schema is not schema.sql.");
  }
  return { name: "the ledger", sql: [CREATE_LEDGER, ...steps.map(insertIntoLedger), ""].join("\n") };
}

const textOf = (objects: readonly SchemaObject[]) =>
  objects
    .map(({ type, name, sql }) => `${type} ${name} ${normalizeSql(sql)}`)
    .toSorted()
    .join("\n");
