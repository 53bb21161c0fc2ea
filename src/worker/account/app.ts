/** Account Settings: the middleware of its requests, and its routes. */
import { type Send, sendByFetch } from "../changes/send.ts";
import { addMiddleware } from "../http/every-request.ts";
import { Routes } from "../http/routes.ts";
import { SettingsReader } from "../settings.ts";
import type { AccountCall, Gates } from "./contract.ts";
import { type Identify, identifyByAccess } from "./identity.ts";
import type { AccountEnv } from "./owner-env.ts";
import { createAccountRoutes } from "./routes.ts";

/** The bindings of this Worker itself: databases, and where data points go. */
export type OwnBindings = Pick<AccountEnv["Bindings"], "DB" | "REQUESTS">;

/** With an empty memory, as a new isolate has it. `identify` finds the account owner; `send` calls the receivers of webhooks. */
export function createAccountSettings(identify: Identify = identifyByAccess, send: Send = sendByFetch) {
  const app = new Routes<AccountEnv>();
  addMiddleware(app, new SettingsReader());
  app.route("/", createAccountRoutes(identify, send));
  return {
    routes: app.routes,
    async serve(
      request: Request,
      { signIn, gates, settings }: AccountCall,
      own: OwnBindings,
      executionCtx: ExecutionContext,
    ): Promise<Response> {
      // A stub over RPC has every property that it is asked for: what looks at bindings sees these two.
      const GATES: Gates = {
        forget: (apiKeyId) => gates.forget(apiKeyId),
        place: (apiKeyId, region) => gates.place(apiKeyId, region),
      };
      return app.fetch(request, { ...own, ...settings, GATES, SIGN_IN: signIn }, executionCtx);
    },
  };
}
