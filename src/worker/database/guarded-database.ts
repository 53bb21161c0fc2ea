/**
 * A D1 database with something around each of its calls, such as a deadline, or a counter. The errors of a call are told apart here
 * (outage.ts), because a lost connection's has no prefix: elsewhere nobody can know that it is D1's.
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

/** Makes the call, or refuses to. */
export type Around = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

/** `target` is a database, or what came out of one: a session, a statement. It may be guarded already. */
export function guardDatabase<Target extends object>(target: Target, around: Around = databaseAnswer): Target {
  const guarded = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (BUILDERS.has(name)) return guardDatabase(Reflect.apply(member, target, args), around);
        if (!CALLS.has(name)) return Reflect.apply(member, target, args);
        return around(() => Reflect.apply(member, target, args.map(originalOf)));
      };
    },
  });
  originals.set(guarded, target);
  return guarded;
}
