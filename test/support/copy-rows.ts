/** More rows like one that is there: so that a new resource needs no line here. */
import { databaseOf } from "./databases.ts";
import type { OperationCase } from "./operations.ts";

/** The columns that an INSERT names, without generated ones. */
export async function columnsOf(database: D1Database, table: string): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")
    .bind(table)
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** `externalId` is the column `external_id`, `{ideaBankId}` the id of a row in `idea_banks`. */
export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const tableOf = (parameter: string): string => `${columnOf(parameter.replace(/Id$/, ""))}s`;

/** The table whose rows a list shows, and the parameter that names one of them: from the path of one. */
export function listedBy(list: Pick<OperationCase, "name" | "path">, operations: readonly OperationCase[]) {
  const one = operations.find(({ path }) => path.startsWith(`${list.path}/{`));
  const parameter = one?.path.slice(list.path.length).match(/^\/\{(\w+)\}/)?.[1];
  if (parameter === undefined) throw new Error(`no operation names an item of ${list.name}: which table does it show?`);
  return { parameter, table: tableOf(parameter) };
}

/**
 * Adds `count` copies of the row with this id. They differ in their ids and in other columns that are unique; three have each time
 * of creation. `varied`: the values that a column takes in turn.
 */
export async function copyRow(
  table: string,
  id: string,
  count: number,
  varied: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  const database = databaseOf(id);
  const columns = await columnsOf(database, table);
  const { results: unique } = await database
    .prepare(
      `SELECT c.name FROM pragma_index_list(?1) i JOIN pragma_index_info(i.name) c
       WHERE i."unique" AND i.origin IN ('u', 'c') AND c.name NOT IN ('account_id', 'idea_bank_id')`,
    )
    .bind(table)
    .all<{ name: string }>();
  const copiedAs = (column: string): string => {
    if (column === "id") return "substr(id, 1, 6) || printf('%06d', (i * 7919) % 100003)";
    if (column === "created_at") return "i / 3";
    if (unique.some(({ name }) => name === column)) return "'u' || i";
    const values = varied[column];
    return values ? `json_array(${values.map((value) => `'${value}'`)}) ->> (i % ${values.length})` : column;
  };
  const { meta } = await database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO ${table} (${columns}) SELECT ${columns.map(copiedAs)} FROM ${table}, n WHERE id = ?1`,
    )
    .bind(id, count)
    .run();
  if (meta.changes === 0) throw new Error(`${table} has no row ${id} to copy: see addOneOfEverything`);
}
