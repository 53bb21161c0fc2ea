/**
 * The configuration of Account Settings, made of wrangler.toml: the same databases and options, and no address. The front door hands
 * over variables and secrets. It is ignored by git, and written by each command that uses it: adding a database stays one edit.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { CONFIGURATION, readConfiguration } from "./configuration.ts";

export const ACCOUNT_CONFIGURATION = "wrangler.account.json";

/** What both Workers have alike. The observed requests of either are the deployment's. */
const SHARED = [
  ...["account_id", "compatibility_date", "compatibility_flags", "d1_databases", "define", "analytics_engine_datasets"],
  ...["observability", "minify", "keep_names", "upload_source_maps"],
] as const;

/** Writes it into `folder`, and returns its name. `source` is wrangler.toml, or what was made of it. */
export async function writeAccountConfiguration(folder: string, source = CONFIGURATION): Promise<string> {
  const toml = await readFile(join(folder, source), "utf8");
  const environments = new Set([...toml.matchAll(/^\[+env\.([\w-]+)/gm)].map(([, name = ""]) => name));
  const configurationOf = async (environment: string) => {
    const config: object = unstable_readConfig(
      { config: join(folder, source), env: environment },
      { hideWarnings: true },
    );
    const { accountWorker } = await readConfiguration(folder, environment);
    return { name: accountWorker, ...Object.fromEntries(SHARED.map((key) => [key, Reflect.get(config, key)])) };
  };
  const configuration = {
    main: "src/worker/account/index.ts",
    workers_dev: false,
    preview_urls: false,
    ...(await configurationOf("")),
    env: Object.fromEntries(
      await Promise.all([...environments].map(async (name) => [name, await configurationOf(name)] as const)),
    ),
  };
  await writeFile(join(folder, ACCOUNT_CONFIGURATION), `${JSON.stringify(configuration, null, 2)}\n`);
  return ACCOUNT_CONFIGURATION;
}
