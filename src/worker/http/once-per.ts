/**
 * Makes frequent problems once, because capturing an error's stack is a large part of a refusal's cost. Problems with the same
 * key are equal. Keys must be few: a reason, a number of seconds.
 */
import type { Problem } from "../problem.ts";

export function oncePer<Key extends string | number>(make: (key: Key) => Problem): (key: Key) => Problem {
  const problems = new Map<Key, Problem>();
  return (key) => {
    const known = problems.get(key);
    if (known !== undefined) return known;
    const problem = make(key);
    problems.set(key, problem);
    return problem;
  };
}
