/** `GET /tenant/whoami` (contract), and the same from memory. */
import type { AppEnv } from "../http/app-env.ts";
import { DEFAULT_HEADERS } from "../http/default-headers.ts";
import type { ProblemLog } from "../http/problem-log.ts";
import type { RawRequest } from "../http/raw-request.ts";
import { REQUEST_ID, requestIdOf } from "../http/request-id.ts";
import type { Problem } from "../problem.ts";
import { problemOf, unauthorized } from "./admission.ts";
import type { AuthenticationMemory } from "./authenticate-api-key.ts";
import { policyHeader, quotaHeader } from "./rate-limit-headers.ts";

type Settings = AppEnv["Variables"]["settings"];

const PATH = "/tenant/whoami";

export const toWhoami = (apiKeyId: string) => ({ apiKeyId });

/**
 * The answer from memory, synchronously and before any middleware, to a key with a lease or over its limit: what the longer way
 * would answer. Undefined when it is another request, or when memory alone cannot decide it.
 */
export function getWhoamiFromMemory(
  { request, path, env, executionCtx }: RawRequest,
  { apiKeys, gatekeeper }: AuthenticationMemory,
  settings: Settings,
): Response | undefined {
  if (path !== PATH) return undefined;
  const { headers } = request;
  const apiKey = apiKeys.peek(headers.get("X-API-Key") ?? "", settings.signingKeys);
  // Memory knows nothing of a key without a database: no gate has decided for it.
  if (apiKey === undefined) return undefined;
  const admission = gatekeeper.admitFromMemory(env.API_KEY_GATE, {
    apiKey,
    address: headers.get("CF-Connecting-IP"),
    operation: "whoami",
    sent: request,
    now: Date.now(),
    waitUntil: (promise) => executionCtx.waitUntil(promise),
  });
  if (admission === undefined) return undefined;
  const problem = problemOf(admission);
  const own = problem === undefined ? OK : headersOf(problem);
  own.set(REQUEST_ID, requestIdOf(headers.get(REQUEST_ID)));
  if (admission.outcome !== "refused") {
    own.set("RateLimit-Policy", policyHeader(admission.quota.rateLimit));
    own.set("RateLimit", quotaHeader(admission.quota));
  }
  return problem === undefined
    ? new Response(JSON.stringify(toWhoami(apiKey.id)), { headers: own })
    : new Response(problem.body, { status: problem.status, headers: own });
}

/** The refusal of a key whose tag is not right, before any middleware, too. Undefined when it is another request, or the tag is right. */
export function refuseForgedKey(
  { request, path }: Pick<RawRequest, "request" | "path">,
  { apiKeys, problemLog }: Pick<AuthenticationMemory, "apiKeys"> & { readonly problemLog: ProblemLog },
  { signingKeys }: Settings,
): Promise<Response | undefined> | undefined {
  if (path !== PATH) return undefined;
  const apiKey = request.headers.get("X-API-Key") ?? "";
  if (apiKeys.peek(apiKey, signingKeys) !== undefined) return undefined;
  return apiKeys.verify(apiKey, signingKeys).then((verified) => {
    if (verified.ok) return undefined;
    const problem = unauthorized(verified.reason);
    const requestId = requestIdOf(request.headers.get(REQUEST_ID));
    problemLog.add(requestId, problem, Date.now());
    const headers = headersOf(problem);
    headers.set(REQUEST_ID, requestId);
    return new Response(problem.body, { status: problem.status, headers });
  });
}

/** These serve one answer after the other, for a `Response` copies them: what an answer has of its own is set for each. */
const OK = new Headers({ ...DEFAULT_HEADERS, "Content-Type": "application/json" });
const refusals = new WeakMap<Problem, Headers>();

function headersOf(problem: Problem): Headers {
  const known = refusals.get(problem);
  if (known !== undefined) return known;
  const type = { "Content-Type": "application/problem+json" };
  const headers = new Headers({ ...DEFAULT_HEADERS, ...type, ...problem.headers });
  refusals.set(problem, headers);
  return headers;
}
