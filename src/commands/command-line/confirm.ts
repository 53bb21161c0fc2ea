/** Before a command ends something for good: a person says yes, in words or by an option. */
import type { Option } from "./command.ts";
import type { Context } from "./context.ts";
import { Failure } from "./failure.ts";

export const YES = {
  type: "boolean",
  default: false,
  help: "Does it without asking. Needed in scripts, where nobody can answer.",
} as const satisfies Option;

/** `what`: a sentence that says what is about to happen; `word`: what the person types to agree. Throws a Failure for anything else. */
export async function confirm(
  { ask }: Context,
  {
    isAgreed,
    what,
    word = "yes",
  }: { readonly isAgreed: boolean; readonly what: string; readonly word?: string | undefined },
): Promise<void> {
  if (isAgreed) return;
  if (ask === undefined)
    throw new Failure(
      `Nothing was done, because there is no terminal to confirm at. To confirm this, add --yes:\n  ${what}`,
    );
  if ((await ask(`${what} Type ${word} to do it: `)).trim().toLowerCase() !== word)
    throw new Failure("Nothing was done.");
}
