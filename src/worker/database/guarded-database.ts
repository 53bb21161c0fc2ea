/**
 * A D1 database whose calls all end, and are counted: each has a deadline, and rejects with a `DatabaseOutage` when D1 does not
 * answer. The errors are told apart here, because a lost connection's has no prefix: elsewhere nobody can know that it is D1's.
 */
import { databaseAnswer } from "./outage.ts";

/** Methods that make the next object: a session, a statement. */
const BUILDERS = new Set<string | symbol>(["withSession", "prepare", "bind"]);
/** Methods that call the database. */
const CALLS = new Set<string | symbol>(["first", "all", "run", "raw", "exec", "batch"]);

/** By what is guarded, what it was made of: D1 takes only its own statements into a batch. */
const originals = new WeakMap<object, object>();

const originalOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(originalOf) : (originals.get(Object(value)) ?? value);

/**
 * `target` is a database, or what came out of one: a session, a statement. One that is guarded is given back as it is. `onCall` is
 * told of each round trip.
 */
export function guardDatabase<Target extends object>(target: Target, onCall?: () => void): Target {
  if (originals.has(target)) return target;
  const guarded = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (BUILDERS.has(name)) return guardDatabase(Reflect.apply(member, target, args), onCall);
        if (!CALLS.has(name)) return Reflect.apply(member, target, args);
        onCall?.();
        return databaseAnswer(Reflect.apply(member, target, args.map(originalOf)));
      };
    },
  });
  originals.set(guarded, target);
  return guarded;
}
