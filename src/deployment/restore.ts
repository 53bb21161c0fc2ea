/**
 * `npm run restore -- --timestamp <time>`: every database goes back to that moment (D1 Time Travel). `-- --from <folder>`: to a
 * backup of `npm run backup`, in place of what is there. Both export the present state first, and afterwards end again what was
 * ended since: API keys, tokens, panelists, accounts. `-- --end-again <folder>` does only this last step, from such an export.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { endAgain } from "./end-again.ts";
import { CommandFailed, databaseBindings, runCommand, runD1 } from "./every-database.ts";
import { dropStatements, exportAll, fileOf, readExport } from "./export.ts";

const { values } = parseArgs({
  options: {
    timestamp: { type: "string" },
    from: { type: "string" },
    "end-again": { type: "string" },
    local: { type: "boolean" },
    env: { type: "string" },
  },
});
const { timestamp, from, "end-again": onlyEndAgain, env } = values;
const place = values.local ? "--local" : "--remote";

await runCommand(async () => {
  if ([timestamp, from, onlyEndAgain].filter((value) => value !== undefined).length !== 1)
    throw new CommandFailed("Give one of --timestamp <time>, --from <folder>, --end-again <folder>.");
  const bindings = databaseBindings(env);
  for (const folder of [from, onlyEndAgain]) if (folder !== undefined) requireExports(folder, bindings);
  if (timestamp !== undefined && values.local)
    throw new CommandFailed("A local database has no Time Travel: use --from.");

  const before = onlyEndAgain ?? `backups/before-restore-${new Date().toISOString().replaceAll(":", "-")}`;
  if (onlyEndAgain === undefined) {
    exportAll(before, place, env);
    console.log(
      `\nThe state before the restore is in ${before}. If anything below fails: npm run restore -- --end-again ${before}\n`,
    );
  }
  for (const binding of bindings) {
    if (timestamp !== undefined) runD1(["time-travel", "restore", binding, `--timestamp=${timestamp}`], env);
    if (from !== undefined) importExport(binding, from, before);
  }
  for (const binding of bindings) endAgainIn(binding, before);
  console.log("\nNow deploy, which empties the memory of every isolate: npm run deploy");
});

function requireExports(folder: string, bindings: readonly string[]): void {
  for (const binding of bindings) {
    if (!existsSync(fileOf(folder, binding))) throw new CommandFailed(`${fileOf(folder, binding)} is missing.`);
  }
}

/** Empties the database and loads the backup, in one file: nothing is between the two. */
function importExport(binding: string, from: string, before: string): void {
  const backup = fileOf(from, binding);
  readExport(backup).close();
  const present = readExport(fileOf(before, binding));
  const file = `${before}/${binding}-import.sql`;
  writeFileSync(file, `${dropStatements(present).join("\n")}\n${readFileSync(backup, "utf8")}`, { mode: 0o600 });
  present.close();
  runD1(["execute", binding, place, "--yes", "--file", file], env);
}

function endAgainIn(binding: string, before: string): void {
  const present = readExport(fileOf(before, binding));
  const statements = endAgain(present);
  present.close();
  if (statements.length === 0) return;
  const file = `${before}/${binding}-end-again.sql`;
  writeFileSync(file, `${statements.join("\n")}\n`, { mode: 0o600 });
  runD1(["execute", binding, place, "--yes", "--file", file], env);
  console.log(`${binding}: what had been ended is ended again (${statements.length} statements).`);
}
