/** The real bindings, with every call to a store passing through one function: to count it, to watch it, or to make it fail. */

export type StoreCall = "d1" | "kv.read" | "kv.write" | "gate";

/** Sees each call before it is made; makes it, or does not. */
export type Interceptor = (kind: StoreCall, makeCall: () => Promise<unknown>) => Promise<unknown>;

type Bindings = Pick<Env, "DB" | "CHANGELOGS" | "API_KEY_GATE">;

/** The same environment, intercepted. One D1 call is one round trip, a batch included. */
export function interceptStores<E extends Bindings>(env: E, interceptor: Interceptor): E {
  return {
    ...env,
    DB: interceptDatabase(env.DB, interceptor),
    CHANGELOGS: interceptStore(env.CHANGELOGS, interceptor),
    API_KEY_GATE: interceptObjects(env.API_KEY_GATE, ["admit", "forget"], interceptor),
  };
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

/** Counts the calls of each kind. */
export function countStores<E extends Bindings>(env: E): { env: E; counts: Record<StoreCall, number> } {
  const counts = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };
  const counted = interceptStores(env, (kind, makeCall) => {
    counts[kind] += 1;
    return makeCall();
  });
  return { env: counted, counts };
}

/** Fails every call of these kinds, as a store that is down does. */
export const failStores = <E extends Bindings>(env: E, ...down: StoreCall[]): E =>
  interceptStores(env, (kind, makeCall) =>
    down.includes(kind) ? Promise.reject(new Error(`${kind === "d1" ? "D1_ERROR: " : ""}injected fault`)) : makeCall(),
  );

/** A gate whose D1 calls pass through the interceptor: they are made inside the object, with its own environment. */
export function interceptGateDatabase(gate: object, env: Env, interceptor: Interceptor): void {
  Object.assign(gate, { env: interceptStores(env, interceptor) });
}

const originals = new WeakMap<object, D1PreparedStatement>();

function interceptDatabase<D extends D1Database | D1DatabaseSession>(database: D, interceptor: Interceptor): D {
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
