/** How a problem leaves the Worker, and the log line of those that are ours. */
import type { Context } from "hono";
import { isDatabaseOutage } from "../database/outage.ts";
import { isQuotaExceeded } from "../database/quota.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import type { AppEnv } from "./app-env.ts";
import { logRefusal } from "./refusal-log.ts";

/** Any of our contexts: only what all of them have is used. */
type AnyContext = Pick<Context<AppEnv>, "body"> & { get(key: "requestId"): string };

export function respondWithProblem(c: AnyContext, problem: Problem): Response {
  return c.body(problem.body, problem.status, { "Content-Type": "application/problem+json", ...problem.headers });
}

/** The application's `onError`. */
export const handleError = (error: Error, c: AnyContext): Response => respondWithProblem(c, toProblem(error, c));

/** What an error is to the client. A defect gets a fixed sentence outside; everything is in the log. */
export function toProblem(error: Error, c: AnyContext): Problem {
  const problem = classify(error);
  const line = { requestId: c.get("requestId"), problem: problem.code, cause: problem.cause };
  if (problem.status >= 500) console.error(line);
  else if (problem.cause !== undefined) logRefusal(line, Date.now());
  return problem;
}

function classify(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (isQuotaExceeded(error)) return new Problem("quota-exceeded");
  return isDatabaseOutage(error) ? serviceUnavailable(error) : new Problem("internal-error", { cause: error });
}
