/**
 * Reads an export back into a temporary database. It may come from anywhere, so every statement is refused that does more than
 * make tables and rows.
 */
import { constants, DatabaseSync } from "node:sqlite";
import { Failure } from "../../command-line/failure.ts";
import { fileCodeOf, fileProblemOf } from "../../command-line/file-problem.ts";
import { readPieces } from "./sql-pieces.ts";

/** The operations of an export. ATTACH, VACUUM INTO (which attaches) and virtual tables are missing, because they reach files. */
const ALLOWED: readonly number[] = [
  constants.SQLITE_CREATE_TABLE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_CREATE_VIEW,
  constants.SQLITE_REINDEX,
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_TRANSACTION,
];

/** Throws a Failure when the file is not a whole export, or contains other operations. */
export function readExport(file: string): DatabaseSync {
  // A damaged database may refer to tables that it no longer has. Its content can still be read.
  // Without a name it is SQLite's own: in memory while it is small, then in a temporary file that ends with the process.
  const database = new DatabaseSync("", { enableForeignKeyConstraints: false });
  try {
    // A database that once had such a table keeps `sqlite_sequence`, and its export empties it.
    database.exec("CREATE TABLE first (id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE first");
    refuseAllButData(database);
    for (const piece of readPieces(file)) database.exec(piece);
    database.setAuthorizer(null);
    return database;
  } catch (error) {
    database.close();
    if (fileCodeOf(error) !== undefined) throw new Failure(`${file} is not an export: ${fileProblemOf(error)}.`);
    throw new Failure(`${file} is not a complete export: ${error instanceof Error ? error.message : error}`);
  }
}

function refuseAllButData(database: DatabaseSync): void {
  database.setAuthorizer((action, first, second) => {
    const isAllowed =
      ALLOWED.includes(action) ||
      (action === constants.SQLITE_PRAGMA && first === "defer_foreign_keys") ||
      (action === constants.SQLITE_FUNCTION && second !== "load_extension");
    return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
}

/** The columns of a table, from the statement that made it. None for a statement that makes no table. */
export function columnsOf({ name, sql }: { readonly name: string; readonly sql: string }): readonly string[] {
  const database = new DatabaseSync(":memory:");
  try {
    refuseAllButData(database);
    database.exec(sql);
    database.setAuthorizer(null);
    const columns = database.prepare("SELECT name FROM pragma_table_xinfo(?)").all(name);
    return columns.map((column) => String(column.name));
  } catch {
    return [];
  } finally {
    database.close();
  }
}

export const hasTable = (database: DatabaseSync, table: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;

const rowsOf = (database: DatabaseSync, table: string): number =>
  hasTable(database, table) ? Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n) : 0;

/** Whether the project's schema is in it. A database that was never deployed to has none. */
export const hasSchema = (database: DatabaseSync): boolean => hasTable(database, "accounts");

/** The tables that describe a database's content, with their words. */
export const CONTENT = [
  ["accounts", "accounts"],
  ["api_keys", "API keys"],
  ["panelists", "panelists"],
  ["idea_banks", "idea banks"],
  ["proposals", "proposals"],
] as const;

/** "3 accounts, 12 API keys, …" */
export const describeContent = (database: DatabaseSync): string =>
  CONTENT.map(([table, words]) => `${rowsOf(database, table)} ${words}`).join(", ");
