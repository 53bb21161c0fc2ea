/** `unauthorized`, for one kind of credential: one answer for every reason, which only the log learns. */
import { Problem } from "../problem.ts";

/**
 * Makes a kind's problems: `detail` says what is expected, not what was wrong, and `challenge` is its `WWW-Authenticate`.
 * One problem for each reason: forgeries come in floods, and tracing an error's stack is a large part of what one costs.
 */
export function unauthorizedBy(detail: string, challenge: string): (reason: string) => Problem {
  const problems = new Map<string, Problem>();
  return (reason) => {
    const known = problems.get(reason);
    if (known !== undefined) return known;
    const problem = new Problem("unauthorized", { detail, headers: { "WWW-Authenticate": challenge }, cause: reason });
    problems.set(reason, problem);
    return problem;
  };
}
