/** `GET /tenant/whoami` (contract), and the same from memory. */
import type { AppEnv } from "../http/app-env.ts";
import { DEFAULT_HEADERS } from "../http/default-headers.ts";
import { isGet, type RawRequest } from "../http/raw-request.ts";
import { REQUEST_ID, requestIdOf } from "../http/request-id.ts";
import { problemOf, rateLimitHeaders } from "./admission.ts";
import type { AuthenticationMemory } from "./authenticate-api-key.ts";

const PATH = "/tenant/whoami";

export const toWhoami = (apiKeyId: string) => ({ apiKeyId });

/**
 * The answer from memory, synchronously and before any middleware, to a key with a lease or over its limit: what the longer way
 * would answer. Undefined when it is another request, or when memory alone cannot decide it.
 */
export function getWhoamiFromMemory(
  { request, env, executionCtx }: RawRequest,
  { apiKeys, gatekeeper }: AuthenticationMemory,
  settings: AppEnv["Variables"]["settings"],
): Response | undefined {
  if (!isGet(request, PATH)) return undefined;
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
  const type = problem === undefined ? "application/json" : "application/problem+json";
  return new Response(problem?.body ?? JSON.stringify(toWhoami(apiKey.id)), {
    status: problem?.status ?? 200,
    headers: {
      ...DEFAULT_HEADERS,
      [REQUEST_ID]: requestIdOf(headers.get(REQUEST_ID)),
      "Content-Type": type,
      ...rateLimitHeaders(admission),
      ...problem?.headers,
    },
  });
}
