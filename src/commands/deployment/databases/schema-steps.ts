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
import { DatabaseSync } from "node:sqlite";
import {
  HAS_LEDGER,
  LEDGER,
  normalizeSql,
  READ_LEDGER,
  SCHEMA_OBJECTS,
  type SchemaObject,
} from "../../../worker/database/schema.ts";
import { columnsOf } from "./read-export.ts";

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

/** No release has made the database's schema. */
export class UnknownSchema extends Error {}

/** Wrangler's own statement. */
const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER}(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

const insertIntoLedger = ({ name }: SchemaStep) => `INSERT INTO ${LEDGER} (name) VALUES ('${name}');`;

/** Runs one statement and returns its rows. */
type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

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
  const missing = missingSteps(ledger, steps);
  const unknown = ledger.filter((name) => !steps.some((step) => step.name === name));
  const [lacking] = missing;
  const [foreign] = unknown;
  // A newer version has all steps of this one.
  if (lacking !== undefined && foreign !== undefined)
    throw new UnknownSchema(`The database has had ${foreign}, which no release has, and lacks ${lacking.name}.`);
  return { files: missing.map(withLedger), unknown };
}

const missingSteps = (ledger: readonly string[], steps: readonly SchemaStep[]) =>
  steps.filter(({ name }) => !ledger.includes(name));

/**
 * What a database in `state` should have by the steps in its ledger, and has not: tables and their columns, then indexes, triggers
 * and views, also those that are another now. What it has besides does not count. Without a ledger it should have all.
 */
export function missingObjects({ ledger, objects }: SchemaState, steps: readonly SchemaStep[]): readonly string[] {
  const there = new Map(objects.map((each) => [`${each.type} ${each.name}`, each]));
  const isNewer = ledger.some((name) => !steps.some((step) => step.name === name));
  const missing = schemaAfter(appliedOf(ledger, steps)).flatMap((wanted) => {
    const key = `${wanted.type} ${wanted.name}`;
    const found = there.get(key);
    if (found === undefined) return [key];
    if (normalizeSql(found.sql) === normalizeSql(wanted.sql)) return [];
    // A newer version may have replaced a trigger.
    if (wanted.type !== "table") return isNewer ? [] : [`${key} as the schema has it`];
    const columns = columnsOf(found);
    return columnsOf(wanted).flatMap((name) => (columns.includes(name) ? [] : [`column ${wanted.name}.${name}`]));
  });
  const inTables = (one: string) => one.startsWith("table ") || one.startsWith("column ");
  return [
    ...(ledger.length === 0 ? [`table ${LEDGER}`] : []),
    ...missing.filter(inTables),
    ...missing.filter((one) => !inTables(one)),
  ];
}

/** What a database in `state` has not: steps, and parts of those that it has had. An empty one has only steps to come. */
export function lackingOf(state: SchemaState, steps: readonly SchemaStep[]) {
  const { ledger, objects } = state;
  const isMade = objects.length > 0;
  return {
    missingSteps: isMade && ledger.length === 0 ? [] : missingSteps(ledger, steps).map(({ name }) => name),
    missingObjects: isMade ? missingObjects(state, steps) : [],
  };
}

/** In words, after "it has": "no table a, no index b, no trigger c, and 2 more are missing". */
export const describeMissing = (missing: readonly string[]): string =>
  `no ${missing.slice(0, 3).join(", no ")}${missing.length > 3 ? `, and ${missing.length - 3} more are missing` : ""}`;

const appliedOf = (ledger: readonly string[], steps: readonly SchemaStep[]) =>
  ledger.length === 0 ? steps : steps.filter(({ name }) => ledger.includes(name));

/**
 * The triggers and views in `state` that do not belong to the schema, and the tables and indexes that have a name of the schema's
 * and are different. The schema is the one that the steps in its ledger make; without a ledger, the one that all steps make.
 */
export function foreignObjects({ ledger, objects }: SchemaState, steps: readonly SchemaStep[]): readonly string[] {
  const own = new Map(
    schemaAfter(appliedOf(ledger, steps)).map(({ type, name, sql }) => [`${type} ${name}`, normalizeSql(sql)]),
  );
  return objects
    .map(({ type, name, sql }) => ({ type, key: `${type} ${name}`, sql: normalizeSql(sql) }))
    .filter(({ type, key, sql }) =>
      type === "trigger" || type === "view" || own.has(key) ? own.get(key) !== sql : false,
    )
    .map(({ key }) => key);
}

/** The schema that the steps make, one after the other, in a database in memory. */
function schemaAfter(steps: readonly SchemaStep[]): readonly SchemaObject[] {
  const database = new DatabaseSync(":memory:");
  try {
    for (const { sql } of steps) database.exec(sql);
    return database
      .prepare(SCHEMA_OBJECTS)
      .all()
      .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }));
  } finally {
    database.close();
  }
}

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
