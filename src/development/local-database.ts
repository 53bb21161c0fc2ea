/** Prepares the local D1 databases before `wrangler dev` opens them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getPlatformProxy, unstable_readConfig, unstable_splitSqlQuery } from "wrangler";
import { planSchema, readSchemaState, readSchemaSteps, type SchemaStep } from "../deployment/schema-steps.ts";

/** Brings a local database to today's schema and keeps its data. Throws UnknownSchema. */
async function applySchemaSteps(database: D1Database, binding: string, steps: readonly SchemaStep[]): Promise<void> {
  const state = await readSchemaState(async (sql) => (await database.prepare(sql).all()).results);
  for (const { name, sql } of planSchema(state, steps).files) {
    await database.batch(unstable_splitSqlQuery(sql).map((statement) => database.prepare(statement)));
    if (state.objects.length > 0) console.log(`Applied ${name} to the local database ${binding}.`);
  }
}

/** Runs `use` on the database DB below `stateFolder` (wrangler's `--persist-to`). All databases of wrangler.toml get the schema. Throws UnknownSchema. */
export async function withLocalDatabase(
  stateFolder: string,
  use: (database: D1Database) => Promise<void>,
): Promise<void> {
  // Uses only the databases of wrangler.toml: a proxy cannot run the Durable Object and would print a warning.
  const { d1_databases, compatibility_date } = unstable_readConfig({ config: "wrangler.toml" });
  const folder = await mkdtemp(join(tmpdir(), "local-database-"));
  const configPath = join(folder, "wrangler.json");
  await writeFile(configPath, JSON.stringify({ name: "local-database", compatibility_date, d1_databases }));
  const proxy = await getPlatformProxy<Record<string, D1Database> & { DB: D1Database }>({
    configPath,
    persist: { path: join(resolve(stateFolder), "v3") },
  });
  try {
    const steps = await readSchemaSteps();
    for (const [binding, database] of Object.entries(proxy.env)) {
      await applySchemaSteps(database, binding, steps);
    }
    await use(proxy.env.DB);
  } finally {
    await proxy.dispose();
    await rm(folder, { recursive: true });
  }
}
