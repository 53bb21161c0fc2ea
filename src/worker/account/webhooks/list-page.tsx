/** `/account/webhooks`: each webhook and its state; and the page of a new one. */
import { MAX_WEBHOOKS, type Webhook } from "../../model/webhook.ts";
import { Outcome } from "../frame/done.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import type { Told } from "../frame/visit.ts";
import { Refused, type SentForm, WebhookForm } from "./form.tsx";
import { WebhookState } from "./webhook-page.tsx";

type ListProps = {
  readonly frame: Frame;
  readonly webhooks: readonly Webhook[];
  readonly told: Told | undefined;
};

export const WebhooksPage = ({ frame, webhooks, told }: ListProps) => {
  const createLink = webhooks.length < MAX_WEBHOOKS && (
    <a class="button primary" href="/account/webhooks/new">
      Create webhook
    </a>
  );
  return (
    <Layout title="Webhooks" current="webhooks" aside={createLink} {...frame}>
      <Outcome told={told} />
      <p class="lead">{`${webhooks.length} of ${MAX_WEBHOOKS} webhooks.${createLink ? "" : " Delete one to create another."}`}</p>
      {webhooks.length === 0 && (
        <p class="notice">Send every change to your own server: signed, in order, at least once.</p>
      )}
      <ul class="events">
        {webhooks.map((webhook) => (
          <li>
            <p>
              <a href={`/account/webhooks/${webhook.id}`}>{webhook.url}</a>
            </p>
            <WebhookState webhook={webhook} />
          </li>
        ))}
      </ul>
    </Layout>
  );
};

type NewProps = { readonly frame: Frame; readonly sent: SentForm | undefined; readonly isLocal: boolean };

export const NewWebhookPage = ({ frame, ...form }: NewProps) => (
  <Layout title="Create webhook" current="webhooks" {...frame}>
    <Refused sent={form.sent} />
    <p class="lead">Each change is sent to this URL: signed, in order, at least once. You’ll see the secret next.</p>
    <WebhookForm action="/account/webhooks" label="Create webhook" {...form} />
  </Layout>
);
