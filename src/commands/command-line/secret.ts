/** A secret that a command sends in a header. */
import type { Context } from "./context.ts";
import { Failure } from "./failure.ts";

/** The value of an environment variable. Throws a Failure without it, and for one that no header can have: `fetch` would quote it. */
export function secretFrom({ variables }: Context, name: string, what: string): string {
  const secret = variables[name]?.trim();
  if (!secret) throw new Failure(`Set ${name} to ${what}.`);
  if (/^[ -~]+$/.test(secret)) return secret;
  throw new Failure(
    `${name} has a line break, or another character that is not ASCII. Set it to ${what}, and nothing else.`,
  );
}
