/**
 * `POST /mcp`: the tenant API as tools for agents (Model Context Protocol, Streamable HTTP with JSON answers). Revision 2026-07-28
 * has no sessions, and nothing is kept between two requests; those that open with `initialize` are answered in the same way.
 *
 * A call of a tool is a request of its operation: the same checks, limits and answers, and it is counted as that, once.
 */
import type { Context } from "hono";
import { scopeRefusal, unauthorized } from "../access/admit-key.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { handleError } from "../http/problem-response.ts";
import { JSON_TYPE } from "../http/read-body.ts";
import { Routes } from "../http/routes.ts";
import { Problem } from "../problem.ts";
import type { AuthenticateApiKey, AuthenticatedTenant } from "../tenant/answer-tenant.ts";
import type { TenantEnv } from "../tenant/operation.ts";
import { createTenantRoutes, type TenantMemory } from "../tenant/routes.ts";
import { type Admitted, createAdmission } from "./admit.ts";
import { toRequest, toShown } from "./calls.ts";
import {
  META,
  type Message,
  RpcError,
  readMessage,
  SUPPORTED,
  toFields,
  toMessage,
  WITH_INITIALIZE,
} from "./message.ts";
import { toolOf, toolsFor } from "./tools.ts";

const SERVER = { name: "edge-access-api", version: "1" };
const CAPABILITIES = { tools: {} };

/** For so long a client may keep what does not depend on the key, and the list of tools, in milliseconds. */
const KEPT_MS = { discovery: 3_600_000, tools: 60_000 };

/** The schemes of what `keyOf` takes. */
const CHALLENGES = 'ApiKey realm="tenant", Bearer realm="tenant"';

/** Headers that describe an operation's body, which is only a part of the answer here. */
const OF_THE_RESOURCE = ["content-type", "etag", "location"];

/** The operation of a request that calls no tool. */
const LOOKED = "mcp";

export function createMcpRoutes(memory: TenantMemory, everyRequest: EveryRequest) {
  const admit = createAdmission(memory);
  /** The request of the client, by that of the operation: both have one id, one log line and one count of calls to stores. */
  const outerOf = new WeakMap<Request, { readonly c: Context<TenantEnv>; readonly admitted: AuthenticatedTenant }>();
  const useAdmission: AuthenticateApiKey = async (c, scope) => {
    const outer = outerOf.get(c.req.raw);
    if (outer === undefined) return unauthorized("missing");
    const { tenant } = outer.admitted;
    c.set("tenant", tenant);
    c.set("apiKeyId", outer.c.get("apiKeyId"));
    return scopeRefusal(tenant, scope) ?? outer.admitted;
  };
  const operations = new Routes<AppEnv>();
  operations.use(async (c, next) => {
    const outer = outerOf.get(c.req.raw)?.c;
    if (outer !== undefined) for (const name of SHARED) c.set(name, outer.get(name));
    await next();
  });
  operations.route("/", createTenantRoutes(memory, undefined, useAdmission));
  operations.onError(handleError);

  async function callTool(c: Context<TenantEnv>, { params }: Message, admit: Admitted): Promise<object> {
    const tool = toolOf(params.name);
    if (tool === undefined) throw new RpcError(-32602, { message: "There is no such tool", status: 200 });
    const name = String(params.name);
    c.set("operation", name);
    const given = toFields(params.arguments) ?? {};
    let answer: Response;
    try {
      const admitted = admit(name);
      const request = toRequest(tool, {
        given,
        origin: new URL(c.req.url).origin,
        headers: headersOf(c),
      });
      outerOf.set(request, { c, admitted });
      answer = await operations.fetch(request, c.env, c.executionCtx);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      answer = handleError(error, c);
    }
    for (const [header, value] of answer.headers) if (!OF_THE_RESOURCE.includes(header)) c.header(header, value);
    const wait = answer.headers.get("Retry-After");
    const text = await answer.text();
    const texts = [answer.ok ? toShown(tool, given, text) : text, ...(wait === null ? [] : [`Retry-After: ${wait}`])];
    return { content: texts.map((text) => ({ type: "text", text: text || "Done." })), isError: !answer.ok };
  }

  async function answerTo(c: Context<TenantEnv>, message: Message, admitted: Admitted): Promise<object> {
    const { method, params, isNewest } = message;
    if (method === "tools/call") return callTool(c, message, admitted);
    const { scopes } = admitted(LOOKED).tenant;
    if (method === "tools/list")
      return { tools: toolsFor(scopes), ...(isNewest && { ttlMs: KEPT_MS.tools, cacheScope: "private" }) };
    if (isNewest && method === "server/discover")
      return {
        supportedVersions: SUPPORTED,
        capabilities: CAPABILITIES,
        ttlMs: KEPT_MS.discovery,
        cacheScope: "public",
      };
    if (!isNewest && method === "initialize") {
      const protocolVersion = WITH_INITIALIZE.find((version) => version === params.protocolVersion);
      return {
        protocolVersion: protocolVersion ?? WITH_INITIALIZE[0],
        capabilities: CAPABILITIES,
        serverInfo: SERVER,
      };
    }
    if (!isNewest && method === "ping") return {};
    throw new RpcError(-32601, { message: "Method not found", status: isNewest ? 404 : 200 });
  }

  const routes = new Routes<TenantEnv>();
  const answer = async (c: Context<TenantEnv>) => {
    // A page of another site cannot read the answer, and has no key. The protocol still wants it refused.
    const origin = c.req.header("Origin");
    if (origin !== undefined && origin !== new URL(c.req.url).origin)
      throw new Problem("forbidden", { detail: "Browsers' pages of other origins may not use this." });
    const admitted = await admit(c, keyOf(c));
    if (admitted instanceof Problem) {
      const response = handleError(admitted, c);
      response.headers.set("WWW-Authenticate", CHALLENGES);
      return response;
    }
    c.set("operation", LOOKED);
    let id = "null";
    try {
      const sent = await readMessage(c);
      id = sent.id;
      const message = toMessage(c, sent.body);
      if (message === undefined) {
        admitted(LOOKED);
        return c.body(null, 202);
      }
      const result = await answerTo(c, message, admitted);
      return respond(c, id, { result: message.isNewest ? inNewest(result) : result });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      admitted(LOOKED);
      const { code, message, data, status } = error;
      return respond(c, id, { error: { code, message, data } }, status);
    }
  };
  routes.post("/mcp", (c) => everyRequest(c, () => answer(c)));
  return routes;
}

/** `id` is JSON, as it was sent. */
const respond = (c: Context, id: string, outcome: object, status: 200 | 400 | 404 = 200): Response =>
  c.body(`{"jsonrpc":"2.0","id":${id},${JSON.stringify(outcome).slice(1)}`, status, { "Content-Type": JSON_TYPE });

/** The members of every result of the newest version. */
const inNewest = (result: object) => ({
  resultType: "complete",
  ...result,
  _meta: { [`${META}serverInfo`]: SERVER },
});

/** The values that the operation's request takes over from the client's. */
const SHARED = ["requestId", "problemLog", "bodyShares", "sender", "settings", "calls", "budget"] as const;

/** The key in `X-API-Key`, or in `Authorization: Bearer`, for which clients of the protocol have a setting. */
const keyOf = (c: Context): string | undefined =>
  c.req.header("X-API-Key") ?? /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];

function headersOf(c: Context): Headers {
  const headers = new Headers();
  const sent = {
    "X-API-Key": keyOf(c),
    "CF-Connecting-IP": c.req.header("CF-Connecting-IP"),
    "User-Agent": c.req.header("User-Agent"),
  };
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, value);
  return headers;
}
