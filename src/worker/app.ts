/** The application: the middleware of every request, the routes, and the memory that they share in an isolate. */
import { type Identify, identifyByAccess } from "./account/identity.ts";
import { createAccountRoutes } from "./account/routes.ts";
import { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import { type Send, sendByFetch } from "./changes/send.ts";
import { Databases } from "./database/databases.ts";
import { readMethods } from "./http/allowed-methods.ts";
import type { AppEnv } from "./http/app-env.ts";
import { defaultHeaders } from "./http/default-headers.ts";
import { isLogged, observe } from "./http/observe.ts";
import { pageNotFound } from "./http/page-not-found.ts";
import { ProblemLog } from "./http/problem-log.ts";
import { handleError, respondWithProblem } from "./http/problem-response.ts";
import type { RawRequest } from "./http/raw-request.ts";
import { requestId } from "./http/request-id.ts";
import { Routes } from "./http/routes.ts";
import { IdeaBankViews } from "./idea-bank/views.ts";
import { type Later, runLater } from "./memory/deadline.ts";
import { createOperatorRoutes } from "./operator/routes.ts";
import { TokenReader } from "./panelist/authenticate-panelist.ts";
import { getChangelogFromMemory } from "./panelist/idea-bank.ts";
import { createPanelistRoutes } from "./panelist/routes.ts";
import { Problem } from "./problem.ts";
import { SettingsReader } from "./settings.ts";
import { VerifiedApiKeys } from "./tenant/authenticate-api-key.ts";
import { createTenantRoutes } from "./tenant/routes.ts";
import { getWhoamiFromMemory } from "./tenant/whoami.ts";

/**
 * A new application with an empty memory, as a new isolate has. `identify` finds the account owner; `later` does what is due a
 * while after an answer; `send` calls the receivers of webhooks.
 */
export function createApp(identify: Identify = identifyByAccess, later: Later = runLater, send: Send = sendByFetch) {
  const settingsReader = new SettingsReader();
  const problemLog = new ProblemLog();
  const databases = new Databases();
  const memory = {
    apiKeys: new VerifiedApiKeys(),
    gatekeeper: new Gatekeeper(later),
    views: new IdeaBankViews(),
    databases,
    tokens: new TokenReader(),
    send,
  };
  const app = new Routes<AppEnv>();

  app.use(requestId);
  app.use(observe);
  app.use(defaultHeaders);
  app.use(async function provideSettings(c, next) {
    c.set("problemLog", problemLog);
    const settings = await settingsReader.read(c.env);
    c.set("settings", settings);
    databases.anchorMs = settings.anchorMs;
    await next();
  });

  app.route("/", createTenantRoutes(memory));
  app.route("/", createPanelistRoutes(memory));
  app.route("/", createAccountRoutes(memory, identify));
  app.route("/", createOperatorRoutes(memory));

  const methodsOf = readMethods(() => app.routes);
  // Runs only for unmatched requests.
  app.notFound((c) => {
    const methods = methodsOf(c.req.path);
    if (methods.length === 0 || methods.includes(c.req.method))
      return pageNotFound(c) ?? respondWithProblem(c, new Problem("not-found"));
    return respondWithProblem(c, new Problem("method-not-allowed", { headers: { Allow: methods.join(", ") } }));
  });
  app.onError(handleError);

  const answerFromMemory = (request: RawRequest, settings: AppEnv["Variables"]["settings"]) =>
    getChangelogFromMemory(request, memory, settings) ?? getWhoamiFromMemory(request, memory, settings);

  return {
    routes: app.routes,
    fetch(request: Request, env: AppEnv["Bindings"], executionCtx: ExecutionContext): Response | Promise<Response> {
      const settings = env.REQUESTS === undefined ? settingsReader.peek(env) : undefined;
      // A request that is logged or measured takes the longer way.
      const answer = settings && !isLogged(request, env) && answerFromMemory({ request, env, executionCtx }, settings);
      return answer || app.fetch(request, env, executionCtx);
    },
  };
}
