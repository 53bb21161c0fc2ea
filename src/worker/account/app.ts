/** Account Settings, for account owners who are signed in: pages for people, JSON for their scripts. */
import type { Context } from "hono";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import type { Send } from "../deliveries/send.ts";
import { createEveryRequest, type EveryRequestMemory } from "../http/every-request.ts";
import { createNoRoute } from "../http/no-route.ts";
import { handleError } from "../http/problem-response.ts";
import { Routes } from "../http/routes.ts";
import { requireSameOrigin } from "../http/same-origin.ts";
import type { Databases } from "../store/databases.ts";
import type { IdeaBankViews } from "../view/views.ts";
import { ChooseAccount } from "./account-databases.ts";
import { createAccountApi } from "./api.ts";
import { NoLongerSo } from "./confirm.ts";
import { renderProblem } from "./frame/render-page.tsx";
import { authenticateOwner, type Identify, identifyByAccess, inAccount } from "./identity/identity.ts";
import { limitChanges, limitReads } from "./identity/limit-owner.ts";
import { KnownOwners } from "./known-owners.ts";
import type { LoadPreview, OwnerEnv } from "./owner-env.ts";
import { ROUTES } from "./routes.ts";
import { addSignIn } from "./sign-in/sign-in-page.tsx";

/** Without `no-transform` Cloudflare's e-mail obfuscation, a zone's default, would hide the addresses of members. */
const CACHE_CONTROL = "no-store, no-transform";
/**
 * Under "no-referrer" a browser hides the origin even from the form's own site, but requireSameOrigin needs it. A redirect needs it, too:
 * after one, own-link.ts asks where the visitor came from.
 */
const REFERRER_POLICY = "same-origin";

const isForScripts = (path: string): boolean => path.startsWith("/account/api/");

/** The memory that this surface shares with others in the isolate. */
type AccountMemory = EveryRequestMemory & {
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
  readonly send: Send;
  readonly views: IdeaBankViews;
  readonly loadPreview: LoadPreview;
};

export type AccountApp = Routes<OwnerEnv>;

/** `identify` finds the account owner. */
export function createAccountApp(memory: AccountMemory, identify: Identify = identifyByAccess): AccountApp {
  const { gatekeeper, databases, send, views, loadPreview } = memory;
  const app = new Routes<OwnerEnv>();
  const everyRequest = createEveryRequest(memory, {
    ...{ "Cache-Control": CACHE_CONTROL, "Referrer-Policy": REFERRER_POLICY },
  });
  app.use((c, next) => {
    const answerPage = async () => {
      await next();
      return c.res;
    };
    return everyRequest(c, answerPage, (error) => answer(error, c));
  });
  const known = new KnownOwners();
  app.use(function provideMemory(c, next) {
    c.set("gatekeeper", gatekeeper);
    c.set("send", send);
    c.set("databases", databases);
    c.set("views", views);
    c.set("loadPreview", loadPreview);
    c.set("known", known);
    c.set("sessions", new Map());
    const { pathname, search } = new URL(c.req.url);
    c.set("asked", pathname + search);
    return next();
  });
  app.use(requireSameOrigin());
  addSignIn(app, identify);
  app.use(authenticateOwner(identify));
  app.use(limitReads);
  app.use(limitChanges);
  // A form may change a key, and then the gate must be notified even if the owner has left. For JSON, each operation declares
  // this itself.
  app.use(async (c, next) => {
    const done = next();
    if (!isForScripts(c.req.path)) c.executionCtx.waitUntil(done);
    await done;
  });
  for (const { method, path, answer } of ROUTES.flat()) app.on(method, path, answer);
  app.route("/", createAccountApi());
  // A script gets a problem document, a person gets a page.
  const answer = (error: Error, c: Context<OwnerEnv>) => {
    if (error instanceof NoLongerSo) return c.redirect(c.get("asked"), 303);
    if (isForScripts(c.req.path)) return handleError(error, c);
    if (!(error instanceof ChooseAccount) || c.req.method !== "GET") return renderProblem(c, error);
    // With several accounts, the person chooses one.
    const [only, another] = error.accounts;
    return c.redirect(only && !another ? inAccount(c.req.path, only.id) : "/account/accounts", 303);
  };
  const noRoute = createNoRoute(app);
  app.notFound((c) => answer(noRoute(c.req, isForScripts(c.req.path) ? undefined : "This page doesn’t exist."), c));
  app.onError(answer);
  return app;
}
