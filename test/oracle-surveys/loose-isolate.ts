/** As `createIsolate`, without the check of a conflict against the document, which does not describe its `errors` yet. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as realEnv } from "cloudflare:workers";
import { createApp, createMemory } from "../../src/worker/app.ts";
import { checkAgainstDocument } from "../support/document-check.ts";
import { createIsolate, type Isolate, takeAll } from "../support/isolate.ts";

export function createLooseIsolate(env: Env = realEnv): Isolate {
  const app = createApp(
    undefined,
    createMemory(() => {}, takeAll),
  );
  return {
    ...createIsolate(env),
    async request(path, init, otherEnv = env) {
      const context = createExecutionContext();
      const response = await app.fetch(new Request(`https://api.example${path}`, init), otherEnv, context);
      await waitOnExecutionContext(context);
      const { method = "GET" } = init ?? {};
      if (response.status !== 409) await checkAgainstDocument(method, path.split("?")[0] ?? "", response.clone());
      return response;
    },
  };
}
