/** Account Settings: what an account owner does, signed in by Cloudflare Access. Pages for people, JSON for their scripts. */
import type { Send } from "../changes/send.ts";
import { handleError } from "../http/problem-response.ts";
import { Routes } from "../http/routes.ts";
import { Problem } from "../problem.ts";
import { AccountDatabases, ChooseAccount } from "./account-databases.ts";
import { createAccountApi } from "./api.ts";
import { addApprovalPages } from "./approval-pages.tsx";
import { authenticateOwner, type Identify, inAccount } from "./identity.ts";
import { addMemberPages } from "./member-pages.tsx";
import type { OwnerEnv } from "./owner-env.ts";
import { addAccountPages } from "./pages.tsx";
import { renderProblem } from "./render-page.tsx";
import { requireSameOrigin } from "./same-origin.ts";
import { addWebhookPages } from "./webhook-pages.tsx";

const isForScripts = (path: string): boolean => path.startsWith("/account/api/");

export function createAccountRoutes(identify: Identify, send: Send) {
  const routes = new Routes<OwnerEnv>();
  const accounts = new AccountDatabases();
  routes.use("/account/*", requireSameOrigin(), authenticateOwner(identify));
  addAccountPages(routes, accounts);
  addMemberPages(routes, accounts);
  addApprovalPages(routes, accounts);
  addWebhookPages(routes, accounts, send);
  routes.route("/", createAccountApi(send, accounts));
  // What nothing above answers. The application answers a script; a person gets a page.
  routes.all("/account/*", (c) => {
    if (isForScripts(c.req.path)) return c.notFound();
    throw new Problem("not-found", { detail: "There is no such page." });
  });
  routes.onError((error, c) => {
    if (isForScripts(c.req.path)) return handleError(error, c);
    // A person chooses by a link: the first account's pages name the others.
    return error instanceof ChooseAccount && c.req.method === "GET"
      ? c.redirect(inAccount(c.req.path, error.first), 303)
      : renderProblem(c, error);
  });
  return routes;
}
