/** The statements that empty a database. They are made from the database itself, so that no export of it is needed. */
import type { Row } from "./wrangler-session.ts";

/** One statement. SQLite's own tables and Cloudflare's stay. */
export const READ_SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' AND substr(name, 1, 4) <> '_cf_'`;

/** `schema`: the rows of READ_SCHEMA. A table goes before those that it refers to: dropping a table deletes its rows first. */
export function dropStatements(schema: readonly Row[]): string[] {
  const objects = schema.map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }));
  const drop = (type: string, name: string) => `DROP ${type.toUpperCase()} IF EXISTS "${name.replaceAll('"', '""')}";`;
  const left = objects.filter(({ type }) => type === "table");
  const missing = left
    .flatMap(({ sql }) => targetsOf(sql))
    .filter(({ table }) => !left.some(({ name }) => name.toLowerCase() === table));
  const tables: string[] = [];
  while (left.length > 0) {
    const isTarget = (name: string) =>
      left.some(
        (other) => other.name !== name && targetsOf(other.sql).some(({ table }) => table === name.toLowerCase()),
      );
    // Tables that refer to each other in a circle go in any order: their keys are checked at the end of the file.
    const next = left.findIndex(({ name }) => !isTarget(name));
    tables.push(...left.splice(Math.max(next, 0), 1).map(({ name }) => name));
  }
  const others = objects.filter(({ type }) => type === "trigger" || type === "view");
  return [
    "PRAGMA defer_foreign_keys = true;",
    ...others.map(({ type, name }) => drop(type, name)),
    // The rows of a table that refers to a missing one cannot be deleted.
    ...missing.map(
      ({ table, columns }) => `CREATE TABLE IF NOT EXISTS "${table}" (${columns}, PRIMARY KEY (${columns}));`,
    ),
    ...[...tables, ...missing.map(({ table }) => table)].map((name) => drop("table", name)),
  ];
}

const targetsOf = (sql: string): { table: string; columns: string }[] =>
  [...sql.matchAll(/\bREFERENCES\s+["`[]?(\w+)["`\]]?\s*(?:\(([^)]*)\))?/gi)].map(([, table = "", columns = "id"]) => ({
    table: table.toLowerCase(),
    columns,
  }));
