/** Exports of a deployment's databases: a folder with one SQL file for each, named by its binding. */
import { renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EveryDatabase } from "./every-database.ts";
import { describeContent, readExport } from "./read-export.ts";
import { readSchemaState, type SchemaState } from "./schema-steps.ts";
import { writePrivately } from "./write-privately.ts";

export const fileOf = (folder: string, binding: string): string => join(folder, `${binding}.sql`);

/** The export is written here first, so that an earlier one stays until the new one was read back. */
const partOf = (folder: string, binding: string): string => join(folder, `${binding}.part.sql`);

/** The schema in a database's export, as it was read back. */
type Exported = { readonly binding: string; readonly schema: SchemaState };

/**
 * Exports every database into `folder`, reads each file back, and prints its content. If `check` throws, or an export fails, the
 * files of an earlier export are unchanged.
 */
export async function exportAll(
  databases: EveryDatabase,
  folder: string,
  check: (exported: readonly Exported[]) => void = () => {},
): Promise<void> {
  const exported: Exported[] = [];
  try {
    // `DB` comes last. So an owner's first visit between two exports leaves an entry of the directory without its account, which
    // the next visit completes, never an account that the directory does not know.
    for (const binding of databases.bindings.toSorted().reverse()) {
      exported.push(await exportPart(databases, binding, folder));
    }
    check(exported);
  } catch (error) {
    // Half an export is useless, and may be the reason why the disk is full.
    removeParts(databases, folder);
    throw error;
  }
  for (const binding of databases.bindings) keepPart(databases, binding, folder);
}

/** Exports one of them again. */
export async function exportOne(databases: EveryDatabase, binding: string, folder: string): Promise<void> {
  await exportPart(databases, binding, folder);
  keepPart(databases, binding, folder);
}

async function exportPart(databases: EveryDatabase, binding: string, folder: string): Promise<Exported> {
  const part = partOf(folder, binding);
  const path = resolve(databases.context.folder, part);
  writePrivately(path, "");
  await databases.export(binding, part);
  databases.context.showProgress?.(`Reading ${fileOf(folder, binding)}`);
  const database = readExport(path);
  databases.context.print(`${fileOf(folder, binding)}: ${statSync(path).size} bytes; ${describeContent(database)}`);
  const schema = await readSchemaState(async (sql) => database.prepare(sql).all());
  database.close();
  return { binding, schema };
}

const keepPart = ({ context }: EveryDatabase, binding: string, folder: string): void =>
  renameSync(resolve(context.folder, partOf(folder, binding)), resolve(context.folder, fileOf(folder, binding)));

const removeParts = ({ context, bindings }: EveryDatabase, folder: string): void => {
  for (const binding of bindings) rmSync(resolve(context.folder, partOf(folder, binding)), { force: true });
};
