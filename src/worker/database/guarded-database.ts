/**
 * A D1 database whose calls all end: each has a deadline, and rejects with a `DatabaseOutage` when D1 does not answer.
 * The errors are told apart here because only here it is known that they come from D1: a lost connection has no prefix.
 */
import { databaseAnswer } from "./outage.ts";

/** Methods that make the next object: a session, a statement. */
const BUILDERS = new Set<string | symbol>(["withSession", "prepare", "bind"]);
/** Methods that call the database. */
const CALLS = new Set<string | symbol>(["first", "all", "run", "raw", "exec"]);

/** D1 takes only its own statements into a batch. */
const originals = new WeakMap<object, object>();

/** What is done with the answer of each call. */
type Guard = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

/** `target` is a database, or what came out of one: a session, a statement. */
export function guardDatabase<Target extends object>(target: Target, guard: Guard = databaseAnswer): Target {
  const guarded = new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = (args: unknown[]) => Reflect.apply(member, target, args);
      if (BUILDERS.has(name)) return (...args: unknown[]) => guardDatabase(call(args), guard);
      if (CALLS.has(name)) return (...args: unknown[]) => guard(call(args));
      if (name === "batch") {
        return (statements: object[]) =>
          guard(call([statements.map((statement) => originals.get(statement) ?? statement)]));
      }
      return (...args: unknown[]) => call(args);
    },
  });
  originals.set(guarded, target);
  return guarded;
}
