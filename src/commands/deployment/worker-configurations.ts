/**
 * The configurations of the two Workers that `npm run deploy` makes of wrangler.toml: Account Settings, and the front door, which is
 * bound to it. (wrangler.toml itself has both in one Worker.) They are ignored by git, and written by each command that uses them:
 * adding a database stays one edit.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { CONFIGURATION, environmentsOf, readConfiguration } from "./configuration.ts";

const FRONT_DOOR = "wrangler.front-door.toml";
const ACCOUNT = "wrangler.account.json";

/** What Account Settings has of wrangler.toml. The front door hands over variables and secrets. It has no address. */
const SHARED = [
  ...["account_id", "compatibility_date", "compatibility_flags", "d1_databases", "define", "analytics_engine_datasets"],
  ...["observability", "minify", "keep_names", "upload_source_maps"],
] as const;

/** For wrangler, when it builds a Worker: without it, a terminal's own NODE_ENV would be written into the bundle. */
export const DEPLOYED = { NODE_ENV: "production" };

/** Names of files in `folder`, in the order in which they are deployed: nothing can be bound to a Worker that does not exist. */
export type WorkerConfigurations = { readonly account: string; readonly frontDoor: string };

export async function writeWorkerConfigurations(folder: string): Promise<WorkerConfigurations> {
  const toml = await readFile(join(folder, CONFIGURATION), "utf8");
  const environments = environmentsOf(toml);
  const [services, accounts]: [string[], object[]] = [[], []];
  for (const environment of ["", ...environments]) {
    const { accountWorker } = await readConfiguration(folder, environment);
    const config: object = unstable_readConfig(
      { config: join(folder, CONFIGURATION), env: environment },
      { hideWarnings: true },
    );
    accounts.push({ name: accountWorker, ...Object.fromEntries(SHARED.map((key) => [key, Reflect.get(config, key)])) });
    services.push(`
[[${environment && `env.${environment}.`}services]]
binding = "ACCOUNT_SETTINGS"
service = "${accountWorker}"
entrypoint = "AccountSettings"
`);
  }
  const [top, ...others] = accounts;
  const account = {
    main: "src/worker/account/index.ts",
    workers_dev: false,
    preview_urls: false,
    ...top,
    env: Object.fromEntries(environments.map((environment, index) => [environment, others[index]])),
  };
  await writeFile(join(folder, ACCOUNT), `${JSON.stringify(account, null, 2)}\n`);
  await writeFile(join(folder, FRONT_DOOR), toml + services.join(""));
  return { account: ACCOUNT, frontDoor: FRONT_DOOR };
}
