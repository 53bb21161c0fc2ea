/** The application: the middleware of every request, the routes, and the memory that they share in an isolate. */
import type { AccountApp } from "./account/app.ts";
import type { Identify } from "./account/identity.ts";
import { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import { type Send, sendByFetch } from "./changes/send.ts";
import { Databases } from "./database/databases.ts";
import type { AppEnv } from "./http/app-env.ts";
import { addMiddleware } from "./http/every-request.ts";
import { isDrawn, noteDraw } from "./http/observe.ts";
import { ProblemLog } from "./http/problem-log.ts";
import { pathOfGet, type RawRequest } from "./http/raw-request.ts";
import { Routes } from "./http/routes.ts";
import { untilDone } from "./http/until-done.ts";
import { IdeaBankViews } from "./idea-bank/views.ts";
import { createLeakRoutes } from "./leaks/routes.ts";
import { type Later, runLater } from "./memory/deadline.ts";
import { createOperatorRoutes } from "./operator/routes.ts";
import { TokenReader } from "./panelist/authenticate-panelist.ts";
import { getChangelogFromMemory } from "./panelist/idea-bank.ts";
import { createPanelistRoutes } from "./panelist/routes.ts";
import { SettingsReader } from "./settings.ts";
import { VerifiedApiKeys } from "./tenant/authenticate-api-key.ts";
import { createTenantRoutes } from "./tenant/routes.ts";
import { getWhoamiFromMemory, refuseForgedKey } from "./tenant/whoami.ts";

const ACCOUNT = "/account/*";
/** Where API keys are changed: their gates hear of each change, also when whoever made it has left. */
const CHANGING_KEYS = [ACCOUNT, "/operator/*", "/leaks/*"];

/**
 * A new application with an empty memory, as a new isolate has. `identify` finds the account owner, by default with Cloudflare Access;
 * `later` does what is due a while after an answer; `send` calls the receivers of webhooks.
 */
export function createApp(identify?: Identify, later: Later = runLater, send: Send = sendByFetch) {
  const databases = new Databases();
  const memory = {
    apiKeys: new VerifiedApiKeys(),
    gatekeeper: new Gatekeeper(later),
    views: new IdeaBankViews(),
    databases,
    tokens: new TokenReader(),
    send,
    settingsReader: new SettingsReader(),
    problemLog: new ProblemLog(),
  };
  const { settingsReader } = memory;
  let account: AccountApp | undefined;
  const app = new Routes<AppEnv>();

  for (const path of CHANGING_KEYS) app.use(path, untilDone);
  // Before the middleware, because Account Settings adds the same to its own routes. Most isolates never load it.
  app.all(ACCOUNT, async (c) => {
    const { createAccountApp } = await import("./account/app.ts");
    account ??= createAccountApp(memory, identify);
    return account.fetch(c.req.raw, c.env, c.executionCtx);
  });
  addMiddleware(app, memory);
  app.use(function provideAnchor(c, next) {
    databases.anchorMs = c.get("settings").anchorMs;
    return next();
  });

  app.route("/", createTenantRoutes(memory));
  app.route("/", createPanelistRoutes(memory));
  app.route("/", createOperatorRoutes(memory));
  app.route("/", createLeakRoutes(memory.gatekeeper));

  const answerFromMemory = (request: RawRequest, settings: AppEnv["Variables"]["settings"]) =>
    getChangelogFromMemory(request, memory, settings) ?? getWhoamiFromMemory(request, memory, settings);

  return {
    /** All but those of Account Settings. */
    routes: app.routes,
    fetch(request: Request, env: AppEnv["Bindings"], executionCtx: ExecutionContext): Response | Promise<Response> {
      const settings = env.REQUESTS === undefined ? settingsReader.peek(env) : undefined;
      if (settings !== undefined) {
        // A request that is logged or measured takes the longer way.
        const isLogged = isDrawn(env);
        const raw = { request, path: pathOfGet(request), env, executionCtx };
        const answer = isLogged ? undefined : answerFromMemory(raw, settings);
        if (answer !== undefined) return answer;
        noteDraw(request, isLogged);
        const refused = isLogged ? undefined : refuseForgedKey(raw, memory, settings);
        if (refused !== undefined) return refused.then((refusal) => refusal ?? app.fetch(request, env, executionCtx));
      }
      return app.fetch(request, env, executionCtx);
    },
  };
}
