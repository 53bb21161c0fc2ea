/**
 * The two databases of the tests. Accounts are placed two by two, the first two of each test in `DB_1`: a neighbour is in the same
 * database, so that what keeps tenants apart is the statement, and not the place.
 */
import { env } from "cloudflare:workers";
import { type Database, Databases } from "../../src/worker/database/databases.ts";

let placed = 0;

export type Digit = "0" | "1";

/** The digit of the database for the next account. */
export function nextDigit(): Digit {
  placed += 1;
  return placed % 4 === 1 || placed % 4 === 2 ? "1" : "0";
}

export const restartTurns = (): void => {
  placed = 0;
};

export const DATABASES = [env.DB, env.DB_1] as const;

export type Binding = "DB" | "DB_1";
/** The binding that holds what `id` names. */
export const bindingOf = (id: string): Binding => (id.startsWith("0") ? "DB" : "DB_1");
export const databaseOf = (id: string): D1Database => env[bindingOf(id)];

/** A database as an isolate that remembers `databases` uses it; its anchors last so long from its first use on. */
export function openDatabase(binding: D1Database, databases = new Databases(), anchorSeconds?: number): Database {
  const executionCtx = { waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}) };
  const database = databases.of(
    {
      env: { DB: binding, ...(anchorSeconds !== undefined && { ANCHOR_SECONDS: String(anchorSeconds) }) },
      executionCtx,
    },
    "0",
  );
  if (database === undefined) throw new Error("there is no such database");
  return database;
}

/** The rows of both databases. */
export async function selectEverywhere<Row = Record<string, unknown>>(sql: string): Promise<Row[]> {
  const results = await Promise.all(DATABASES.map((database) => database.prepare(sql).all<Row>()));
  return results.flatMap((result) => result.results);
}

/** A statement that finds its rows in one of them. */
export const runEverywhere = (sql: string, ...values: unknown[]): Promise<D1Result[]> =>
  Promise.all(
    DATABASES.map((database) =>
      database
        .prepare(sql)
        .bind(...values)
        .run(),
    ),
  );

/** How many rows the table has in both databases. */
export const countRows = async (table: string): Promise<number> =>
  (await selectEverywhere<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)).reduce((sum, { n }) => sum + n, 0);
