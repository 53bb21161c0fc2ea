/**
 * The unfinished part of a restore, written down in the folder of its state before: the databases that it may have put back, and
 * in which it has not ended credentials again. A restore that stops leaves it there. The databases themselves do not show it,
 * because nothing more is ended in them.
 */
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../../command-line/failure.ts";
import type { EveryDatabase } from "../databases/every-database.ts";
import { writePrivately } from "../databases/write-privately.ts";

const PREFIX = "before-restore-";

/** `of`: which databases, as `EveryDatabase` says it. `unfinished`: bindings. */
type Ledger = { readonly of: string; readonly unfinished: readonly string[] };

export const folderBefore = (now: Date): string => `backups/${PREFIX}${now.toISOString().replaceAll(":", "-")}`;

const fileIn = ({ context }: EveryDatabase, folder: string) => resolve(context.folder, folder, "restore.json");

/** Undefined when no restore has made the folder, or none that began to put a database back. */
function read(databases: EveryDatabase, folder: string): Ledger | undefined {
  const file = fileIn(databases, folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function write(databases: EveryDatabase, folder: string, unfinished: readonly string[]): void {
  const file = fileIn(databases, folder);
  // Written in one step, because half a file would hide the unfinished part.
  writePrivately(`${file}.part`, JSON.stringify({ of: databases.which, unfinished }));
  renameSync(`${file}.part`, file);
}

/** To be called before the database is put back. */
export const noteUnfinished = (databases: EveryDatabase, binding: string, folder: string): void =>
  write(databases, folder, [...(read(databases, folder)?.unfinished ?? []), binding]);

/** Call it when the endings of every such folder are repeated in the database. */
export function noteFinished(databases: EveryDatabase, binding: string): void {
  for (const folder of unfinishedFolders(databases, binding)) {
    const unfinished = read(databases, folder)?.unfinished ?? [];
    write(
      databases,
      folder,
      unfinished.filter((one) => one !== binding),
    );
  }
}

/** The databases in which endings of this folder must still be repeated. Undefined when no restore has made the folder. */
export function unfinishedIn(databases: EveryDatabase, folder: string): readonly string[] | undefined {
  const ledger = read(databases, folder);
  if (ledger === undefined || ledger.of === databases.which) return ledger?.unfinished;
  throw new Failure(`${folder} is of a restore of other databases (${ledger.of}). These are ${databases.which}.`);
}

/** The folders of which something has still to be ended in this database, oldest first. */
export function unfinishedFolders(databases: EveryDatabase, binding: string): string[] {
  const backups = resolve(databases.context.folder, "backups");
  const names = existsSync(backups) ? readdirSync(backups).filter((name) => name.startsWith(PREFIX)) : [];
  return names
    .toSorted()
    .map((name) => join("backups", name))
    .filter((folder) => {
      const ledger = read(databases, folder);
      return ledger?.of === databases.which && ledger.unfinished.includes(binding);
    });
}
