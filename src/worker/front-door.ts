/**
 * The front door: the middleware of every request, the routes of everything but Account Settings, and the memory that they share in an
 * isolate.
 */
import { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import { type Send, sendByFetch } from "./changes/send.ts";
import { Databases } from "./database/databases.ts";
import {
  answerAccountFailure,
  boundAccountSettings,
  type FindAccountSettings,
  forwardAccount,
} from "./forward-account.ts";
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
 * A new front door with an empty memory, as a new isolate has. `later` does what is due a while after an answer; `send` calls the
 * receivers of webhooks; `findAccountSettings` finds the Worker that answers `/account`.
 */
export function createFrontDoor(
  later: Later = runLater,
  send: Send = sendByFetch,
  findAccountSettings: FindAccountSettings = boundAccountSettings,
) {
  const settingsReader = new SettingsReader();
  const databases = new Databases();
  const memory = {
    apiKeys: new VerifiedApiKeys(),
    gatekeeper: new Gatekeeper(later),
    views: new IdeaBankViews(),
    databases,
    tokens: new TokenReader(),
    send,
    problemLog: new ProblemLog(),
  };
  const app = new Routes<AppEnv>();

  for (const path of CHANGING_KEYS) app.use(path, untilDone);
  app.all(ACCOUNT, forwardAccount(memory.gatekeeper, findAccountSettings));
  addMiddleware(app, settingsReader, memory.problemLog);
  app.use(function provideAnchor(c, next) {
    databases.anchorMs = c.get("settings").anchorMs;
    return next();
  });

  app.route("/", createTenantRoutes(memory));
  app.route("/", createPanelistRoutes(memory));
  app.route("/", createOperatorRoutes(memory));
  app.route("/", createLeakRoutes(memory.gatekeeper));
  app.all(ACCOUNT, answerAccountFailure);

  const answerFromMemory = (request: RawRequest, settings: AppEnv["Variables"]["settings"]) =>
    getChangelogFromMemory(request, memory, settings) ?? getWhoamiFromMemory(request, memory, settings);

  return {
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
