/** `/account/webhooks/new`: the form for a webhook. Its answer shows the secret. */
import type { Context } from "hono";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { NewWebhook } from "../../model/webhook.ts";
import { isLocal } from "../../model/webhook-url.ts";
import { formKey } from "../frame/form-key.tsx";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { DoneBefore } from "../frame/repeated.ts";
import { tellAt } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { createWebhook } from "./api.ts";
import { Refused, toSettings, WEBHOOKS, WebhookForm } from "./form.tsx";
import { loadShown, WebhookPage } from "./webhook-page.tsx";

const load = (c: Context<OwnerEnv>, sent?: SentForm) => ({ sent, isLocal: isLocal(new URL(c.req.url)) });

export const NEW_WEBHOOK_PAGE = page({
  path: `${WEBHOOKS}/new`,
  needs: "admin",
  load,

  view: ({ sent, isLocal }) => (
    <Layout title="Create webhook" current="webhooks">
      <Refused sent={sent} />
      <p class="lead of-standard">
        Each change is sent to this URL: signed, in order, at least once. You’ll see the secret next.
      </p>
      <WebhookForm action={WEBHOOKS} label="Create webhook" sent={sent} isLocal={isLocal} />
    </Layout>
  ),

  formPath: WEBHOOKS,

  act: async (c) => {
    const fields = await readForm(c);
    try {
      const settings = { ...toSettings(fields), format: fields.get("format") ?? undefined };
      const created = await createWebhook(c, parseOrThrow(NewWebhook, settings), await formKey(c, fields));
      return await renderPage(c, <WebhookPage {...loadShown(c, created)} />, 201);
    } catch (error) {
      if (error instanceof DoneBefore)
        return c.redirect(tellAt(`${WEBHOOKS}/${error.id}`, "webhook-created-before"), 303);
      throw error;
    }
  },

  refused: load,
});
