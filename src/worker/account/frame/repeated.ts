/** The answer to a change that was made before. */
import type { Repeated } from "../../database/repeated-changes.ts";
import { Problem } from "../../problem.ts";

/** Says that the change was made before, and shows no secret, because a secret is shown once. A page says it in its own words. */
export class DoneBefore extends Problem {
  /** What was made, or changed. */
  readonly id: string;

  constructor(id: string) {
    super("conflict", {
      detail:
        `This request was sent before, and was done then: see ${id}. Now nothing was done. A secret is shown once: ` +
        "if you did not get that answer, rotate the secret, or revoke or delete what was made, with another Idempotency-Key. " +
        "Rotating again ends no secret that is in use.",
      headers: { "Idempotency-Replayed": "true" },
    });
    this.id = id;
  }
}

export const repeatedProblem = (repeated: Repeated): Problem =>
  repeated === "key-reused" ? new Problem("idempotency-key-reused") : new DoneBefore(repeated.doneBefore);

export const isRepeated = (result: unknown): result is Repeated =>
  result === "key-reused" || (typeof result === "object" && result !== null && "doneBefore" in result);
