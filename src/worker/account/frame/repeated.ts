/** The answer to a change that was made before. */
import type { Repeated } from "../../database/repeated-changes.ts";
import { Problem } from "../../problem.ts";

/** Says that the change was made before, and shows no secret, because a secret is shown once. */
export function repeatedProblem(repeated: Repeated): Problem {
  if (repeated === "key-reused") return new Problem("idempotency-key-reused");
  return new Problem("conflict", {
    detail:
      `This request was sent before, and was done then: see ${repeated.doneBefore}. Now nothing was done. A secret is shown once: ` +
      "if you did not get that answer, rotate the secret, or revoke or delete what was made, with another Idempotency-Key. " +
      "Rotating again ends no secret that is in use.",
    headers: { "Idempotency-Replayed": "true" },
  });
}

export const isRepeated = (result: unknown): result is Repeated =>
  result === "key-reused" || (typeof result === "object" && result !== null && "doneBefore" in result);
