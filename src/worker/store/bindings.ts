/**
 * Knows which D1 database holds a row: the first digit of its identifier names the binding. `0` is `DB`, `1` is
 * `DB_1`, `a` is `DB_a`. Everything of an account is in one database, so no request of a tenant or a panelist asks two.
 */
import type { RandomBytes } from "../credentials/base62.ts";

/** The digit of `DB`, which holds the directory of account owners. */
export const DIRECTORY_DIGIT = "0";

/** `DB` always exists. wrangler.toml may have others. */
export type Bindings = { readonly DB: D1Database; readonly [binding: `DB_${string}`]: D1Database | undefined };

declare global {
  interface __BaseEnv_Env {
    readonly [binding: `DB_${string}`]: D1Database | undefined;
  }
}

export const bindingName = (digit: string): "DB" | `DB_${string}` => (digit === DIRECTORY_DIGIT ? "DB" : `DB_${digit}`);

/** Undefined when no binding has the digit: then no row has such an identifier. */
export const findBinding = (env: Bindings, digit: string): D1Database | undefined => env[bindingName(digit)];

/** The digits of all databases that have a binding, in order. */
export const digitsOf = (env: Bindings): string[] =>
  Object.keys(env)
    .filter((name) => /^DB(_[1-9A-Za-z])?$/.test(name))
    .map((name) => (name === "DB" ? DIRECTORY_DIGIT : name.slice("DB_".length)))
    .toSorted();

/**
 * The digit of the database for a new account: one of the digits in NEW_ACCOUNTS, chosen at random. Throws when one of them has
 * no binding, because an account there could not be reached.
 */
export function chooseNewAccount(env: Bindings & Partial<Pick<Env, "NEW_ACCOUNTS">>, random: RandomBytes): string {
  const digits = env.NEW_ACCOUNTS ?? DIRECTORY_DIGIT;
  if (digits === "" || [...digits].some((digit) => findBinding(env, digit) === undefined))
    throw new Error("NEW_ACCOUNTS must be digits of databases that have a binding");
  const [byte = 0] = random(1);
  return digits.charAt(byte % digits.length);
}
