/**
 * Sends a deployment requests that need no credential: the health check, one with a forged API key, which must be refused, the OpenAPI
 * document, and one to Account Settings, where nobody is signed in.
 */
import { setTimeout } from "node:timers/promises";
import { Failure } from "../../command-line/failure.ts";
import { whyNoAnswer } from "../../command-line/no-answer.ts";
import { createProgress } from "../../command-line/progress.ts";
import { commandLine, shellWord } from "../arguments.ts";
import type { Wrangler } from "../cloudflare/wrangler.ts";

type Check = {
  readonly name: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** Any of these. */
  readonly statuses: readonly number[];
  /** A text that the body must contain. */
  readonly contains: string;
};

const FORGED_KEY = `ibk_${"0".repeat(47)}`;

const CHECKS: readonly Check[] = [
  { name: "GET /health", path: "/health", statuses: [200], contains: "" },
  {
    name: "a forged API key",
    path: "/tenant/whoami",
    headers: { "X-API-Key": FORGED_KEY },
    statuses: [401],
    contains: '"error":"unauthorized"',
  },
  { name: "GET /openapi.json", path: "/openapi.json", statuses: [200], contains: '"openapi"' },
  // Cloudflare Access answers, or Account Settings itself.
  { name: "Account Settings, signed out", path: "/account/api/accounts", statuses: [302, 401, 403], contains: "" },
];

const REPEAT_MS = 2_000;

/**
 * Tries until every check has passed, or for `seconds`: a new address takes a moment to exist. Returns a line for each check.
 * Throws a Failure with the last answers, and the way back to `before`, the version that was live.
 */
export async function smokeTest(
  origin: string,
  {
    seconds,
    wrangler: { context, environment },
    before,
  }: { readonly seconds: number; readonly wrangler: Wrangler; readonly before: string | undefined },
): Promise<readonly string[]> {
  const until = Date.now() + seconds * 1_000;
  const progress = createProgress(context);
  for (;;) {
    const results = await Promise.all(CHECKS.map((check) => run(origin, check)));
    if (results.every(({ passed }) => passed)) return results.map(({ line }) => line);
    if (Date.now() + REPEAT_MS > until) {
      throw new Failure(
        `${origin} does not answer as it should:\n${results.map(({ line, passed }) => `  ${passed ? "ok  " : "FAIL"} ${line}`).join("\n")}\n` +
          `Look at the log: npx wrangler tail --env ${shellWord(environment)}${before === undefined ? "" : `\nTo return to the previous version: ${commandLine("rollback", environment, before)}`}`,
      );
    }
    const left = Math.round((until - Date.now()) / 1_000);
    progress(`Waiting until ${origin} answers as it should, for ${left} s at most`);
    await setTimeout(REPEAT_MS);
  }
}

async function run(origin: string, { name, path, headers = {}, statuses, contains }: Check) {
  try {
    const response = await fetch(new URL(path, origin), {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    const body = await response.text();
    const passed = statuses.includes(response.status) && body.includes(contains);
    return {
      passed,
      line: `${name}: ${response.status}${passed ? "" : `, expected ${statuses.join(" or ")}. ${body.slice(0, 200)}`}`,
    };
  } catch (error) {
    return { passed: false, line: `${name}: no answer, ${whyNoAnswer(error).words}` };
  }
}
