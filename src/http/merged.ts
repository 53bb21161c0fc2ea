/** What a merged proposal answers to whoever wants to change it. */
import { Problem } from "../problem.ts";

export const merged = (duplicateOf: string): Problem =>
  new Problem("conflict", {
    detail: `This proposal was merged into ${duplicateOf}. Use that one.`,
    extensions: { duplicateOf },
  });
