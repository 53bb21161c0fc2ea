/** The problem for a change of a proposal that was merged. */
import { Problem } from "../problem.ts";

/** `duplicateOf` is null when the client may not see the proposal that it was merged into. */
export const mergedInto = (duplicateOf: string | null): Problem =>
  duplicateOf === null
    ? new Problem("conflict", { detail: "This proposal was merged into another one, and cannot be changed." })
    : new Problem("conflict", {
        detail: `This proposal was merged into ${duplicateOf}. Change that proposal instead.`,
        extensions: { duplicateOf },
      });
