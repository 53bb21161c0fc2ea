/** The problems around merges. */
import { Problem } from "../problem.ts";

/** For a change of a proposal that was merged. */
export const mergedInto = (duplicateOf: string): Problem =>
  new Problem("conflict", {
    detail: `This proposal was merged into ${duplicateOf}. Change that proposal instead.`,
    extensions: { duplicateOf },
  });

export const mergesUnderWay = (): Problem =>
  new Problem("conflict", {
    detail:
      "Many merges are under way in this idea bank: votes are still being moved. Send the request again in a minute.",
    headers: { "Retry-After": "60" },
  });
