/** An application with an empty memory: the same as in a new isolate. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as realEnv } from "cloudflare:workers";
import { createAccess } from "../../src/worker/access/entrypoint.ts";
import type { Identify } from "../../src/worker/account/identity/identity.ts";
import { createApp, createMemory } from "../../src/worker/app.ts";
import type { Send } from "../../src/worker/deliveries/send.ts";
import { checkAgainstDocument } from "./document-check.ts";

type Access = InstanceType<ReturnType<typeof createAccess>>;

export type Isolate = {
  /** Sends a request, waits for what the Worker does after its answer too, and checks the answer against the document. */
  request(path: string, init?: RequestInit, env?: Env, onAnswer?: () => void): Promise<Response>;
  /** Calls the entrypoint `Access` of the same memory, as another Worker does, and waits as `request` does. */
  ask<Answer>(question: (access: Access) => Promise<Answer>): Promise<Answer>;
  /** Does what is due a while after the answers: the end of leases, the report of a flood. Until then, that while has not passed. */
  elapse(): Promise<void>;
};

/** A receiver of webhooks that takes everything. */
export const takeAll: Send = async () => ({ status: 204, retryAfter: null });

export function createIsolate(env: Env = realEnv, identify?: Identify, send: Send = takeAll): Isolate {
  const due: (() => Promise<void>)[] = [];
  const memory = createMemory((_, work) => due.push(work), send);
  const app = createApp(identify, memory);
  const Access = createAccess(memory);
  return {
    async ask(question) {
      const context = createExecutionContext();
      const answer = await question(new Access(context, env));
      await waitOnExecutionContext(context);
      return answer;
    },
    async elapse() {
      for (const work of due.splice(0)) await work();
    },
    async request(path, init, otherEnv = env, onAnswer = () => {}) {
      const context = createExecutionContext();
      const request = new Request(`https://api.example${path}`, init);
      const { method, url } = request;
      const response = await app.fetch(request, otherEnv, context);
      onAnswer();
      await waitOnExecutionContext(context);
      const isPage = response.headers.get("Content-Type")?.startsWith("text/html") || response.status === 303;
      // The answers of another protocol.
      const isRpc = path === "/mcp" && response.headers.get("Content-Type") === "application/json";
      // What a board's page asks for itself is no API.
      const isOfPage = /^\/b\/[^/]+\/(?:session|token)$/.test(path);
      if (method !== "HEAD" && method !== "OPTIONS" && !isPage && !isRpc && !isOfPage) {
        await checkAgainstDocument(method, new URL(url).pathname, response.clone());
      }
      return response;
    },
  };
}
