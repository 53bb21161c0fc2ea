/** SQL statements as data. They are made without a database, and sent by a session (session.ts). */

type Value = string | number | boolean | null | undefined;

/** `Row` is the shape of its rows. The author states it, and nothing checks it. */
export type Statement<Row = unknown> = {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
  /** Exists in types only. */
  readonly row?: Row;
};

/**
 * A statement with named parameters: `:title` is the value of `title`. So a fragment of SQL can name the values that it needs,
 * wherever it is used. Throws when a value is missing. Undefined becomes NULL, a boolean becomes 0 or 1.
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
