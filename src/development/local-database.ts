/** The D1 database that `wrangler dev` will open, before it does. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy, unstable_readConfig } from "wrangler";

/** Runs `use` on the local database below `stateFolder` (wrangler's `--persist-to`), with the schema loaded. */
export async function withLocalDatabase(
  stateFolder: string,
  use: (database: D1Database) => Promise<void>,
): Promise<void> {
  // Of wrangler.toml only the databases: a proxy cannot run the Durable Object, and would warn of it.
  const { d1_databases, compatibility_date } = unstable_readConfig({ config: "wrangler.toml" });
  const folder = await mkdtemp(join(tmpdir(), "local-database-"));
  const configPath = join(folder, "wrangler.json");
  await writeFile(configPath, JSON.stringify({ name: "local-database", compatibility_date, d1_databases }));
  const proxy = await getPlatformProxy<Pick<Env, "DB">>({
    configPath,
    persist: { path: join(resolve(stateFolder), "v3") },
  });
  try {
    await proxy.env.DB.prepare(await readFile("schema.sql", "utf8")).run();
    await use(proxy.env.DB);
  } finally {
    await proxy.dispose();
    await rm(folder, { recursive: true });
  }
}
