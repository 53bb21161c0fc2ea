/** An agent with an API key, which uses `POST /mcp` through one isolate. */
import { env } from "cloudflare:workers";
import { countStores } from "./intercept.ts";
import { createIsolate } from "./isolate.ts";
import { addApiKey, type KeyOptions } from "./world.ts";

export const NOTHING = { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 };
export const NEWEST = "2026-07-28";

export type Tool = { name: string; inputSchema: Schema; annotations: Record<string, boolean> };
export type Schema = {
  type?: unknown;
  anyOf?: Schema[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema & { description?: string }>;
  required?: string[];
};
type Result = {
  content: { type: string; text: string }[];
  isError: boolean;
  tools: Tool[];
  resultType: string;
  [name: string]: unknown;
};
export type Answer = {
  jsonrpc: string;
  id: unknown;
  result: Result;
  error: { code: number; message: string; data?: object };
};

/** As a client of the newest version sends it. */
export function modern(method: string, params: object = {}, headers: Record<string, string> = {}) {
  const name = "name" in params ? { "Mcp-Name": String(params.name) } : {};
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: { "MCP-Protocol-Version": NEWEST, "Mcp-Method": method, ...name, ...headers },
    body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
  };
}

export async function createAgent(options: KeyOptions = {}, bindings: Env = env) {
  const key = await addApiKey({ limit: 10_000, ...options });
  const { env: counted, counts } = countStores(bindings);
  const isolate = createIsolate(counted);
  const post = (body: unknown, headers: Record<string, string> = {}) => {
    Object.assign(counts, NOTHING);
    return isolate.request("/mcp", {
      method: "POST",
      headers: { "X-API-Key": key.text, "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  };
  const ask = async (method: string, params: object = {}) => {
    const { headers, body } = modern(method, params);
    const response = await post(body, headers);
    return { response, status: response.status, ...(await response.json<Answer>()) };
  };
  const call = async (name: string, args: object = {}) => {
    const { response, result, error } = await ask("tools/call", { name, arguments: args });
    const [text = "", ...more] = result?.content.map((each) => each.text) ?? [];
    return {
      response,
      error,
      isError: result?.isError,
      text,
      more,
      json: text.startsWith("{") ? JSON.parse(text) : {},
    };
  };
  return { ...key, isolate, counts, post, ask, call };
}
