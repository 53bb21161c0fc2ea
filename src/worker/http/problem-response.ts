/** Turns errors into problem responses, and logs them. */
import type { Context } from "hono";
import { hasTooManyPrivateTags, hasTooManyTags, isQuotaExceeded } from "../database/quota.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import { isDatabaseOutage } from "../store/outage.ts";
import type { AppEnv } from "./app-env.ts";
import type { ProblemLog } from "./problem-log.ts";
import { traceIdOf } from "./trace.ts";

/** Any context of the application: the type lists only the members that all contexts have. */
type AnyContext = Pick<Context<AppEnv>, "body" | "req"> & {
  get(key: "requestId"): string;
  get(key: "traceId"): string | undefined;
  get(key: "problemLog"): ProblemLog;
};

export const PROBLEM_TYPE = "application/problem+json";

/** The problem document of an error, for those who cannot return or throw it. */
export function handleError(error: Error, c: AnyContext): Response {
  const problem = toProblem(error, c);
  return c.body(problem.body, problem.status, { "Content-Type": PROBLEM_TYPE, ...problem.headers });
}

/** The problem that the client gets for an error. For a defect it is a fixed text, and the details are only in the log. */
export function toProblem(error: Error, c: AnyContext): Problem {
  const problem = problemFor(error);
  c.get("problemLog").add({ requestId: c.get("requestId"), traceId: traceIdOf(c) }, problem, Date.now());
  return problem;
}

/** The problem for an error, without a line in the log. */
export function problemFor(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (isQuotaExceeded(error)) return new Problem("quota-exceeded");
  if (hasTooManyTags(error))
    return new Problem("conflict", {
      detail:
        "This idea bank already has the maximum of 200 tags. Use an existing tag, or first remove one from every proposal.",
    });
  if (hasTooManyPrivateTags(error))
    return new Problem("conflict", {
      detail:
        "Your account already has the maximum of 200 private tags. Use one of them, or first remove one from every idea.",
    });
  return isDatabaseOutage(error) ? serviceUnavailable(error) : new Problem("internal-error", { cause: error });
}
