/** `/account/webhooks`: the webhooks of the account, each with a page of its own. */
import type { Context } from "hono";
import { deleteWebhook, listWebhooks, moveWebhook } from "../../database/account-webhooks.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { NewWebhook, type ShownWebhook, WebhookChanges, WebhookMove, WebhookTestQuery } from "../../model/webhook.ts";
import { isLocal } from "../../model/webhook-url.ts";
import { visitAccount } from "../account-databases.ts";
import { formKey } from "../frame/form-key.tsx";
import { changedSettings } from "../frame/opened-form.tsx";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { DoneBefore } from "../frame/repeated.ts";
import { type Told, tellAt, toldAt } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeTo, changeWebhook, createWebhook, rotateWebhook, showWebhook, testWebhook } from "./api.ts";
import type { SentForm } from "./form.tsx";
import { NewWebhookPage, WebhooksPage } from "./list-page.tsx";
import { WebhookPage } from "./webhook-page.tsx";

const LIST = "/account/webhooks";
const ONE = `${LIST}/:webhookId`;

/** What is said of a move to this place. */
const SKIPPED: Readonly<Record<string, Told>> = { next: "change-skipped", now: "changes-skipped" };

type Shown = Pick<ShownWebhook, "webhook"> & Partial<ShownWebhook>;

export function addWebhookPages(routes: Routes<OwnerEnv>): void {
  const renderNew = (c: Context<OwnerEnv>, sent?: SentForm) =>
    renderPage(
      c,
      (frame) => <NewWebhookPage {...{ frame, sent, isLocal: isLocal(new URL(c.req.url)) }} />,
      sent ? 400 : 200,
    );
  /** With the secret, if it was just made: only this answer contains it. */
  const renderOne = (c: Context<OwnerEnv>, { webhook, secret }: Shown, sent?: SentForm) =>
    renderPage(
      c,
      (frame) => (
        <WebhookPage
          {...{ frame, webhook, secret, sent, isLocal: isLocal(new URL(c.req.url)), now: Date.now() }}
          told={toldAt(c)}
          isTested={c.req.method === "GET" && c.req.query("tested") !== undefined}
        />
      ),
      sent ? 400 : secret ? 201 : 200,
    );

  routes.get(LIST, async (c) => {
    const { webhooks } = await visitAccount(c, listWebhooks);
    return renderPage(c, (frame) => <WebhooksPage {...{ frame, webhooks, told: toldAt(c) }} />);
  });

  routes.get(`${LIST}/new`, (c) => renderNew(c));

  routes.post(LIST, async (c) => {
    const fields = await readForm(c);
    try {
      const input = parseOrThrow(NewWebhook, toSettings(fields));
      return await renderOne(c, await createWebhook(c, input, await formKey(c, fields)));
    } catch (error) {
      if (error instanceof DoneBefore) return c.redirect(tellAt(`${LIST}/${error.id}`, "webhook-created-before"), 303);
      return renderNew(c, { fields, errors: fieldErrorsOf(error) });
    }
  });

  routes.get(ONE, async (c) => renderOne(c, { webhook: await showWebhook(c, c.req.param("webhookId")) }));

  routes.post(ONE, async (c) => {
    const id = c.req.param("webhookId");
    const fields = await readForm(c);
    const what = fields.get("do") ?? "";
    try {
      if (what === "rotate") return await renderOne(c, await rotateWebhook(c, id, await formKey(c, fields)));
      if (what === "delete") await changeTo(c, { id, change: deleteWebhook });
      else if (what === "test")
        await testWebhook(c, { id, query: parseOrThrow(WebhookTestQuery, { type: fields.get("type") ?? undefined }) });
      else if (what === "move")
        await changeTo(c, {
          id,
          change: moveWebhook(parseOrThrow(WebhookMove, toMove(fields))),
          idempotencyKey: await formKey(c, fields),
        });
      else {
        const paused = { pause: true, resume: false }[what] ?? what;
        await changeWebhook(
          c,
          id,
          parseOrThrow(WebhookChanges, what === "change" ? changedSettings(fields, toSettings) : { paused }),
        );
      }
    } catch (error) {
      if (error instanceof DoneBefore) return doneTo(c, fields, "secret-rotated-before");
      const sent = { fields, errors: fieldErrorsOf(error) };
      return renderOne(c, { webhook: await showWebhook(c, id) }, sent);
    }
    return doneTo(c, fields);
  });
}

/** The page after a form was done; the same when it is sent again. */
function doneTo(c: Context<OwnerEnv>, fields: URLSearchParams, rotated?: Told): Response {
  const page = `${LIST}/${c.req.param("webhookId")}`;
  const what = fields.get("do");
  if (what === "delete") return c.redirect(tellAt(LIST, "webhook-deleted"), 303);
  if (what === "test") return c.redirect(`${page}?tested`, 303);
  const told = what === "rotate" ? rotated : what === "move" ? SKIPPED[fields.get("to") ?? ""] : undefined;
  return c.redirect(told ? tellAt(page, told) : page, 303);
}

/** When no type is chosen, all types are meant, unless the form says that some are chosen. */
function toSettings(fields: URLSearchParams) {
  const types = fields.getAll("types");
  if (fields.get("events") === "all") return { url: fields.get("url"), types: null };
  return { url: fields.get("url"), types: types.length > 0 || fields.get("events") === "chosen" ? types : null };
}

/**
 * The target is a button's value, or the field's minute in UTC. Skipping one change names that change, so that a second click
 * skips no other.
 */
const toMove = (fields: URLSearchParams) => {
  const [to, from] = [fields.get("to"), fields.get("from")];
  return to === "next" && from !== null ? { to, from } : { to: to ?? `${fields.get("at")}:00.000Z` };
};
