/** Prepares the local D1 databases before `wrangler dev` opens them. */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy, unstable_readConfig } from "wrangler";

const MARK = "schema.sha256";

/**
 * A database that was made from another schema.sql keeps its old tables: loading the file again only adds missing ones.
 * Warns of this at every start, until the developer deletes the database.
 */
async function warnOfOldSchema(stateFolder: string, schema: string): Promise<void> {
  const file = join(stateFolder, MARK);
  const hash = createHash("sha256").update(schema).digest("hex");
  const made = await readFile(file, "utf8").catch(() => undefined);
  if (made === undefined) await writeFile(file, hash);
  else if (made !== hash) {
    console.warn(`\nschema.sql has changed since the local database was made. To start over: rm -rf ${stateFolder}`);
  }
}

/** Data of a version whose identifiers did not name their database: no request would find it. */
export class OldIdentifiers extends Error {
  constructor(stateFolder: string) {
    super(`The local data is of an older version, with other identifiers. To start over: rm -rf ${stateFolder}`);
    this.name = "OldIdentifiers";
  }
}

/** `digit` is the first of every identifier in the database. */
export type LocalDatabase = { readonly binding: string; readonly digit: string; readonly database: D1Database };

/** Loads the schema. Throws OldIdentifiers. */
async function prepare({ digit, database }: LocalDatabase, stateFolder: string, schema: string): Promise<void> {
  await database.prepare(schema).run();
  const old = await database.prepare("SELECT id FROM accounts WHERE substr(id, 1, 1) <> ?1").bind(digit).first();
  if (old !== null) throw new OldIdentifiers(stateFolder);
}

/** Runs `use` on the config's local databases below `stateFolder` (wrangler's `--persist-to`), with the schema loaded. */
export async function withLocalDatabases(
  config: string,
  stateFolder: string,
  use: (databases: readonly LocalDatabase[]) => Promise<void>,
): Promise<void> {
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
    const schema = await readFile("schema.sql", "utf8");
    const databases = Object.entries(proxy.env).map(([binding, database]) => ({
      binding,
      digit: binding === "DB" ? "0" : binding.slice(-1),
      database,
    }));
    for (const each of databases) await prepare(each, stateFolder, schema);
    await warnOfOldSchema(stateFolder, schema);
    await use(databases);
  } finally {
    await proxy.dispose();
    await rm(folder, { recursive: true });
  }
}
