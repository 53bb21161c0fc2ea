/**
 * The messages of JSON-RPC 2.0 that come to `POST /mcp`, and the versions of the Model Context Protocol in which they are written.
 * An answer has only members that its version knows: official clients refuse others.
 */
import type { Context } from "hono";
import { readJsonBody } from "../http/read-body.ts";
import { Problem } from "../problem.ts";
import type { TenantEnv } from "../tenant/operation.ts";

const NEWEST = "2026-07-28";
/** The protocol versions with `initialize`, the newest first. */
export const WITH_INITIALIZE = ["2025-11-25", "2025-06-18"] as const;
export const SUPPORTED: readonly string[] = [NEWEST, ...WITH_INITIALIZE];

export const META = "io.modelcontextprotocol/";
const VERSION_HEADER = "MCP-Protocol-Version";

type Fields = Readonly<Record<string, unknown>>;

/** `isNewest`: it is of the newest version, which has no `initialize`. Otherwise it is of one of those that have. */
export type Message = { readonly method: string; readonly params: Fields; readonly isNewest: boolean };

/** An error of JSON-RPC. `status` is that of HTTP. */
export class RpcError extends Error {
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

export const toFields = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;

/** The body, and its `id` as JSON. Throws `payload-too-large` and `unsupported-media-type` as they are. */
export async function readMessage(c: Context<TenantEnv>): Promise<{ readonly body: unknown; readonly id: string }> {
  try {
    const { text, value: body } = await readJsonBody(c);
    const id = toFields(body)?.id;
    return { body, id: isId(id) ? (sourceOfLargeId(id, text) ?? JSON.stringify(id)) : "null" };
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid-request")
      throw new RpcError(-32700, { message: error.message });
    throw error;
  }
}

const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isInteger(id);

/**
 * An integer above 2^53 has digits that a number of JavaScript loses, and the client compares all of them. Throws `RpcError` for a
 * body that is nested so deeply that it cannot be read so.
 */
function sourceOfLargeId(id: string | number, text: string): string | undefined {
  if (typeof id === "string" || Number.isSafeInteger(id)) return undefined;
  const sources = new Map<unknown, string>();
  const keepSource = function (this: unknown, name: string, value: unknown, context?: { readonly source?: string }) {
    if (name === "id" && context?.source !== undefined) sources.set(this, context.source);
    return value;
  };
  try {
    return sources.get(JSON.parse(text, keepSource));
  } catch {
    throw invalidRequest("The body is nested too deeply");
  }
}

/** Undefined for a notification: there is none that says something. Throws `RpcError`. */
export function toMessage(c: Context, body: unknown): Message | undefined {
  const { jsonrpc, id, method, params } = toFields(body) ?? {};
  // Some clients send null for no parameters.
  const fields = toFields(params ?? {});
  if (jsonrpc !== "2.0" || typeof method !== "string" || fields === undefined)
    throw invalidRequest("Send one request or notification of JSON-RPC 2.0");
  if (id === undefined) return undefined;
  if (!isId(id)) throw invalidRequest("`id` must be a string or an integer");
  return { method, params: fields, isNewest: isNewest(c, method, fields) };
}

/**
 * Throws if the headers do not say what the body says (Streamable HTTP, "Server Validation"). The name of a tool is never one that
 * a client would encode.
 */
function isNewest(c: Context, method: string, { _meta, name }: Fields): boolean {
  const { [`${META}protocolVersion`]: inBody, [`${META}clientCapabilities`]: capabilities } = toFields(_meta) ?? {};
  const version = c.req.header(VERSION_HEADER);
  if (inBody !== undefined && inBody !== version) throw headerMismatch(VERSION_HEADER);
  if (version !== undefined && !SUPPORTED.includes(version))
    throw new RpcError(-32022, {
      message: "Unsupported protocol version",
      data: { supported: SUPPORTED, requested: version },
    });
  if (version !== NEWEST) return false;
  if (inBody === undefined || toFields(capabilities) === undefined)
    throw new RpcError(-32602, { message: "`_meta` needs the protocol's version and the client's capabilities" });
  if (c.req.header("Mcp-Method") !== method) throw headerMismatch("Mcp-Method");
  if (method === "tools/call" && c.req.header("Mcp-Name") !== name) throw headerMismatch("Mcp-Name");
  return true;
}
