/** An application with an empty memory: what a request meets in a new isolate. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as realEnv } from "cloudflare:workers";
import { createApp } from "../../src/app.ts";

export type Isolate = {
  /** Sends a request and waits for what the Worker does after its answer too. */
  request(path: string, init?: RequestInit, env?: Env): Promise<Response>;
};

export function createIsolate(env: Env = realEnv): Isolate {
  const app = createApp();
  return {
    async request(path, init, otherEnv = env) {
      const context = createExecutionContext();
      const response = await app.fetch(new Request(`https://api.example${path}`, init), otherEnv, context);
      await waitOnExecutionContext(context);
      return response;
    },
  };
}
