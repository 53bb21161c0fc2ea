/** Problems of merges. */
import { Problem } from "../problem.ts";

/** For a change of a merged proposal. `duplicateOf` is null when the client may not see the proposal that it was merged into. */
export const mergedInto = (duplicateOf: string | null): Problem =>
  duplicateOf === null
    ? new Problem("conflict", { detail: "This proposal was merged into another one, and cannot be changed." })
    : new Problem("conflict", {
        detail: `This proposal was merged into ${duplicateOf}. Change that proposal instead.`,
        extensions: { duplicateOf },
      });

/** For a merge into a proposal that itself was merged. */
export const targetMergedInto = (duplicateOf: string): Problem =>
  new Problem("conflict", {
    detail: `The proposal that \`into\` names was merged into ${duplicateOf}. Send that one as \`into\`.`,
    extensions: { duplicateOf },
  });

export const mergesUnderWay = (): Problem =>
  new Problem("conflict", {
    detail: "Too many merges are in progress in this idea bank. Try again in a minute.",
    headers: { "Retry-After": "60" },
  });
