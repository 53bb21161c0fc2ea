/** The stand-in's D1: a SQLite file for each database, of the account or, with --local, of the machine. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Refusal } from "./refusal.ts";
import type { Request } from "./wrangler.ts";

/** The database behind a binding. One of the machine is made when it is first asked for. */
export function fileOfDatabase({ folder, state, sections, values }: Request, binding: string): string {
  if (values.local) return join(String(values["persist-to"] ?? folder), `local-${binding}.sqlite`);
  const id = sections.get("d1_databases")?.find((one) => one.binding === binding)?.database_id;
  // Time Travel has no --remote: it is always that.
  if (id === undefined || !state.databases.some(({ uuid }) => uuid === id))
    throw new Refusal(`Couldn't find DB with name '${binding}'`);
  return join(folder, `${id}.sqlite`);
}

export function executeIn(file: string, { call, values }: Request): string {
  return withDatabase(file, (database) => {
    if (typeof values.file === "string") {
      // D1's import: all of the file, or nothing.
      database.exec(`BEGIN; ${readFileSync(resolve(call.folder, values.file), "utf8")} COMMIT;`);
      return JSON.stringify(
        [{ results: [{ "Total queries executed": 1 }], success: true, finalBookmark: "b" }],
        null,
        2,
      );
    }
    // D1's batch of what is divided by semicolons: one transaction.
    const statements = String(values.command).split(/; (?=INSERT |UPDATE |DELETE |SELECT )/);
    database.exec("BEGIN");
    const answers = statements.map((sql) => ({
      results: database.prepare(sql).all(),
      success: true,
      meta: { duration: 1 },
    }));
    database.exec("COMMIT");
    return JSON.stringify(answers, null, 2);
  });
}

/** In the form of D1's export: tables with their rows, then the sequence, indexes, triggers. */
export const exportOf = (file: string): string =>
  withDatabase(file, (database) => {
    const all = database.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").all();
    const objects = all.map(({ type, name, sql }) => ({ type, name: String(name), sql: String(sql) }));
    const isOwn = ({ name }: { name: string }) => !name.startsWith("sqlite_");
    const tables = objects.filter((one) => one.type === "table" && isOwn(one));
    const hasSequence = objects.some(({ name }) => name === "sqlite_sequence");
    return [
      "PRAGMA defer_foreign_keys=TRUE;",
      ...tables.flatMap(({ name, sql }) => [`${sql};`, ...rowsOf(database, name)]),
      ...(hasSequence ? ["DELETE FROM sqlite_sequence;", ...rowsOf(database, "sqlite_sequence")] : []),
      ...objects.filter((one) => one.type !== "table" && isOwn(one)).map(({ sql }) => `${sql};`),
      "",
    ].join("\n");
  });

function rowsOf(database: DatabaseSync, table: string): string[] {
  const name = quoteName(table);
  const columns = database
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map((column) => quoteName(String(column.name)));
  const values = columns.map((column) => `quote(${column})`).join(" || ',' || ");
  const start = `INSERT INTO ${name} (${columns.join(",")}) VALUES(`.replaceAll("'", "''");
  const rows = database.prepare(`SELECT '${start}' || ${values} || ');' AS sql FROM ${name}`).all();
  return rows.map(({ sql }) => String(sql));
}

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** D1's Time Travel knows one moment here: the state that a test has put beside the file. */
export function travelIn(file: string): void {
  if (!existsSync(`${file}.then`)) throw new Refusal("Invalid bookmark or timestamp [code: 7400]");
  copyFileSync(`${file}.then`, file);
}

function withDatabase(file: string, use: (database: DatabaseSync) => string): string {
  const database = new DatabaseSync(file);
  // Nothing of it has to survive a crash of the machine.
  database.exec("PRAGMA synchronous = off");
  try {
    return use(database);
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}: SQLITE_ERROR [code: 7500]`);
  } finally {
    database.close();
  }
}
