/** The problem for a change of a proposal that was merged. */
import { Problem } from "../problem.ts";

export const mergedInto = (duplicateOf: string): Problem =>
  new Problem("conflict", {
    detail: `This proposal was merged into ${duplicateOf}. Change that proposal instead.`,
    extensions: { duplicateOf },
  });
