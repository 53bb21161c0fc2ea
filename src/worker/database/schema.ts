/** The parts of a database's schema, and the steps that made it: for the doctor, which compares them with `migrations/`. */
import type { Session } from "../store/session.ts";
import { prepare } from "../store/statement.ts";

/** The table in which wrangler notes the steps that a database has had. */
export const LEDGER = "d1_migrations";

/**
 * One statement: the database's tables, indexes, triggers and views. SQLite's own tables, Cloudflare's own and the ledger are left
 * out. Only tables are, because a trigger can have the name of any of them.
 */
export const SCHEMA_OBJECTS = `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND NOT (
    type = 'table' AND (substr(name, 1, 7) = 'sqlite_' OR substr(name, 1, 4) = '_cf_' OR name = '${LEDGER}'))`;

/** One statement: 1 if the database has a ledger. */
export const HAS_LEDGER = `SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name = '${LEDGER}'`;

/** One statement: the ledger, oldest first. */
export const READ_LEDGER = `SELECT name FROM ${LEDGER} ORDER BY id`;

/** A table, index, trigger or view. `sql` made it. */
export type SchemaObject = { readonly type: string; readonly name: string; readonly sql: string };

/** SQL in one form: without comments, quotes of names and unneeded space. ALTER TABLE leaves quotes where CREATE TABLE has none. */
export const normalizeSql = (sql: string): string =>
  sql
    .replace(/--.*$/gm, "")
    .replace(/"(\w+)"/g, "$1")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),;]) ?/g, "$1")
    .trim();

/** The database's objects, and the names of the steps that it has had: none where it has no ledger. At most two round trips. */
export async function loadSchema(
  session: Session,
): Promise<{ readonly steps: readonly string[]; readonly objects: readonly SchemaObject[] }> {
  const { objects, ledger } = await session.batch({
    objects: prepare<SchemaObject>(SCHEMA_OBJECTS),
    ledger: prepare<{ found: number }>(HAS_LEDGER),
  });
  const steps = ledger[0]?.found ? await session.all(prepare<{ name: string }>(READ_LEDGER)) : [];
  return { steps: steps.map(({ name }) => name), objects };
}
