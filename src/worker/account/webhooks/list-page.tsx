/** `/account/webhooks`: each webhook and its state. */
import { listWebhooks } from "../../database/webhooks/webhooks.ts";
import { MAX_WEBHOOKS } from "../../model/webhook.ts";
import { visitAccount } from "../account-databases.ts";
import { Outcome } from "../frame/done.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { toldAt } from "../frame/visit.ts";
import { FORMATS, WEBHOOKS } from "./form.tsx";
import { WebhookState } from "./why.tsx";

export const WEBHOOKS_PAGE = page({
  path: WEBHOOKS,
  needs: "admin",
  load: async (c) => ({ webhooks: (await visitAccount(c, listWebhooks)).webhooks, told: toldAt(c) }),

  view: ({ webhooks, told }) => {
    const createLink = webhooks.length < MAX_WEBHOOKS && (
      <a class="button primary" href={`${WEBHOOKS}/new`}>
        Create webhook
      </a>
    );
    return (
      <Layout title="Webhooks" current="webhooks" aside={createLink}>
        <Outcome told={told} />
        <p class="lead">{`${webhooks.length} of ${MAX_WEBHOOKS} webhooks.${createLink ? "" : " Delete one to create another."}`}</p>
        {webhooks.length === 0 && (
          <p class="notice">
            Send every change to your own server: signed, in order, at least once. Or send messages to Slack,
            Mattermost, Rocket.Chat or Discord.
          </p>
        )}
        <ul class="events">
          {webhooks.map((webhook) => (
            <li>
              <p>
                <a href={`${WEBHOOKS}/${webhook.id}`}>{webhook.url}</a>
                {webhook.format === "slack" && <span class="hint"> {FORMATS.slack[0]}</span>}
              </p>
              <WebhookState webhook={webhook} />
            </li>
          ))}
        </ul>
      </Layout>
    );
  },
});
