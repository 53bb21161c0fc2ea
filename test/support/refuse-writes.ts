/** Databases that answer reads and refuse every write, as D1 does when a database is full. */
import { bindingsOf } from "./databases.ts";

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;
const refusal = () => Promise.reject(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"));

function refuseWritesOf<D extends D1Database | D1DatabaseSession>(database: D): D {
  const refused = new WeakSet<object>();
  const refusing = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy: D1PreparedStatement = new Proxy(statement, {
      get: (target, property) =>
        property === "bind" ? (...values: unknown[]) => refusing(target.bind(...values)) : refusal,
    });
    refused.add(proxy);
    return proxy;
  };
  return new Proxy(database, {
    get(target, property) {
      if (property === "prepare")
        return (sql: string) => (WRITES.test(sql) ? refusing(target.prepare(sql)) : target.prepare(sql));
      if (property === "batch")
        return (statements: D1PreparedStatement[]) =>
          statements.some((statement) => refused.has(statement)) ? refusal() : target.batch(statements);
      if (property === "withSession" && "withSession" in target)
        return (constraint?: string) => refuseWritesOf(target.withSession(constraint));
      const value: unknown = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), property)?.value;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export const refuseWrites = <E extends { readonly DB: D1Database }>(env: E): E => ({
  ...env,
  ...Object.fromEntries(bindingsOf(env).map(([binding, database]) => [binding, refuseWritesOf(database)])),
});
