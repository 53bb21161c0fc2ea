/** The pages of Account Settings: rendered here, complete without JavaScript. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { listApiKeys, loadOwnApiKey } from "../database/account-api-keys.ts";
import { listAuditEvents } from "../database/audit-events.ts";
import { type FieldError, parseOrThrow } from "../http/invalid-request.ts";
import { nextCursor, readPage } from "../http/pagination.ts";
import { toProblem } from "../http/problem-response.ts";
import { readForm } from "../http/read-body.ts";
import { ApiKeyChanges, NewApiKey, Rotation } from "../model/account.ts";
import { isId } from "../model/id.ts";
import { PageQuery } from "../model/pagination.ts";
import { Problem } from "../problem.ts";
import { createKey, newId, primary, renameKey, revokeKey, rotateKey } from "./actions.ts";
import type { OwnerEnv } from "./owner-env.ts";
import { ActivityPage } from "./pages/activity-page.tsx";
import { ApiKeysPage } from "./pages/api-keys-page.tsx";
import type { Frame } from "./pages/layout.tsx";
import { ProblemPage } from "./pages/problem-page.tsx";
import { RevokePage } from "./pages/revoke-page.tsx";
import { ShownKeyPage } from "./pages/shown-key-page.tsx";

const LIST = "/account/api-keys";

export function addAccountPages(routes: Hono<OwnerEnv>, gatekeeper: Gatekeeper): void {
  routes.get("/account", (c) => c.redirect(LIST, 303));

  routes.get(LIST, (c) => renderList(c, new URLSearchParams(), []));

  routes.post(LIST, async (c) => {
    const fields = await readForm(c.req.raw);
    try {
      const id = fields.get("newKeyId") ?? "";
      const shown = await createKey(c, toNewApiKey(fields), isId(id) ? id : newId());
      const origin = new URL(c.req.url).origin;
      return renderPage(
        c,
        (frame) => <ShownKeyPage frame={frame} shown={shown} rotated={false} origin={origin} />,
        201,
      );
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "invalid-request") throw error;
      return renderList(c, fields, error.extensions.errors as FieldError[], 400);
    }
  });

  routes.post(`${LIST}/:apiKeyId/rotate`, async (c) => {
    const fields = await readForm(c.req.raw);
    const graceSeconds = Number(fields.get("graceSeconds") || Number.NaN);
    const rotation = parseOrThrow(Rotation, { graceSeconds, lastFour: fields.get("lastFour") ?? undefined });
    const shown = await rotateKey(c, gatekeeper, c.req.param("apiKeyId"), rotation);
    const origin = new URL(c.req.url).origin;
    return renderPage(c, (frame) => <ShownKeyPage frame={frame} shown={shown} rotated origin={origin} />, 201);
  });

  routes.post(`${LIST}/:apiKeyId/rename`, async (c) => {
    const fields = await readForm(c.req.raw);
    const { name } = parseOrThrow(ApiKeyChanges, { name: fields.get("name") });
    await renameKey(c, c.req.param("apiKeyId"), name);
    return c.redirect(LIST, 303);
  });

  routes.get(`${LIST}/:apiKeyId/revoke`, async (c) => {
    const now = Date.now();
    const apiKey = await loadOwnApiKey(primary(c), c.var.owner.email, c.req.param("apiKeyId"), now);
    if (apiKey === null) throw new Problem("not-found", { detail: "There is no such API key." });
    return renderPage(c, (frame) => <RevokePage frame={frame} apiKey={apiKey} now={now} />);
  });

  routes.post(`${LIST}/:apiKeyId/revoke`, async (c) => {
    await revokeKey(c, gatekeeper, c.req.param("apiKeyId"));
    return c.redirect(LIST, 303);
  });

  routes.get("/account/activity", async (c) => {
    const { page } = await readPage(c, PageQuery);
    const { items, next } = await listAuditEvents(primary(c), c.var.owner.email, page);
    const cursor = await nextCursor(c, next);
    return renderPage(c, (frame) => <ActivityPage frame={frame} events={items} now={Date.now()} next={cursor} />);
  });
}

/** The answer to an error under `/account`, for a person. */
export function renderProblem(c: Context<OwnerEnv>, error: Error): Response | Promise<Response> {
  const problem = toProblem(error, c);
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  return renderPage(c, (frame) => <ProblemPage frame={frame} problem={problem} />, problem.status);
}

async function renderList(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
  errors: readonly FieldError[],
  status: 200 | 400 = 200,
): Promise<Response> {
  const now = Date.now();
  const keys = await listApiKeys(primary(c), c.var.owner.email, newId(), now);
  const form = { newKeyId: newId(), fields, errors };
  return renderPage(c, (frame) => <ApiKeysPage frame={frame} keys={keys} now={now} form={form} />, status);
}

/** A page under its own Content-Security-Policy: only what carries this answer's nonce runs, and nothing inline. */
function renderPage(
  c: Context<OwnerEnv>,
  render: (frame: Frame) => Child,
  status: Problem["status"] | 200 | 201 = 200,
): Response | Promise<Response> {
  const nonce = crypto.randomUUID();
  c.header(
    "Content-Security-Policy",
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; ` +
      "base-uri 'none'; frame-ancestors 'none'",
  );
  // Under "no-referrer" a browser hides the origin of a form from its own site too, and requireSameOrigin wants to see it.
  c.header("Referrer-Policy", "same-origin");
  // Only the middleware sets the owner: a page for nobody has no navigation.
  const owner = c.get("owner") as OwnerEnv["Variables"]["owner"] | undefined;
  return c.html(`<!doctype html>${render({ nonce, ...(owner && { email: owner.email }) })}`, status);
}

/** A form's fields as the schema takes them. Throws `invalid-request`. */
const toNewApiKey = (fields: URLSearchParams): NewApiKey =>
  parseOrThrow(NewApiKey, {
    name: fields.get("name"),
    scopes: fields.getAll("scopes"),
    limit: Number(fields.get("limit") || Number.NaN),
    windowSeconds: Number(fields.get("windowSeconds") || Number.NaN),
    expiresInDays: fields.get("expiresInDays") ? Number(fields.get("expiresInDays")) : null,
  });
