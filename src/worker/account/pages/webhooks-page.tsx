/** `/account/webhooks`: each webhook and how it is doing, and the form for another while there is room. */
import { MAX_WEBHOOKS, type Webhook } from "../../model/webhook.ts";
import { type Frame, Layout } from "./layout.tsx";
import { Refused, type SentForm, WebhookForm } from "./webhook-form.tsx";
import { WebhookState } from "./webhook-state.tsx";

type Props = { readonly frame: Frame; readonly webhooks: readonly Webhook[]; readonly sent: SentForm | undefined };

export const WebhooksPage = ({ frame, webhooks, sent }: Props) => (
  <Layout title="Webhooks" current="webhooks" {...frame}>
    <Refused sent={sent} />
    <p class="lead">Each change of the account is sent to these URLs: signed, in order, at least once.</p>
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
    <section aria-labelledby="create">
      <h2 id="create">Create a webhook</h2>
      {webhooks.length < MAX_WEBHOOKS ? (
        <WebhookForm action="/account/webhooks" label="Create webhook" sent={sent} />
      ) : (
        <p class="notice">{`${MAX_WEBHOOKS} webhooks: delete one first.`}</p>
      )}
    </section>
  </Layout>
);
