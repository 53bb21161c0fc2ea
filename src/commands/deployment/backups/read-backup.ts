/** A backup, before it replaces anything: whether it is whole. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import { nameSome } from "../../command-line/name-some.ts";
import type { EveryDatabase } from "../databases/every-database.ts";
import { fileOf } from "../databases/export.ts";
import { describeContent, hasSchema, readExport } from "../databases/read-export.ts";
import {
  describeMissing,
  foreignObjects,
  missingObjects,
  readSchemaState,
  readSchemaSteps,
  type SchemaState,
  type SchemaStep,
} from "../databases/schema-steps.ts";

/** `wayOn` says what to do when a database's file is missing, and others are there. */
export function requireFiles(
  { context }: EveryDatabase,
  {
    folder,
    bindings,
    wayOn = (_binding: string) => "",
  }: {
    readonly folder: string;
    readonly bindings: readonly string[];
    readonly wayOn?: (_binding: string) => string | undefined;
  },
): void {
  const has = (path: string) => existsSync(resolve(context.folder, path));
  const missing = bindings.find((binding) => !has(fileOf(folder, binding)));
  if (missing === undefined) return;
  if (!has(folder)) throw new Failure(`There is no folder ${folder}.${namesOfBackups(context.folder)}`);
  const isBackup = bindings.some((binding) => has(fileOf(folder, binding)));
  throw new Failure(
    `${fileOf(folder, missing)} is missing.${isBackup ? wayOn(missing) : namesOfBackups(context.folder)}`,
  );
}

/** In words: the folders in backups/. */
function namesOfBackups(folder: string): string {
  const path = join(folder, "backups");
  const names = existsSync(path) ? readdirSync(path).toSorted() : [];
  return names.length === 0 ? "" : ` These are in backups/: ${names.join(", ")}.`;
}

/** The content of a backup's file: in words, and the identifiers of its accounts. */
export type BackedUp = { readonly words: string; readonly accounts: ReadonlySet<string> };

/**
 * The content of each file of the backup. Throws a Failure for a file that should not replace anything, or not without `asItIs`.
 * `present` is the command that backs up the present state into backups/present.
 */
export async function readBackup(
  databases: EveryDatabase,
  { folder, asItIs, present }: { readonly folder: string; readonly asItIs: boolean; readonly present: string },
): Promise<Map<string, BackedUp>> {
  requireFiles(databases, {
    folder,
    bindings: databases.bindings,
    wayOn: (binding) =>
      ` If the backup is older than ${binding}, keep that database as it is: \`${present}\`, then copy ` +
      `${fileOf("backups/present", binding)} to ${fileOf(folder, binding)}, and run this again.`,
  });
  const steps = await readSchemaSteps(join(databases.context.folder, "migrations"));
  const content = new Map<string, BackedUp>();
  let accounts = 0;
  for (const binding of databases.bindings) {
    const file = fileOf(folder, binding);
    databases.context.showProgress?.(`Reading ${file}`);
    const backup = readExport(resolve(databases.context.folder, file));
    try {
      if (!hasSchema(backup)) {
        throw new Failure(`${file} has no tables: restoring it would leave nothing. It is not a backup.`);
      }
      const state = await readSchemaState(async (sql) => backup.prepare(sql).all());
      requireOwnSchema(file, state, steps);
      if (!asItIs) requireWholeSchema(file, state, steps);
      const ids = backup.prepare("SELECT id FROM accounts").all();
      accounts += ids.length;
      content.set(binding, { words: describeContent(backup), accounts: new Set(ids.map(({ id }) => String(id))) });
    } finally {
      backup.close();
    }
  }
  if (accounts > 0 || asItIs) return content;
  throw new Failure(`${folder} has no accounts. To restore it anyway: add --as-it-is.`);
}

/** A file that was cut off between two statements is still valid SQL, with fewer tables, indexes or triggers. */
function requireWholeSchema(file: string, state: SchemaState, steps: readonly SchemaStep[]): void {
  const missing = missingObjects(state, steps);
  if (missing.length === 0) return;
  throw new Failure(`${file} is incomplete: it has ${describeMissing(missing)}. To restore it anyway: add --as-it-is.`);
}

/** A trigger can undo a revocation in the transaction that makes it, unnoticed. So no option admits a foreign trigger. */
function requireOwnSchema(file: string, state: SchemaState, steps: readonly SchemaStep[]): void {
  const foreign = foreignObjects(state, steps);
  if (foreign.length === 0) return;
  throw new Failure(
    `${file} has objects that are not in this version's schema: ${nameSome(foreign)}. ` +
      "They could undo what the API does, even a revocation. If the backup is from a newer version, restore it with that version. " +
      "Otherwise remove these statements from the file.",
  );
}
