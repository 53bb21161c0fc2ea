/** The bindings of one request, with its calls to stores counted. Only for requests that are observed: it costs a few microseconds. */
import { type Around, guardDatabase } from "../database/guarded-database.ts";

/** Calls by kind. A batch of D1 is one call. */
export type StoreCalls = { d1: number; kv: number; gate: number };

export function countCalls<Bindings extends object>(env: Bindings, calls: StoreCalls): Bindings {
  const count = (kind: keyof StoreCalls) => () => {
    calls[kind] += 1;
  };
  return new Proxy(env, {
    get(target, name) {
      const binding: unknown = Reflect.get(target, name);
      if (typeof binding !== "object" || binding === null) return binding;
      if ("prepare" in binding) return guardDatabase(binding, counted(count("d1")));
      if ("getWithMetadata" in binding) return onCall(binding, count("kv"));
      if ("idFromName" in binding) return onCall(binding, (_, stub) => stubOf(stub, count("gate")));
      return binding;
    },
  });
}

const counted =
  (count: () => void): Around =>
  (call) => {
    count();
    return call();
  };

/** Of what a namespace gives, only a stub has methods that are calls: an id has no `id`. */
const stubOf = (given: unknown, count: () => void): unknown =>
  typeof given === "object" && given !== null && "id" in given ? onCall(given, count) : given;

/** Each call of a method tells `called`, which may return another result. */
function onCall(target: object, called: (method: string | symbol, result: unknown) => unknown): object {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        return called(name, result) ?? result;
      };
    },
  });
}
