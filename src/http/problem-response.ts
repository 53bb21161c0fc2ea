/** How a problem leaves the Worker, and the log line of those that are ours. */
import type { Context } from "hono";
import { isDatabaseOutage } from "../database/outage.ts";
import { Problem, problemDocument, serviceUnavailable } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";

export function respondWithProblem(c: Context<AppEnv>, problem: Problem): Response {
  return c.body(JSON.stringify(problemDocument(problem)), problem.status, {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    ...problem.headers,
  });
}

/** The application's `onError`. A defect gets a fixed sentence outside; everything is in the log. */
export function handleError(error: Error, c: Context<AppEnv>): Response {
  const problem = toProblem(error);
  const line = { requestId: c.get("requestId"), problem: problem.code, cause: problem.cause };
  if (problem.status >= 500) console.error(line);
  else if (problem.cause !== undefined) console.debug(line);
  return respondWithProblem(c, problem);
}

function toProblem(error: Error): Problem {
  if (error instanceof Problem) return error;
  return isDatabaseOutage(error) ? serviceUnavailable(error) : new Problem("internal-error", { cause: error });
}
