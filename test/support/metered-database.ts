/** A real D1 database or session that tells what each round trip to it cost. */

/** Sees the results of each round trip, whose `meta` counts the rows read and written. */
export type Meter = (results: readonly D1Result[]) => void;

export function meterDatabase<D extends D1Database | D1DatabaseSession>(database: D, meter: Meter): D {
  return new Proxy(database, {
    get(target, property) {
      if (property === "prepare") return (sql: string) => meterStatement(target.prepare(sql), meter);
      if (property === "withSession" && "withSession" in target) {
        return (constraint?: string) => meterDatabase(target.withSession(constraint), meter);
      }
      if (property === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements.map((statement) => originals.get(statement) ?? statement));
          meter(results);
          return results;
        };
      }
      const value = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** D1 takes only its own statements into a batch. */
const originals = new WeakMap<object, D1PreparedStatement>();

/** `first` is done by `all`, which tells the rows. */
function meterStatement(statement: D1PreparedStatement, meter: Meter): D1PreparedStatement {
  const all = async () => {
    const result = await statement.all<Record<string, unknown>>();
    meter([result]);
    return result;
  };
  const metered = Object.assign(Object.create(statement), {
    bind: (...values: unknown[]) => meterStatement(statement.bind(...values), meter),
    all,
    run: all,
    first: async () => (await all()).results[0] ?? null,
  });
  originals.set(metered, statement);
  return metered;
}
