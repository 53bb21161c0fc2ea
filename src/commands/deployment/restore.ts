/**
 * `npm run restore -- --timestamp <time>`: every database goes back to that moment (D1 Time Travel). `-- --from <folder>`: to a
 * backup of `npm run backup`, in place of what is there. Both export the present state first, and afterwards end again what was
 * ended since: API keys, tokens, panelists, accounts. `-- --end-again <folder>` does only this last step, from such an export.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { commandLine, readArguments } from "./arguments.ts";
import { endAgain } from "./end-again.ts";
import { type EveryDatabase, openEveryDatabase } from "./every-database.ts";
import { dropStatements, exportAll, fileOf, readExport } from "./export.ts";
import { Failure, runCommand } from "./failure.ts";

const USAGE =
  "npm run restore -- (--timestamp 2026-11-20T12:00:00Z | --from <folder> | --end-again <folder>) [--env staging] [--local]";

/** With its distance from UTC. Checked first: what wrangler refuses would be refused after the export. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

await runCommand(async () => {
  const { values } = readArguments(USAGE, {
    options: {
      timestamp: { type: "string" },
      from: { type: "string" },
      "end-again": { type: "string" },
      local: { type: "boolean", default: false },
      env: { type: "string", default: "" },
    },
  });
  const { timestamp, from, "end-again": onlyEndAgain } = values;
  if ([timestamp, from, onlyEndAgain].filter((value) => value !== undefined).length !== 1)
    throw new Failure(`Give one of --timestamp <time>, --from <folder>, --end-again <folder>.\nUsage: ${USAGE}`);
  if (timestamp !== undefined && values.local) throw new Failure("A local database has no Time Travel: use --from.");
  if (timestamp !== undefined && !TIME.test(timestamp))
    throw new Failure(`--timestamp ${timestamp}: a time such as 2026-11-20T12:00:00Z.`);
  const databases = await openEveryDatabase(values.env, values.local);
  for (const folder of [from, onlyEndAgain]) if (folder !== undefined) requireExports(folder, databases);

  const before = onlyEndAgain ?? `backups/before-restore-${new Date().toISOString().replaceAll(":", "-")}`;
  if (onlyEndAgain === undefined) {
    await exportAll(databases, before);
    console.log(`\nThe state before the restore is in ${before}.`);
    const options = ["--end-again", before, ...(values.local ? ["--local"] : [])];
    console.log(`If anything below fails: ${commandLine("restore", values.env, ...options)}\n`);
  }
  for (const binding of databases.bindings) {
    if (timestamp !== undefined) await databases.run(["time-travel", "restore", binding, `--timestamp=${timestamp}`]);
    if (from !== undefined) await importExport(databases, binding, from, before);
  }
  for (const binding of databases.bindings) await endAgainIn(databases, binding, before);
  console.log(
    values.local
      ? "\nNow stop `npm run dev` and start it again, which empties its memory."
      : `\nNow deploy, which empties the memory of every isolate: ${commandLine("deploy", values.env)}`,
  );
});

function requireExports(folder: string, { bindings }: EveryDatabase): void {
  for (const binding of bindings) {
    if (!existsSync(fileOf(folder, binding))) throw new Failure(`${fileOf(folder, binding)} is missing.`);
  }
}

/** Empties the database and loads the backup, in one file: nothing is between the two. */
async function importExport(
  { place, run }: EveryDatabase,
  binding: string,
  from: string,
  before: string,
): Promise<void> {
  const backup = fileOf(from, binding);
  readExport(backup).close();
  const present = readExport(fileOf(before, binding));
  const file = `${before}/${binding}-import.sql`;
  writeFileSync(file, `${dropStatements(present).join("\n")}\n${readFileSync(backup, "utf8")}`, { mode: 0o600 });
  present.close();
  await run(["execute", binding, place, "--yes", "--file", file]);
}

async function endAgainIn({ place, run }: EveryDatabase, binding: string, before: string): Promise<void> {
  const present = readExport(fileOf(before, binding));
  const statements = endAgain(present);
  present.close();
  if (statements.length === 0) return;
  const file = `${before}/${binding}-end-again.sql`;
  writeFileSync(file, `${statements.join("\n")}\n`, { mode: 0o600 });
  await run(["execute", binding, place, "--yes", "--file", file]);
  console.log(`${binding}: what had been ended is ended again (${statements.length} statements).`);
}
