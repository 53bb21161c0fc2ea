/** The application: the routes, and the memory that they share in an isolate. */
import { VerifiedApiKeys } from "./access/admit-key.ts";
import { TokenReader } from "./access/open-idea-bank.ts";
import type { AccountApp } from "./account/app.ts";
import type { Identify } from "./account/identity/identity.ts";
import { Gatekeeper } from "./api-key-gate/gatekeeper.ts";
import { type Send, sendByFetch } from "./deliveries/send.ts";
import type { AppEnv } from "./http/app-env.ts";
import { BodyShares } from "./http/body-shares.ts";
import { createEveryRequest } from "./http/every-request.ts";
import { FILES_OF_DEVELOPERS, leadFromStart, startPage } from "./http/pages.ts";
import { notHere } from "./http/pages-host.ts";
import { ProblemLog } from "./http/problem-log.ts";
import { routeOperations } from "./http/route-operations.ts";
import { Routes } from "./http/routes.ts";
import { varyingByAccept } from "./panelist/answer-view.ts";
import { CROSS_ORIGIN_HEADERS } from "./panelist/cross-origin.ts";
import { createViewRoutes, PANELIST_PATHS } from "./panelist/view-routes.ts";
import type { createPublicPages } from "./public-page/app.ts";
import { SettingsReader } from "./settings.ts";
import { Databases } from "./store/databases.ts";
import { type Later, runLater } from "./store/deadline.ts";
import { createApiKeyAuthentication, createTenantAnswer } from "./tenant/answer-tenant.ts";
import type { TenantEnv, TenantOperation } from "./tenant/operation.ts";
import { API_KEY_OPERATIONS } from "./tenant/whoami.ts";
import { PublicPages } from "./view/public-pages.ts";
import { IdeaBankViews } from "./view/views.ts";

type Answer = Parameters<Routes<AppEnv>["notFound"]>[0];
type PageApp = ReturnType<typeof createPublicPages>;

/** The memory of a new isolate. `later` runs work some time after an answer. `send` calls the receivers of webhooks. */
export function createMemory(later: Later = runLater, send: Send = sendByFetch) {
  const shared = {
    apiKeys: new VerifiedApiKeys(),
    gatekeeper: new Gatekeeper(later),
    views: new IdeaBankViews(),
    publicPages: new PublicPages(),
    databases: new Databases(),
    tokens: new TokenReader(),
    send,
    settingsReader: new SettingsReader(),
    problemLog: new ProblemLog(),
    bodyShares: new BodyShares(),
  };
  let pages: PageApp | undefined;
  // Boards' own pages, and their memory: many isolates are never asked for one.
  const loadPages = async (): Promise<PageApp> => {
    const { createPublicPages } = await import("./public-page/app.ts");
    pages ??= createPublicPages(shared);
    return pages;
  };
  return { ...shared, loadPages, loadPreview: async () => (await loadPages()).preview };
}

/** A new application. `identify` finds the account owner, by default with Cloudflare Access. */
export function createApp(identify?: Identify, memory = createMemory()) {
  let account: AccountApp | undefined;
  const app = new Routes<AppEnv>();

  for (const path of ["/b/*", "/sitemap.xml", "/robots.txt"])
    app.all(path, async (c) => (await memory.loadPages()).routes.fetch(c.req.raw, c.env, c.executionCtx));
  // Most isolates never load it.
  app.all("/account/*", async (c) => {
    const { createAccountApp } = await import("./account/app.ts");
    account ??= createAccountApp(memory, identify);
    return account.fetch(c.req.raw, c.env, c.executionCtx);
  });
  const everyRequest = createEveryRequest(memory);
  const everyCrossOrigin = varyingByAccept(createEveryRequest(memory, CROSS_ORIGIN_HEADERS));
  const answerTenant = createTenantAnswer(createApiKeyAuthentication(memory), memory.views, memory.send);
  app.route("/", routeOperations<TenantEnv, TenantOperation>(API_KEY_OPERATIONS, answerTenant, everyRequest));
  app.route("/", createViewRoutes(memory, everyCrossOrigin));

  app.get("/", async (c) => {
    const lead = await leadFromStart(c, () => memory.publicPages.onlyPage(memory.databases, c));
    return lead === undefined ? startPage(c) : everyRequest(c, () => lead);
  });
  // Files that the Worker is asked for first (wrangler.toml), because the host of boards' pages does not have them.
  for (const path of FILES_OF_DEVELOPERS) app.get(path, (c) => notHere(c) ?? c.env.ASSETS.fetch(c.req.raw));

  /** Routes that are loaded when one of them is first asked for. Each request awaits its own `import()`. */
  const onDemand = <E extends AppEnv>(load: () => Promise<() => Routes<E>>) => {
    let routes: Routes<AppEnv> | undefined;
    return async (): Promise<Routes<AppEnv>> => {
      const create = await load();
      if (routes !== undefined) return routes;
      routes = new Routes<AppEnv>();
      routes.route("/", create());
      routes.notFound(answerOther);
      return routes;
    };
  };
  // An isolate serves panelists or tenants; few serve both.
  const loadTenant = onDemand(async () => {
    const { createTenantRoutes } = await import("./tenant/routes.ts");
    return () => createTenantRoutes(memory, everyRequest);
  });
  const loadMcp = onDemand(async () => {
    const { createMcpRoutes } = await import("./mcp/routes.ts");
    return () => createMcpRoutes(memory, everyRequest);
  });
  const loadParticipation = onDemand(async () => {
    const { createParticipationRoutes } = await import("./panelist/routes.ts");
    return () => createParticipationRoutes(memory, everyCrossOrigin);
  });
  const loaded = [
    ["/tenant/*", loadTenant],
    ["/mcp", loadMcp],
    ...PANELIST_PATHS.map((path) => [path, loadParticipation] as const),
  ] as const;
  for (const [path, load] of loaded) app.all(path, async (c) => (await load()).fetch(c.req.raw, c.env, c.executionCtx));

  let others: Routes<AppEnv> | undefined;
  const answerOther: Answer = async (c) => {
    const { createOtherRoutes } = await import("./on-demand.ts");
    if (others === undefined) {
      const all = await Promise.all([loadTenant(), loadMcp(), loadParticipation()]);
      const routes = [app, ...all].flatMap((each) => each.routes);
      others ??= createOtherRoutes({ routes }, memory, { everyRequest, everyCrossOrigin });
    }
    return others.fetch(c.req.raw, c.env, c.executionCtx);
  };
  app.notFound(answerOther);
  return app;
}
