/**
 * `POST /mcp`: the tenant API as tools for agents (Model Context Protocol, Streamable HTTP with JSON answers). Revision 2026-07-28
 * has no sessions, and nothing is kept between two requests; those that open with `initialize` are answered in the same way.
 *
 * A call of a tool is a request of its operation: the same checks, limits and answers, and it is counted as that, once.
 */
import type { Context } from "hono";
import { unauthorized } from "../access/admission.ts";
import type { AppEnv } from "../http/app-env.ts";
import { handleError } from "../http/problem-response.ts";
import { readJsonBody } from "../http/read-body.ts";
import { Routes } from "../http/routes.ts";
import { Problem } from "../problem.ts";
import { createApiKeyAuthentication } from "../tenant/authenticate-api-key.ts";
import type { TenantEnv } from "../tenant/operation.ts";
import { createTenantRoutes, type TenantMemory } from "../tenant/routes.ts";
import { operationOf, toolsFor, toRequest } from "./tools.ts";

const NEWEST = "2026-07-28";
/** Of those with `initialize`, the newest first. */
const WITH_INITIALIZE = ["2025-11-25", "2025-06-18"];
const SUPPORTED = [NEWEST, ...WITH_INITIALIZE];

const META = "io.modelcontextprotocol/";
const SERVER = { name: "edge-access-api", version: "1" };
const CAPABILITIES = { tools: {} };

/** For so long a client may keep what does not depend on the key, and the list of tools, in milliseconds. */
const KEPT_MS = { discovery: 3_600_000, tools: 60_000 };

type Fields = Readonly<Record<string, unknown>>;
type Message = { readonly id: string | number; readonly method: string; readonly params: Fields };

/** An error of JSON-RPC. `status` is that of HTTP. */
class RpcError extends Error {
  readonly code: number;
  readonly status: 200 | 400 | 404;
  readonly data: object | undefined;

  constructor(
    code: number,
    {
      message,
      status = 400,
      data,
    }: { readonly message: string; readonly status?: 200 | 400 | 404 | undefined; readonly data?: object | undefined },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

const invalidRequest = (message: string) => new RpcError(-32600, { message });
const headerMismatch = (name: string) => new RpcError(-32020, { message: `${name} does not match the body` });

const toFields = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;

export function createMcpRoutes(memory: TenantMemory) {
  const authenticate = createApiKeyAuthentication(memory);
  /** The request of the client, by that of the operation: both have one id, one log line and one count of calls to stores. */
  const outerOf = new WeakMap<Request, Context<TenantEnv>>();
  const operations = new Routes<AppEnv>();
  operations.use(async (c, next) => {
    const outer = outerOf.get(c.req.raw);
    if (outer !== undefined) for (const name of SHARED) c.set(name, outer.get(name));
    await next();
    outer?.set("operation", c.get("operation"));
  });
  operations.route("/", createTenantRoutes(memory));
  operations.onError(handleError);

  async function callTool(c: Context<TenantEnv>, { params }: Message): Promise<object | Response> {
    const operation = operationOf(params.name);
    if (operation === undefined) throw new RpcError(-32602, { message: "There is no such tool", status: 200 });
    let answer: Response;
    try {
      const request = toRequest(operation, {
        given: toFields(params.arguments) ?? {},
        origin: new URL(c.req.url).origin,
        headers: headersOf(c),
      });
      outerOf.set(request, c);
      answer = await operations.fetch(request, c.env, c.executionCtx);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      answer = handleError(error, c);
    }
    const isUnauthorized = answer.status === 401;
    for (const [name, value] of answer.headers) if (isUnauthorized || name !== "content-type") c.header(name, value);
    if (isUnauthorized) return c.body(await answer.text(), 401);
    const wait = answer.headers.get("Retry-After");
    const texts = [await answer.text(), ...(wait === null ? [] : [`Retry-After: ${wait}`])];
    return { content: texts.map((text) => ({ type: "text", text: text || "Done." })), isError: !answer.ok };
  }

  async function answerTo(c: Context<TenantEnv>, message: Message): Promise<object | Response> {
    if (message.method === "tools/call") return callTool(c, message);
    c.set("operation", "mcp");
    const { scopes } = await authenticate(c, null, keyOf(c));
    switch (message.method) {
      case "initialize": {
        const asked = message.params.protocolVersion;
        const protocolVersion = WITH_INITIALIZE.find((version) => version === asked) ?? WITH_INITIALIZE[0];
        return { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER };
      }
      case "server/discover":
        return {
          supportedVersions: SUPPORTED,
          capabilities: CAPABILITIES,
          ttlMs: KEPT_MS.discovery,
          cacheScope: "public",
        };
      case "ping":
        return {};
      case "tools/list":
        return { tools: toolsFor(scopes), ttlMs: KEPT_MS.tools, cacheScope: "private" };
      default:
        throw new RpcError(-32601, { message: "Method not found", status: isNewest(c) ? 404 : 200 });
    }
  }

  const routes = new Routes<TenantEnv>();
  routes.post("/mcp", async (c) => {
    // A page of another site cannot read the answer, and has no key: the protocol wants it refused all the same.
    const origin = c.req.header("Origin");
    if (origin !== undefined && origin !== new URL(c.req.url).origin)
      throw new Problem("forbidden", { detail: "Browsers' pages of other origins may not use this." });
    // The body is read only for who has a key. Its tag is checked without I/O.
    const key = await memory.apiKeys.verify(keyOf(c), c.get("settings").signingKeys);
    if (!key.ok) throw unauthorized(key.reason);
    let id: unknown = null;
    try {
      const body = await readMessage(c);
      id = toFields(body)?.id ?? null;
      const message = toMessage(body);
      if (message === undefined) return c.body(null, 202);
      checkVersion(c, message);
      const result = await answerTo(c, message);
      if (result instanceof Response) return result;
      const meta = { [`${META}serverInfo`]: SERVER };
      return c.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result, _meta: meta } });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data, status } = error;
      return c.json({ jsonrpc: "2.0", id, error: { code, message, data } }, status);
    }
  });
  return routes;
}

