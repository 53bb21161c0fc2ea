/** A real binding, with every call to its store passing through one function. */

export type StoreCall = "d1" | "kv.read" | "kv.write" | "gate";

/** Sees each call before it is made; makes it, or does not. */
export type Interceptor = (kind: StoreCall, makeCall: () => Promise<unknown>) => Promise<unknown>;

const originals = new WeakMap<object, D1PreparedStatement>();

/** One call is one round trip, a batch included. */
export function interceptDatabase<D extends D1Database | D1DatabaseSession>(database: D, interceptor: Interceptor): D {
  return new Proxy(database, {
    get(target, property) {
      if (property === "prepare") return (sql: string) => interceptStatement(target.prepare(sql), interceptor);
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) =>
          interceptor("d1", () => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
      }
      if (property === "withSession" && "withSession" in target) {
        return (constraint: string) => interceptDatabase(target.withSession(constraint), interceptor);
      }
      return bound(target, property);
    },
  });
}

function interceptStatement(statement: D1PreparedStatement, interceptor: Interceptor): D1PreparedStatement {
  const proxy: D1PreparedStatement = new Proxy(statement, {
    get(target, property) {
      if (property === "bind") {
        return (...values: unknown[]) => interceptStatement(target.bind(...values), interceptor);
      }
      const method = bound(target, property);
      return (...args: unknown[]) => interceptor("d1", async () => method(...args));
    },
  });
  originals.set(proxy, statement);
  return proxy;
}

export const interceptStore = (store: KVNamespace, interceptor: Interceptor): KVNamespace =>
  onMethods(store, { getWithMetadata: "kv.read", get: "kv.read", put: "kv.write", delete: "kv.write" })(interceptor);

/** `methods` are those of the objects: a stub cannot tell. */
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
