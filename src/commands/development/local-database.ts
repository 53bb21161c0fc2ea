/** Prepares the local D1 databases before `wrangler dev` opens them. */
import { globSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getPlatformProxy, unstable_readConfig, unstable_splitSqlQuery } from "wrangler";
import { planSchema, readSchemaState, readSchemaSteps, type SchemaStep } from "../deployment/databases/schema-steps.ts";
import { DamagedFile } from "./state-folder.ts";

/** Brings a local database to today's schema and keeps its data. Throws UnknownSchema. */
async function applySchemaSteps(database: D1Database, binding: string, steps: readonly SchemaStep[]): Promise<void> {
  const state = await readSchemaState(async (sql) => (await database.prepare(sql).all()).results);
  for (const { name, sql } of planSchema(state, steps).files) {
    await database.batch(unstable_splitSqlQuery(sql).map((statement) => database.prepare(statement)));
    if (state.objects.length > 0) console.log(`Applied ${name} to the local database ${binding}.`);
  }
}

/** Looks at the files before the runtime opens them: it answers a damaged one with an internal error that names no file. */
export function requireWholeFiles(stateFolder: string): void {
  for (const file of globSync(join(resolve(stateFolder), "v3/**/*.sqlite"))) {
    const found = findingIn(file);
    if (found !== "ok") throw new DamagedFile(`The local data is damaged (${relative(stateFolder, file)}: ${found}).`);
  }
}

/** SQLite's finding about the file: "ok", or the fault in one line. */
function findingIn(file: string): string {
  try {
    const database = new DatabaseSync(file);
    try {
      return String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check).split("\n", 1).join();
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** `digit` is the first of every identifier in the database. */
export type LocalDatabase = { readonly binding: string; readonly digit: string; readonly database: D1Database };

/** The local runtime has closed a connection that was kept alive, while a request was sent on it. */
const isClosedConnection = (error: unknown): boolean => error instanceof TypeError && error.message === "fetch failed";

type Use<T> = (databases: readonly LocalDatabase[]) => Promise<T>;

/**
 * Runs `use` on the config's local databases below `stateFolder` (wrangler's `--persist-to`), which then have today's schema.
 * `use` may run twice, so it must recognize its own work. Throws UnknownSchema.
 */
export async function withLocalDatabases<T>(config: string, stateFolder: string, use: Use<T>): Promise<T> {
  try {
    return await useLocalDatabases(config, stateFolder, use);
  } catch (error) {
    if (!isClosedConnection(error)) throw error;
    return useLocalDatabases(config, stateFolder, use);
  }
}

async function useLocalDatabases<T>(config: string, stateFolder: string, use: Use<T>): Promise<T> {
  // Uses only the databases of the config: a proxy cannot run the Durable Object and would print a warning.
  const { d1_databases, compatibility_date } = unstable_readConfig({ config });
  const folder = await mkdtemp(join(tmpdir(), "local-database-"));
  const configPath = join(folder, "wrangler.json");
  await writeFile(configPath, JSON.stringify({ name: "local-database", compatibility_date, d1_databases }));
  const proxy = await getPlatformProxy<Record<string, D1Database>>({
    configPath,
    persist: { path: join(resolve(stateFolder), "v3") },
  });
  try {
    const steps = await readSchemaSteps(join(dirname(config), "migrations"));
    const databases = Object.entries(proxy.env).map(([binding, database]) => ({
      binding,
      digit: binding === "DB" ? "0" : binding.slice(-1),
      database,
    }));
    for (const { binding, database } of databases) await applySchemaSteps(database, binding, steps);
    return await use(databases);
  } finally {
    await proxy.dispose();
    await rm(folder, { recursive: true });
  }
}
