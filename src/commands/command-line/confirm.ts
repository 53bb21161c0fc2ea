/** Before a command ends something for good: a person says yes, in words or by an option. */
import type { Option } from "./command.ts";
import type { Context } from "./context.ts";
import { Failure } from "./failure.ts";

export const YES = {
  type: "boolean",
  default: false,
  help: "Does it without asking. Needed where nobody can be asked, as in a script.",
} as const satisfies Option;

/** `what` is a sentence about the coming action. Throws a Failure unless the person agrees. */
export async function confirm({ ask }: Context, isAgreed: boolean, what: string): Promise<void> {
  if (isAgreed) return;
  if (ask === undefined)
    throw new Failure(`${what} Nothing was done, because nobody can be asked here. To do it: add --yes.`);
  if ((await ask(`${what} Type yes to do it: `)).trim().toLowerCase() !== "yes") throw new Failure("Nothing was done.");
}
