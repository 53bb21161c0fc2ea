/** Statements of SQL as data. They are made without a database, and sent by a session (session.ts). */

type Value = string | number | boolean | null | undefined;

/** `Row` is the shape of its rows, as its author states it: nothing checks it. */
export type Statement<Row = unknown> = {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
  /** For the compiler alone. */
  readonly row?: Row;
};

/**
 * A statement with named parameters: `:title` is the value of `title`. So a fragment of SQL says what it needs wherever it is put, and
 * a statement without that value throws. Undefined is NULL, and a flag is 0 or 1.
 */
export function prepare<Row = unknown>(sql: string, values: Readonly<Record<string, Value>> = {}): Statement<Row> {
  const names: string[] = [];
  const numbered = sql.replace(/:([a-z]\w*)/gi, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`the statement has no value for :${name}`);
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const bound = names.map((name) => values[name] ?? null);
  return { sql: numbered, values: bound.map((value) => (typeof value === "boolean" ? Number(value) : value)) };
}
