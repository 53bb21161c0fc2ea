/**
 * The configuration of Account Settings, made of wrangler.toml: the same databases and options, and no address. The front door hands
 * over variables and secrets. It is ignored by git, and written by each command that uses it: adding a database stays one edit.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { Failure } from "../command-line/failure.ts";
import { CONFIGURATION } from "./configuration.ts";

export const ACCOUNT_CONFIGURATION = "wrangler.account.json";

const BINDING = "ACCOUNT_SETTINGS";

/** Writes it into `folder`, and returns its name. `source` is wrangler.toml, or what was made of it. */
export async function writeAccountConfiguration(folder: string, source = CONFIGURATION): Promise<string> {
  const file = join(folder, source);
  const toml = await readFile(file, "utf8");
  const environments = new Set([...toml.matchAll(/^\[+env\.(\w+)/gm)].map(([, name = ""]) => name));
  const configuration = {
    main: "src/worker/account/index.ts",
    workers_dev: false,
    preview_urls: false,
    ...partOf(file, ""),
    env: Object.fromEntries([...environments].map((name) => [name, partOf(file, name)])),
  };
  await writeFile(join(folder, ACCOUNT_CONFIGURATION), `${JSON.stringify(configuration, null, 2)}\n`);
  return ACCOUNT_CONFIGURATION;
}

function partOf(file: string, environment: string) {
  const config = unstable_readConfig({ config: file, env: environment }, { hideWarnings: true });
  const service = config.services?.find((one: { binding: string }) => one.binding === BINDING);
  if (service === undefined) throw new Failure(`${CONFIGURATION} has no service with binding = "${BINDING}".`);
  const { account_id, compatibility_date, compatibility_flags, d1_databases, define, observability } = config;
  const { minify, keep_names, upload_source_maps, analytics_engine_datasets } = config;
  return {
    name: service.service,
    ...{ account_id, compatibility_date, compatibility_flags, d1_databases, define, observability },
    ...{ minify, keep_names, upload_source_maps, analytics_engine_datasets },
  };
}
