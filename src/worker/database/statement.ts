/** Statements whose parameters have names, and the types of rows. */

type Value = string | number | boolean | null | undefined;

/**
 * A statement with named parameters: `:title` is the value of `title`. So a fragment of SQL says what it needs wherever it is put, and
 * a statement without that value throws. Undefined is NULL, and a flag is 0 or 1.
 */
export function prepare(
  session: Pick<D1DatabaseSession, "prepare">,
  sql: string,
  values: Readonly<Record<string, Value>>,
): D1PreparedStatement {
  const names: string[] = [];
  const numbered = sql.replace(/:([a-z]\w*)/gi, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`the statement has no value for :${name}`);
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const bound = names.map((name) => values[name] ?? null);
  return session.prepare(numbered).bind(...bound.map((value) => (typeof value === "boolean" ? Number(value) : value)));
}

/** The rows of a batch's result. What they are is known by who wrote the statement. */
export const rowsOf = <Row>(result: D1Result | undefined): readonly Row[] => (result?.results ?? []) as Row[];
