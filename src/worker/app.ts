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
import { Routes } from "./http/routes.ts";
import { createMcpRoutes } from "./mcp/routes.ts";
import { varyingByAccept } from "./panelist/answer-view.ts";
import { CROSS_ORIGIN_HEADERS } from "./panelist/cross-origin.ts";
import { createPanelistRoutes } from "./panelist/routes.ts";
import type { createPublicPages } from "./public-page/app.ts";
import { SettingsReader } from "./settings.ts";
import { Databases } from "./store/databases.ts";
import { type Later, runLater } from "./store/deadline.ts";
import { createTenantRoutes } from "./tenant/routes.ts";
import { PublicPages } from "./view/public-pages.ts";
import { IdeaBankViews } from "./view/views.ts";

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
  app.route("/", createTenantRoutes(memory, everyRequest));
  app.route("/", createMcpRoutes(memory, everyRequest));
  app.route("/", createPanelistRoutes(memory, everyCrossOrigin));

  app.get("/", async (c) => {
    const lead = await leadFromStart(c, () => memory.publicPages.only(memory.databases, c));
    return lead === undefined ? startPage(c) : everyRequest(c, () => lead);
  });
  // Files that the Worker is asked for first (wrangler.toml), because the host of boards' pages does not have them.
  for (const path of FILES_OF_DEVELOPERS) app.get(path, (c) => notHere(c) ?? c.env.ASSETS.fetch(c.req.raw));

  let others: Routes<AppEnv> | undefined;
  app.notFound(async (c) => {
    const { createOtherRoutes } = await import("./on-demand.ts");
    others ??= createOtherRoutes(app, memory, { everyRequest, everyCrossOrigin });
    return others.fetch(c.req.raw, c.env, c.executionCtx);
  });
  return app;
}
