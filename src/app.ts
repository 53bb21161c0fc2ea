/** The application: what every request passes, and which routes answer. */
import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { type Identify, identifyByAccess } from "./account/identity.ts";
import { createAccountRoutes } from "./account/routes.ts";
import { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import { Changelogs } from "./changelog/changelogs.ts";
import type { AppEnv, IsolateMemory } from "./http/app-env.ts";
import { handleError, respondWithProblem } from "./http/problem-response.ts";
import { IdeaBankSnapshots } from "./idea-bank/snapshots.ts";
import { createPanelistRoutes } from "./panelist/routes.ts";
import { Problem } from "./problem.ts";
import { createSettingsReader } from "./settings.ts";
import { createTenantRoutes } from "./tenant/routes.ts";

/** What an answer carries unless it says otherwise. */
const STRICT = [
  ["Cache-Control", "no-store"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Referrer-Policy", "no-referrer"],
] as const;

/** A new application with an empty memory, as a new isolate has. `identify` tells who the account owner is. */
export function createApp(identify: Identify = identifyByAccess) {
  const memory: IsolateMemory = {
    readSettings: createSettingsReader(),
    gatekeeper: new Gatekeeper(),
    snapshots: new IdeaBankSnapshots(),
    changelogs: new Changelogs(),
  };
  const app = new Hono<AppEnv>();

  app.use(requestId({ limitLength: 64 }));
  app.use(
    secureHeaders({
      strictTransportSecurity: "max-age=31536000",
      xFrameOptions: "DENY",
      referrerPolicy: false,
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  );
  app.use(async function strictByDefault(c, next) {
    await next();
    const { headers } = c.res;
    for (const [name, value] of STRICT) if (!headers.has(name)) headers.set(name, value);
  });
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) =>
        respondWithProblem(c, new Problem("method-not-allowed", { headers: { Allow: methods.join(", ") } })),
    }),
  );

  app.route("/", createTenantRoutes(memory));
  app.route("/", createPanelistRoutes(memory));
  app.route("/", createAccountRoutes(memory, identify));

  app.notFound((c) => respondWithProblem(c, new Problem("not-found")));
  app.onError(handleError);
  return app;
}
