/**
 * Sends a deployment three requests that need no credential: the health check, a request with a forged API key, which must be refused,
 * and the OpenAPI document.
 */
import { setTimeout } from "node:timers/promises";
import { Failure } from "../command-line/failure.ts";
import { commandLine } from "./arguments.ts";

type Check = {
  readonly name: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** What the body must have. */
  readonly contains: string;
};

const FORGED_KEY = `ibk_${"0".repeat(47)}`;

const CHECKS: readonly Check[] = [
  { name: "GET /health", path: "/health", status: 200, contains: "" },
  {
    name: "a forged API key",
    path: "/tenant/whoami",
    headers: { "X-API-Key": FORGED_KEY },
    status: 401,
    contains: '"error":"unauthorized"',
  },
  { name: "GET /openapi.json", path: "/openapi.json", status: 200, contains: '"openapi"' },
];

const REPEAT_MS = 2_000;

/**
 * Tries until every check has passed, or for `seconds`: a new address takes a moment to exist. Returns a line for each check.
 * Throws a Failure with the last answers.
 */
export async function smokeTest(origin: string, seconds: number, environment: string): Promise<readonly string[]> {
  const until = Date.now() + seconds * 1_000;
  for (;;) {
    const results = await Promise.all(CHECKS.map((check) => run(origin, check)));
    if (results.every(({ passed }) => passed)) return results.map(({ line }) => line);
    if (Date.now() + REPEAT_MS > until) {
      throw new Failure(
        `${origin} does not answer as it should:\n${results.map(({ line, passed }) => `  ${passed ? "ok  " : "FAIL"} ${line}`).join("\n")}\n` +
          `Look at the log (\`npx wrangler tail --env "${environment}"\`). \`${commandLine("rollback", environment)}\` returns to the version before.`,
      );
    }
    await setTimeout(REPEAT_MS);
  }
}

async function run(origin: string, { name, path, headers = {}, status, contains }: Check) {
  try {
    const response = await fetch(new URL(path, origin), {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    const body = await response.text();
    const passed = response.status === status && body.includes(contains);
    return {
      passed,
      line: `${name}: ${response.status}${passed ? "" : `, expected ${status}. ${body.slice(0, 200)}`}`,
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { passed: false, line: `${name}: ${cause instanceof Error ? cause.message : cause}` };
  }
}
