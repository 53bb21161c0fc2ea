/** The parts of wrangler.toml about one environment, and the two changes that the commands make to it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { Failure } from "../../command-line/failure.ts";
import { replaceFile } from "../../command-line/replace-file.ts";

export const CONFIGURATION = "wrangler.toml";

/** A D1 database or a KV namespace. `name` is its name in the account; without `id` it may not exist yet. */
export type Resource = { readonly binding: string; readonly name: string; readonly id: string | undefined };

export type Configuration = {
  /** The name of the Worker in this environment. */
  readonly worker: string;
  readonly accountId: string | undefined;
  readonly databases: readonly Resource[];
  readonly namespaces: readonly Resource[];
  readonly variables: Readonly<Record<string, unknown>>;
};

/** The parts that are read, as wrangler prints them. */
type RawConfiguration = {
  readonly name?: string | undefined;
  readonly account_id?: string | undefined;
  readonly d1_databases: readonly { binding: string; database_name?: string; database_id?: string }[];
  readonly kv_namespaces: readonly { binding: string; id?: string }[];
  readonly vars: Readonly<Record<string, unknown>>;
};

/** `environment` is "" for the top level. Throws a Failure for one that wrangler.toml does not have. */
export async function readConfiguration(folder: string, environment: string): Promise<Configuration> {
  const file = join(folder, CONFIGURATION);
  const text = await readFile(file, "utf8").catch(() => {
    throw new Failure(`There is no ${CONFIGURATION} in ${folder}.`);
  });
  if (environment !== "" && !environmentsOf(text).includes(environment)) {
    throw new Failure(`${CONFIGURATION} has no [env.${environment}]. Copy [env.staging], with names of its own.`);
  }
  const config = readRaw(file, environment);
  const worker = config.name ?? "worker";
  return {
    worker,
    accountId: config.account_id,
    databases: config.d1_databases.map(({ binding, database_name = worker, database_id }) => ({
      binding,
      name: database_name,
      id: database_id,
    })),
    namespaces: config.kv_namespaces.map(({ binding, id }) => ({
      binding,
      name: `${worker}-${binding.toLowerCase().replaceAll("_", "-")}`,
      id,
    })),
    variables: config.vars,
  };
}

/** The names of the environments of wrangler.toml. */
const environmentsOf = (toml: string): readonly string[] => [
  ...new Set([...toml.matchAll(/^\[+env\.([\w-]+)/gm)].map(([, name = ""]) => name)),
];

/** Throws a Failure with wrangler's own message. */
function readRaw(file: string, environment: string): RawConfiguration {
  try {
    return unstable_readConfig({ config: file, env: environment }, { hideWarnings: true });
  } catch (error) {
    throw new Failure(`${CONFIGURATION} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The place of a key: in the section of `table` that has this `binding`. */
type Place = { readonly environment: string; readonly table: string; readonly binding: string };

/** Writes the id of a resource into wrangler.toml. */
export async function writeId(
  folder: string,
  { place, key, id }: { readonly place: Place; readonly key: string; readonly id: string },
): Promise<void> {
  const file = join(folder, CONFIGURATION);
  await replaceFile(file, withId(await readFile(file, "utf8"), { place, key, id }));
}

/** The TOML with `key = "id"` in the section, whatever the section had there. Comments and order stay. */
export function withId(
  toml: string,
  {
    place: { environment, table, binding },
    key,
    id,
  }: { readonly place: Place; readonly key: string; readonly id: string },
): string {
  const header = `[[${environment === "" ? "" : `env.${environment}.`}${table}]]`;
  const lines = toml.split("\n");
  for (let start = lines.indexOf(header); start !== -1; start = lines.indexOf(header, start + 1)) {
    const next = lines.findIndex((line, index) => index > start && line.startsWith("["));
    const section = lines.slice(start, next === -1 ? lines.length : next);
    const at = section.findIndex((line) => line.replaceAll(" ", "") === `binding="${binding}"`);
    if (at === -1) continue;
    const others = section.filter((line) => !new RegExp(`^${key} *=`).test(line));
    others.splice(at + 1, 0, `${key} = "${id}"`);
    return [...lines.slice(0, start), ...others, ...lines.slice(start + section.length)].join("\n");
  }
  throw new Failure(`${CONFIGURATION} has no ${header} with binding = "${binding}".`);
}

/** The TOML with another value of a variable, and a comment behind it. */
export function withVariable(
  toml: string,
  {
    environment,
    name,
    value,
    comment,
  }: { readonly environment: string; readonly name: string; readonly value: string; readonly comment: string },
): string {
  const header = environment === "" ? "[vars]" : `[env.${environment}.vars]`;
  const start = toml.split("\n").indexOf(header);
  const lines = toml.split("\n");
  const at = lines.findIndex((line, index) => index > start && line.startsWith(`${name} =`));
  const next = lines.findIndex((line, index) => index > start && line.startsWith("["));
  if (start === -1 || at === -1 || (next !== -1 && at > next)) {
    throw new Failure(`${CONFIGURATION} has no ${name} in ${header}.`);
  }
  return lines.with(at, `${name} = "${value}" # ${comment}`).join("\n");
}
