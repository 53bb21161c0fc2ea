/** Prepares the local D1 database before `wrangler dev` opens it. */
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

/** Runs `use` on the local database below `stateFolder` (wrangler's `--persist-to`), with the schema loaded. */
export async function withLocalDatabase(
  stateFolder: string,
  use: (database: D1Database) => Promise<void>,
): Promise<void> {
  // Uses only the databases of wrangler.toml: a proxy cannot run the Durable Object and would print a warning.
  const { d1_databases, compatibility_date } = unstable_readConfig({ config: "wrangler.toml" });
  const folder = await mkdtemp(join(tmpdir(), "local-database-"));
  const configPath = join(folder, "wrangler.json");
  await writeFile(configPath, JSON.stringify({ name: "local-database", compatibility_date, d1_databases }));
  const proxy = await getPlatformProxy<Pick<Env, "DB">>({
    configPath,
    persist: { path: join(resolve(stateFolder), "v3") },
  });
  try {
    const schema = await readFile("schema.sql", "utf8");
    await warnOfOldSchema(stateFolder, schema);
    await proxy.env.DB.prepare(schema).run();
    await use(proxy.env.DB);
  } finally {
    await proxy.dispose();
    await rm(folder, { recursive: true });
  }
}
