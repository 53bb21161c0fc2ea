/** An application with an empty memory: what a request meets in a new isolate. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as realEnv } from "cloudflare:workers";
import { createApp } from "../../src/app.ts";
import { checkAgainstDocument } from "./document-check.ts";

export type Isolate = {
  /** Sends a request, waits for what the Worker does after its answer too, and holds the answer against the document. */
  request(path: string, init?: RequestInit, env?: Env): Promise<Response>;
};

export function createIsolate(env: Env = realEnv): Isolate {
  const app = createApp();
  return {
    async request(path, init, otherEnv = env) {
      const context = createExecutionContext();
      const request = new Request(`https://api.example${path}`, init);
      const { method, url } = request;
      const response = await app.fetch(request, otherEnv, context);
      await waitOnExecutionContext(context);
      if (method !== "HEAD" && method !== "OPTIONS") {
        await checkAgainstDocument(method, new URL(url).pathname, response.clone());
      }
      return response;
    },
  };
}
