/**
 * The one place that knows which D1 database holds a row: the first digit of its identifier names the binding. `0` is `DB`, `1` is
 * `DB_1`, `a` is `DB_a`. Everything of an account is in one database, so no request of a tenant or a panelist asks two.
 */
import type { RandomBytes } from "../credentials/base62.ts";
import { databaseDigit } from "../credentials/id.ts";
import { guardDatabase } from "./guarded-database.ts";

/** The database with the directory of account owners, `DB`. */
export const DIRECTORY_DIGIT = "0";

/** At least the database `0`. The others are found by name: wrangler.toml has as many as were added. */
export type Bindings = { readonly DB: D1Database };

const isDatabase = (binding: unknown): binding is D1Database =>
  typeof binding === "object" && binding !== null && "withSession" in binding;

/** The binding of a digit, as it is. */
export function findBinding(env: Bindings, digit: string): D1Database | undefined {
  const binding: unknown = Reflect.get(env, digit === DIRECTORY_DIGIT ? "DB" : `DB_${digit}`);
  return isDatabase(binding) ? binding : undefined;
}

/**
 * The database of an identifier, guarded: its calls have deadlines, and their failures are told apart. Undefined when no binding
 * has the digit: then nothing has this identifier.
 */
export function chooseDatabase(env: Bindings, id: string): D1Database | undefined {
  const database = findBinding(env, databaseDigit(id));
  return database && guardDatabase(database);
}

export const chooseDirectory = (env: Bindings): D1Database => guardDatabase(env.DB);

/**
 * The digit of the database for a new account: one of those in NEW_ACCOUNTS, by chance. Throws when one of them has no binding: an
 * account there could not be reached.
 */
export function chooseNewAccount(env: Bindings & { readonly NEW_ACCOUNTS?: string }, random: RandomBytes): string {
  const digits = env.NEW_ACCOUNTS ?? DIRECTORY_DIGIT;
  if (digits === "" || [...digits].some((digit) => findBinding(env, digit) === undefined))
    throw new Error("NEW_ACCOUNTS must be digits of databases that have a binding");
  const [byte = 0] = random(1);
  return digits.charAt(byte % digits.length);
}

/** Every database, by its binding: for jobs that are no tenant's. */
export const allDatabases = (env: Bindings): { readonly binding: string; readonly database: D1Database }[] =>
  bindingsOf(env).map(([binding, database]) => ({ binding, database: guardDatabase(database) }));

/** The digits of all databases that have a binding. */
export const digitsOf = (env: Bindings): string[] =>
  bindingsOf(env).map(([binding]) => (binding === "DB" ? DIRECTORY_DIGIT : binding.slice("DB_".length)));

/** The bindings themselves, in the order of their digits. */
export const bindingsOf = (env: Bindings): [binding: string, database: D1Database][] =>
  Object.entries(env)
    .filter((entry): entry is [string, D1Database] => /^DB(_[1-9A-Za-z])?$/.test(entry[0]) && isDatabase(entry[1]))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
