/** The D1 databases and KV namespaces of an environment: found by id, else by name, else created. */

import { Failure } from "../../command-line/failure.ts";
import { type Resource, writeId } from "./configuration.ts";
import type { Wrangler } from "./wrangler.ts";

/** Cloudflare's location hints for a new database. */
export const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"];

/** A resource that exists, and a sentence about how it came to. */
type ExistingResource = Required<{ [Key in keyof Resource]: NonNullable<Resource[Key]> }> & {
  readonly how: string;
};

/** `locations`: for a binding, or for "" (every other one). */
export async function ensureDatabases(
  wrangler: Wrangler,
  databases: readonly Resource[],
  locations: ReadonlyMap<string, string>,
): Promise<readonly ExistingResource[]> {
  const kind = { table: "d1_databases", key: "database_id", noun: "D1 database" };
  const list = async () =>
    (await wrangler.json<{ uuid: string; name: string }[]>(["d1", "list", "--json"])).map(({ uuid, name }) => ({
      id: uuid,
      name,
    }));
  return ensureAll(wrangler, {
    kind,
    resources: databases,
    list,
    create: async ({ binding, name }) => {
      const location = locations.get(binding) ?? locations.get("");
      await wrangler.run(["d1", "create", name, ...(location === undefined ? [] : ["--location", location])]);
      return location === undefined ? "created near this machine" : `created in ${location}`;
    },
  });
}

export async function ensureNamespaces(
  wrangler: Wrangler,
  namespaces: readonly Resource[],
): Promise<readonly ExistingResource[]> {
  const kind = { table: "kv_namespaces", key: "id", noun: "KV namespace" };
  const list = async () =>
    (await wrangler.json<{ id: string; title: string }[]>(["kv", "namespace", "list"])).map(({ id, title }) => ({
      id,
      name: title,
    }));
  return ensureAll(wrangler, {
    kind,
    resources: namespaces,
    list,
    create: async ({ name }) => {
      await wrangler.run(["kv", "namespace", "create", name]);
      return "created";
    },
  });
}

type Kind = { readonly table: string; readonly key: string; readonly noun: string };
type Listed = readonly { readonly id: string; readonly name: string }[];

/**
 * Each id is written to wrangler.toml as soon as it is known. A run that ended between creating and writing left a resource with
 * the name: it is found by it and used. That is also why one is looked for before it is created.
 */
async function ensureAll(
  { environment, context }: Wrangler,
  {
    kind: { table, key, noun },
    resources,
    list,
    create,
  }: {
    readonly kind: Kind;
    readonly resources: readonly Resource[];
    readonly list: () => Promise<Listed>;
    readonly create: (resource: Resource) => Promise<string>;
  },
): Promise<readonly ExistingResource[]> {
  let listed = await list();
  const found: ExistingResource[] = [];
  for (const { binding, name, id } of resources) {
    if (id !== undefined) {
      if (!listed.some((one) => one.id === id)) {
        throw new Failure(
          `wrangler.toml names the ${noun} ${id} for ${binding}, and this account has none with that id. Is it another account's? ` +
            `Choose the account (account_id in wrangler.toml, and without it CLOUDFLARE_ACCOUNT_ID), or take ${key} out of wrangler.toml: then the one with its name is used, or a new, empty one is created. To have a new one in any case, give it another name, too.`,
        );
      }
      found.push({ binding, name, id, how: "exists" });
      continue;
    }
    // `wrangler kv namespace create` puts the environment before the name; `wrangler d1 create` does not.
    const find = () =>
      listed.find((one) => one.name === name) ?? listed.find((one) => one.name === `${environment}-${name}`);
    let how = "found by its name";
    if (find() === undefined) {
      how = await create({ binding, name, id });
      listed = await list();
    }
    const its = find();
    if (its === undefined) throw new Failure(`The ${noun} ${name} was created, and Cloudflare does not list it yet.`);
    await writeId(context.folder, { place: { environment, table, binding }, key, id: its.id });
    found.push({ binding, ...its, how: `${how}; its id is in wrangler.toml now` });
  }
  return found;
}
