/** Exports of a deployment's databases: a folder with one SQL file for each, named by its binding. */
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EveryDatabase } from "./every-database.ts";
import { Failure } from "./failure.ts";

export const fileOf = (folder: string, binding: string): string => join(folder, `${binding}.sql`);

/** Exports every database into a new folder, reads each file back, and prints what it holds. */
export async function exportAll({ bindings, place, run }: EveryDatabase, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // `DB` last: what an owner's first visit between two exports leaves is an entry of the directory without its account, which the
  // next visit completes, and not an account that the directory does not know.
  for (const binding of bindings.toSorted().reverse()) {
    const file = fileOf(folder, binding);
    await run(["export", binding, place, "--output", file, "--skip-confirmation"]);
    const database = readExport(file);
    const counts = ["accounts", "api_keys", "panelists", "idea_banks", "proposals"].map(
      (table) => `${rowsOf(database, table)} ${table.replace("_", " ")}`,
    );
    database.close();
    console.log(`${file}: ${statSync(file).size} bytes; ${counts.join(", ")}`);
  }
}

/** An export, loaded into memory. Throws a Failure when it is not one. */
export function readExport(file: string): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec(readFileSync(file, "utf8"));
    return database;
  } catch (error) {
    throw new Failure(`${file} is not a complete export: ${error instanceof Error ? error.message : error}`);
  }
}

export const hasTable = (database: DatabaseSync, table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;

const rowsOf = (database: DatabaseSync, table: string): number =>
  hasTable(database, table) ? Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n) : 0;

/** The statements that empty a database which has what this export has. A table goes before those that it refers to. */
export function dropStatements(database: DatabaseSync): string[] {
  const names = (type: string) =>
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = ? AND name NOT GLOB 'sqlite_*'")
      .all(type)
      .map(({ name }) => String(name));
  const targetsOf = (table: string) =>
    database
      .prepare('SELECT "table" AS target FROM pragma_foreign_key_list(?)')
      .all(table)
      .map(({ target }) => String(target));
  const left = new Map(names("table").map((table) => [table, targetsOf(table)]));
  const ordered: string[] = [];
  while (left.size > 0) {
    const isTarget = (table: string) =>
      [...left].some(([other, targets]) => other !== table && targets.includes(table));
    const next = [...left.keys()].find((table) => !isTarget(table));
    if (next === undefined) throw new Failure("the tables refer to each other in a circle.");
    ordered.push(next);
    left.delete(next);
  }
  return [
    "PRAGMA defer_foreign_keys = true;",
    ...names("trigger").map((name) => `DROP TRIGGER IF EXISTS "${name}";`),
    ...ordered.map((name) => `DROP TABLE IF EXISTS "${name}";`),
  ];
}
