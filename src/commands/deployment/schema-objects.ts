/** The parts of a database's schema, in a form that can be compared. */

/** A table, index, trigger or view. `sql` made it. */
export type SchemaObject = { readonly type: string; readonly name: string; readonly sql: string };

/** The table in which wrangler notes the steps that a database has had. */
export const LEDGER = "d1_migrations";

/**
 * One statement: the database's tables, indexes, triggers and views. SQLite's own tables, Cloudflare's own and the ledger are left
 * out. Only tables are, because a trigger can have the name of any of them.
 */
export const SCHEMA_OBJECTS = `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND NOT (
    type = 'table' AND (substr(name, 1, 7) = 'sqlite_' OR substr(name, 1, 4) = '_cf_' OR name = '${LEDGER}'))`;

/** SQL in one form: without comments, quotes of names and unneeded space. ALTER TABLE leaves quotes where CREATE TABLE has none. */
export const normalizeSql = (sql: string): string =>
  sql
    .replace(/--.*$/gm, "")
    .replace(/"(\w+)"/g, "$1")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),;]) ?/g, "$1")
    .trim();
