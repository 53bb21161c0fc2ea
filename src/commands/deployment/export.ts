/** Exports of a deployment's databases: a folder with one SQL file for each, named by its binding. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { EveryDatabase } from "./every-database.ts";
import { describeContent, hasSchema, readExport } from "./read-export.ts";

export const fileOf = (folder: string, binding: string): string => join(folder, `${binding}.sql`);

/**
 * Exports every database into `folder`, reads each file back, and prints what it holds. Returns the bindings of those that have no
 * schema.
 */
export async function exportAll(databases: EveryDatabase, folder: string): Promise<readonly string[]> {
  const without: string[] = [];
  // `DB` last: what an owner's first visit between two exports leaves is an entry of the directory without its account, which the
  // next visit completes, and not an account that the directory does not know.
  for (const binding of databases.bindings.toSorted().reverse()) {
    const database = await exportOne(databases, binding, folder);
    if (!hasSchema(database)) without.push(binding);
    database.close();
  }
  return without;
}

/** What was exported, in memory. */
export async function exportOne(databases: EveryDatabase, binding: string, folder: string): Promise<DatabaseSync> {
  const file = fileOf(folder, binding);
  const path = resolve(databases.context.folder, file);
  writePrivately(path, "");
  await databases.export(binding, file);
  const database = readExport(path);
  databases.context.print(`${file}: ${statSync(path).size} bytes; ${describeContent(database)}`);
  return database;
}

/** For the owner of the process alone, whatever was there before. */
export function writePrivately(path: string, text: string): void {
  mkdirSync(resolve(path, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(path, "", { mode: 0o600 });
  chmodSync(path, 0o600);
  writeFileSync(path, text);
}
