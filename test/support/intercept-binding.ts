/** A real binding that passes every call to its store through one function. */
import { bindingsOf } from "./databases.ts";

export type StoreCall = "d1" | "kv.read" | "kv.write" | "gate";

/** Sees each call before it is made; makes it, or does not. */
export type Interceptor = (kind: StoreCall, makeCall: () => Promise<unknown>) => Promise<unknown>;

/** Sees the results of each round trip to D1 that was made: their `meta` counts the rows read and written. */
export type Meter = (results: readonly D1Result[]) => void;

/** One call is one round trip, a batch included. */
export function interceptDatabase<D extends D1Database | D1DatabaseSession>(
  database: D,
  interceptor: Interceptor,
  meter: Meter = () => {},
): D {
  return new Proxy(database, {
    get(target, property) {
      if (property === "prepare") return (sql: string) => interceptStatement(target.prepare(sql), interceptor, meter);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) =>
          interceptor("d1", async () => {
            const results = await target.batch(statements.map((statement) => originals.get(statement) ?? statement));
            meter(results);
            return results;
          });
      }
      if (property === "withSession" && "withSession" in target) {
        return (constraint?: string) => interceptDatabase(target.withSession(constraint), interceptor, meter);
      }
      return bound(target, property);
    },
  });
}

/** The same environment, with every database intercepted, each by what its binding gives. */
export const interceptDatabases = <E extends { readonly DB: D1Database }>(
  env: E,
  interceptorOf: (binding: string) => Interceptor,
  meter?: Meter,
): E => ({
  ...env,
  ...Object.fromEntries(
    bindingsOf(env).map(([binding, database]) => [binding, interceptDatabase(database, interceptorOf(binding), meter)]),
  ),
});

/** Makes every call, and records only its cost. */
export const meterDatabase = <D extends D1Database | D1DatabaseSession>(database: D, meter: Meter): D =>
  interceptDatabase(database, (_, makeCall) => makeCall(), meter);

export const meterDatabases = <E extends { readonly DB: D1Database }>(env: E, meter: Meter): E =>
  interceptDatabases(env, () => (_, makeCall) => makeCall(), meter);

/** D1 takes only its own statements into a batch. */
const originals = new WeakMap<object, D1PreparedStatement>();

function interceptStatement(
  statement: D1PreparedStatement,
  interceptor: Interceptor,
  meter: Meter,
): D1PreparedStatement {
  const make = async (method: "all" | "run") => {
    const result = await statement[method]<Record<string, unknown>>();
    meter([result]);
    return result;
  };
  // D1's own `first` is its `all`, less the `meta`.
  const makeFirst = async (column?: string) => {
    const [row] = (await make("all")).results;
    return (column === undefined ? row : row?.[column]) ?? null;
  };
  const proxy: D1PreparedStatement = new Proxy(statement, {
    get(target, property) {
      switch (property) {
        case "bind":
          return (...values: unknown[]) => interceptStatement(target.bind(...values), interceptor, meter);
        case "all":
        case "run":
          return () => interceptor("d1", () => make(property));
        case "first":
          return (column?: string) => interceptor("d1", () => makeFirst(column));
        case "raw":
          throw new Error("raw() does not report its cost: use all()");
        default:
          return bound(target, property);
      }
    },
  });
  originals.set(proxy, statement);
  return proxy;
}

export const interceptStore = (store: KVNamespace, interceptor: Interceptor): KVNamespace =>
  onMethods(store, { getWithMetadata: "kv.read", get: "kv.read", put: "kv.write", delete: "kv.write" })(interceptor);

/** `methods` are those of the objects: a stub does not list them. */
export function interceptObjects<N extends Pick<DurableObjectNamespace, "idFromName">>(
  objects: N,
  methods: readonly string[],
  interceptor: Interceptor,
): N {
  const kinds = Object.fromEntries(methods.map((method) => [method, "gate" as const]));
  return new Proxy(objects, {
    get(target, property) {
      const method = bound(target, property);
      if (property !== "get" && property !== "getByName") return method;
      return (key: unknown) => onMethods(method(key), kinds)(interceptor);
    },
  });
}

const onMethods =
  <T extends object>(target: T, kinds: Record<string, StoreCall>) =>
  (interceptor: Interceptor): T =>
    new Proxy(target, {
      get(object, property) {
        const kind = typeof property === "string" ? kinds[property] : undefined;
        const value = bound(object, property);
        return kind === undefined ? value : (...args: unknown[]) => interceptor(kind, async () => value(...args));
      },
    });

/** Not `value.bind(target)`: a stub would send that to its object as a call of a method named "bind". */
function bound(target: object, property: string | symbol) {
  const value = Reflect.get(target, property);
  return typeof value === "function" ? (...args: unknown[]) => Reflect.apply(value, target, args) : value;
}
