/** How a problem leaves the Worker, and the log line of those that are ours. */
import type { Context } from "hono";
import { Problem, problemDocument } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";

export function respondWithProblem(c: Context<AppEnv>, problem: Problem): Response {
  return c.body(JSON.stringify(problemDocument(problem)), problem.status, {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    ...problem.headers,
  });
}

/** The application's `onError`. What was not thrown as a Problem is a defect: a fixed sentence outside, everything in the log. */
export function handleError(error: Error, c: Context<AppEnv>): Response {
  const problem = error instanceof Problem ? error : new Problem("internal-error", { cause: error });
  const line = { requestId: c.get("requestId"), problem: problem.code, cause: problem.cause };
  if (problem.status >= 500) console.error(line);
  else if (problem.cause !== undefined) console.debug(line);
  return respondWithProblem(c, problem);
}
