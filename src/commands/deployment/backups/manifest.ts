/** `backup.json`, beside the dumps of a backup: of which deployment they are, made when, and by which version. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import type { DatabaseOwner, EveryDatabase } from "../databases/every-database.ts";
import { writePrivately } from "../databases/write-privately.ts";

type Manifest = DatabaseOwner & {
  readonly databases: readonly { readonly binding: string; readonly name: string; readonly id?: string | undefined }[];
  readonly version: string;
  readonly time: string;
};

const fileIn = ({ context }: EveryDatabase, folder: string) => resolve(context.folder, folder, "backup.json");

export function writeManifest(
  databases: EveryDatabase,
  { owner, folder, now }: { readonly owner: DatabaseOwner; readonly folder: string; readonly now: Date },
): void {
  const { version } = JSON.parse(readFileSync(join(databases.context.folder, "package.json"), "utf8"));
  const manifest: Manifest = { ...owner, databases: databases.resources, version, time: now.toISOString() };
  writePrivately(fileIn(databases, folder), `${JSON.stringify(manifest, null, 2)}\n`);
}

export function describeOwner({ environment, account }: DatabaseOwner): string {
  const which = environment === "" ? "the top level of wrangler.toml" : `the environment ${environment}`;
  return account === null
    ? `the databases of this machine (${which})`
    : `${which} in the Cloudflare account ${account.name} (${account.id})`;
}

/** Throws a Failure for a backup of another owner than `owner`, and for one that names no owner. */
export function requireOwnBackup(databases: EveryDatabase, folder: string, owner: DatabaseOwner): void {
  const file = fileIn(databases, folder);
  const asItIs = "To restore it anyway: add --as-it-is.";
  if (!existsSync(file))
    throw new Failure(`${folder} has no backup.json, which says of which deployment it is. ${asItIs}`);
  const manifest = read(file);
  if (manifest === undefined) throw new Failure(`${folder}/backup.json is damaged. ${asItIs}`);
  if (manifest.environment === owner.environment && manifest.account?.id === owner.account?.id) return;
  throw new Failure(
    `${folder} is a backup of ${describeOwner(manifest)}, made at ${manifest.time} by version ${manifest.version}. ` +
      `This would restore it to ${describeOwner(owner)}. ${asItIs}`,
  );
}

function read(file: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