/** The values that the operation's request takes over from the client's. */
const SHARED = ["requestId", "problemLog", "settings", "calls"] as const;

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

/** Throws `payload-too-large` and `unsupported-media-type` as they are. */
async function readMessage(c: Context): Promise<unknown> {
  try {
    return (await readJsonBody(c.req.raw)).value;
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid-request")
      throw new RpcError(-32700, { message: error.message });
    throw error;
  }
}

/** Undefined for a notification: there is none that says something. */
function toMessage(body: unknown): Message | undefined {
  const { jsonrpc, id, method, params = {} } = toFields(body) ?? {};
  const fields = toFields(params);
  if (jsonrpc !== "2.0" || typeof method !== "string" || fields === undefined)
    throw invalidRequest("Send one request or notification of JSON-RPC 2.0");
  if (id === undefined) return undefined;
  if (typeof id !== "string" && !Number.isInteger(id)) throw invalidRequest("`id` must be a string or an integer");
  return { id: id as string | number, method, params: fields };
}

const VERSION_HEADER = "MCP-Protocol-Version";
const isNewest = (c: Context) => c.req.header(VERSION_HEADER) === NEWEST;

/**
 * Of the newest version: the headers must say what the body says (Streamable HTTP, "Server Validation"). The name of a tool is never one
 * that a client would encode.
 */
function checkVersion(c: Context, { method, params }: Message): void {
  const { [`${META}protocolVersion`]: inBody, [`${META}clientCapabilities`]: capabilities } =
    toFields(params._meta) ?? {};
  const inHeader = c.req.header(VERSION_HEADER);
  const requested = inBody ?? inHeader;
  if (requested !== undefined && !SUPPORTED.some((version) => version === requested))
    throw new RpcError(-32022, {
      message: "Unsupported protocol version",
      status: 400,
      data: { supported: SUPPORTED, requested },
    });
  if (requested !== NEWEST) return;
  if (inBody === undefined || toFields(capabilities) === undefined)
    throw new RpcError(-32602, { message: "`_meta` needs the protocol's version and the client's capabilities" });
  if (inBody !== inHeader) throw headerMismatch(VERSION_HEADER);
  if (c.req.header("Mcp-Method") !== method) throw headerMismatch("Mcp-Method");
  if (method === "tools/call" && c.req.header("Mcp-Name") !== params.name) throw headerMismatch("Mcp-Name");
}
