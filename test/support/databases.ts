/**
 * The two databases of the tests. Accounts are placed two by two, the first two of each test in `DB_1`: a neighbour is in the same
 * database, so that what keeps tenants apart is the statement, and not the place.
 */
import { env } from "cloudflare:workers";
import { type Bindings, bindingName, digitsOf, findBinding } from "../../src/worker/store/bindings.ts";
import { type Database, Databases } from "../../src/worker/store/databases.ts";
import type { Session } from "../../src/worker/store/session.ts";

/** The databases of an environment, by the names of their bindings. */
export const bindingsOf = (environment: Bindings): [binding: string, database: D1Database][] =>
  digitsOf(environment).flatMap((digit) => {
    const database = findBinding(environment, digit);
    return database === undefined ? [] : [[bindingName(digit), database]];
  });

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

/** The benchmark types these files without the second database, and does not use it. */
const { DB, DB_1 = DB } = env;
export const DATABASES = [DB, DB_1] as const;

export type Binding = "DB" | "DB_1";
/** The binding that holds what `id` names. */
export const bindingOf = (id: string): Binding => (id.startsWith("0") ? "DB" : "DB_1");
export const databaseOf = (id: string): D1Database => ({ DB, DB_1 })[bindingOf(id)];

/** Of a request that nobody ends. */
export const CONTEXT = { waitUntil: (promise: Promise<unknown>) => void promise.catch(() => {}) };

/** A session at the primary. */
export const sessionOf = (binding: D1Database): Session => openDatabase(binding).withoutSession();

/** A session at the primary of each database. */
export const sessionsOf = (environment: Bindings): Session[] =>
  new Databases().all({ env: environment, executionCtx: CONTEXT }).map(({ database }) => database.withoutSession());

/** A database as an isolate that remembers `databases` uses it; its anchors last so long from its first use on. */
export function openDatabase(binding: D1Database, databases = new Databases(), anchorSeconds?: number): Database {
  const database = databases.of(
    {
      env: { DB: binding, ...(anchorSeconds !== undefined && { ANCHOR_SECONDS: String(anchorSeconds) }) },
      executionCtx: CONTEXT,
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
