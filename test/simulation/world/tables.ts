/** Real SQLite in memory, with the project's schema: what each transaction has changed is known row by row. */
import { readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Written } from "../../support/d1.ts";
import type { Row, RowChange } from "../history.ts";

const SCHEMA = readFileSync(`${import.meta.dirname}/../../../schema.sql`, "utf8");

type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly texts: ReadonlySet<string>;
};
type Change = { readonly name: string; readonly before: string | null; readonly after: string | null };

/** What D1 makes of a value, or its error. */
function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`);
}

const CODES: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  25: "SQLITE_RANGE",
};

const toD1Error = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.message.startsWith("D1_")) return error;
  const code = Number(Reflect.get(error, "errcode") ?? 1) & 0xff;
  return new Error(`D1_ERROR: ${error.message}: ${CODES[code] ?? "SQLITE_INTERNAL"}`, { cause: error });
};

/** One copy of a database. Emptied and used again by the next history: to make one costs as much as a history's writes. */
export class Tables {
  readonly #sqlite = new DatabaseSync(":memory:");
  readonly #prepared = new Map<string, StatementSync>();
  readonly #tables: readonly Table[];
  readonly #byName: ReadonlyMap<string, Table>;
  /** Unix milliseconds, for `unixepoch()`. */
  clock: () => number = () => 0;
  /** For `randomblob()`: SQLite's own would make another history of each run. */
  bytes: (length: number) => Uint8Array = () => {
    throw new Error("nothing random happens here");
  };

  /** A replica has rows only: no trigger runs there. */
  constructor(isReplica = false) {
    const sqlite = this.#sqlite;
    sqlite.function("unixepoch", { varargs: true }, (...modifiers) =>
      modifiers.length === 0 ? Math.floor(this.clock() / 1_000) : this.clock() / 1_000,
    );
    sqlite.function("randomblob", (length) => this.bytes(Number(length)));
    sqlite.exec(SCHEMA);
    this.#tables = this.#all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'").map(
      ({ name }) => {
        const columns = this.#all(`PRAGMA table_info("${name}")`);
        const key = columns.filter(({ pk }) => Number(pk) > 0);
        const texts = new Set(columns.filter(({ type }) => type === "TEXT").map(toName));
        return { name: String(name), columns: columns.map(toName), key: key.map(toName), texts };
      },
    );
    this.#byName = new Map(this.#tables.map((table) => [table.name, table]));
    if (isReplica) this.#dropTriggers();
    else for (const table of this.#tables) this.#record(table);
    if (!isReplica) sqlite.exec("CREATE TEMP TABLE changes (name TEXT, before TEXT, after TEXT)");
  }

  #all(sql: string): Record<string, unknown>[] {
    return this.#prepare(sql).all();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    // SQLite would plan anew for each value of a bare `LIMIT ?`, which takes a hundred times as long as to run it.
    const made = this.#sqlite.prepare(sql.replaceAll(/\bLIMIT \?/g, "LIMIT 0 + ?"));
    this.#prepared.set(sql, made);
    return made;
  }

  #dropTriggers(): void {
    for (const { name } of this.#all("SELECT name FROM sqlite_master WHERE type = 'trigger'")) {
      this.#sqlite.exec(`DROP TRIGGER "${name}"`);
    }
    this.#sqlite.exec("PRAGMA foreign_keys = OFF");
  }

  /** Temporary triggers write down each change, those of the schema's own triggers and of foreign keys included. */
  #record({ name, columns, texts }: Table): void {
    // A text that a JSON function has just made is taken for JSON, unless something is added to it.
    const value = (column: string) => (texts.has(column) ? `${column} || ''` : column);
    const json = (row: "OLD" | "NEW") =>
      `json_object(${columns.map((column) => `'${column}', ${row}.${value(column)}`).join(", ")})`;
    const events = { INSERT: ["NULL", json("NEW")], UPDATE: [json("OLD"), json("NEW")], DELETE: [json("OLD"), "NULL"] };
    for (const [event, [before, after]] of Object.entries(events)) {
      this.#sqlite.exec(
        `CREATE TEMP TRIGGER record_${name}_${event} AFTER ${event} ON main.${name} BEGIN
           INSERT INTO changes VALUES ('${name}', ${before}, ${after}); END`,
      );
    }
  }

  /** Empty, as after `schema.sql`. No pragma, after which SQLite would plan every statement anew. */
  clear(): void {
    // Twice: what is deleted may be written down in another table.
    for (const { name } of [...this.#tables, ...this.#tables]) {
      if (this.#all(`SELECT 1 FROM ${name} LIMIT 1`).length > 0) this.#prepare(`DELETE FROM ${name}`).run();
    }
    this.#prepare("DELETE FROM sqlite_sequence").run();
  }

  /** The primary again, after `clear`. */
  start(): void {
    this.#prepare("DELETE FROM changes").run();
  }

  /** Rows of each statement. Rejects with D1's errors. */
  read(statements: readonly Written[]): Record<string, unknown>[][] {
    try {
      return statements.map((statement) => this.#run(statement));
    } catch (error) {
      throw toD1Error(error);
    }
  }

  /** One transaction. */
  write(statements: readonly Written[]): { rows: Record<string, unknown>[][]; changes: RowChange[] } {
    this.#prepare("BEGIN IMMEDIATE").run();
    try {
      const rows = statements.map((statement) => this.#run(statement));
      this.#prepare("COMMIT").run();
      return { rows, changes: this.#takeChanges() };
    } catch (error) {
      this.#prepare("ROLLBACK").run();
      throw toD1Error(error);
    }
  }

  #run({ sql, values }: Written): Record<string, unknown>[] {
    return this.#prepare(sql)
      .all(...values.map(toInput))
      .map((row) => ({ ...row }));
  }

  #takeChanges(): RowChange[] {
    const changes = this.#all("SELECT name, before, after FROM changes ORDER BY rowid") as Change[];
    if (changes.length > 0) this.#prepare("DELETE FROM changes").run();
    return changes.map(({ name, before, after }) => ({ table: name, before: toRow(before), after: toRow(after) }));
  }

  /** What the primary has committed arrives here. */
  apply(changes: readonly RowChange[]): void {
    for (const { table, before, after } of changes) {
      const found = this.#byName.get(table);
      if (found === undefined) throw new Error(`no table ${table}`);
      const { columns, key } = found;
      if (before !== null) {
        const where = key.map((column) => `${column} = ?`).join(" AND ");
        this.#prepare(`DELETE FROM ${table} WHERE ${where}`).run(...key.map((column) => before[column] ?? null));
      }
      if (after !== null) {
        const places = columns.map(() => "?").join(", ");
        this.#prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${places})`).run(
          ...columns.map((column) => after[column] ?? null),
        );
      }
    }
  }

  /** Every row, by table. */
  dump(): Record<string, Row[]> {
    return Object.fromEntries(
      this.#tables.map(({ name, columns }) => [
        name,
        this.#all(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY 1, 2`).map((row) => ({ ...row }) as Row),
      ]),
    );
  }
}

const toName = ({ name }: Record<string, unknown>): string => String(name);
const toRow = (json: string | null): Row | null => (json === null ? null : (JSON.parse(json) as Row));
