/** `/account/webhooks/{id}`: one webhook, how it is doing, and what can be done about it. */
import type { Webhook } from "../../model/webhook.ts";
import { Copyable } from "./copyable.tsx";
import { Fact } from "./key-facts.tsx";
import { type Frame, Layout } from "./layout.tsx";
import { Time } from "./times.tsx";
import { Once, Refused, type SentForm, WebhookForm } from "./webhook-form.tsx";
import { WebhookState } from "./webhook-state.tsx";

type Props = {
  readonly frame: Frame;
  readonly webhook: Webhook;
  /** Just made: shown this once. */
  readonly secret?: string | undefined;
  readonly sent?: SentForm | undefined;
  readonly now: number;
};

export const WebhookPage = ({ frame, webhook, secret, sent, now }: Props) => {
  const { id, url, state, attempts, waiting, missed } = webhook;
  // What failed last is the next change; a test is none.
  const failed = webhook.failingSince ? attempts.find(({ id }) => id.startsWith("chg_")) : undefined;
  const action = `/account/webhooks/${id}`;
  const at = (time: string | null, none: string) => (time ? <Time at={time} now={now} /> : none);
  return (
    <Layout title={url} current="webhooks" {...frame}>
      {secret && (
        <div class="notice good" role="status">
          <p>Copy the secret now: it is shown this once. The receiver verifies with it.</p>
          <Copyable id="secret" label="secret" text={secret} />
        </div>
      )}
      <Refused sent={sent} />
      <WebhookState webhook={webhook} />
      <form method="post" action={action} class="actions">
        <Once />
        <Do what="test" label="Send a test" />
        <Do what={state === "active" ? "pause" : "resume"} label={state === "active" ? "Pause" : "Go on"} />
        {state === "active" && webhook.failingSince && <Do what="resume" label="Try again" />}
        <Do what="rotate" label="Rotate secret" />
        <details>
          <summary class="danger">Delete…</summary>
          <Do what="delete" label="Delete this webhook" danger />
        </details>
      </form>
      <dl>
        <Fact name="Failing since">{at(webhook.failingSince, "Not failing")}</Fact>
        <Fact name="Delivered up to the change">{at(webhook.reachedAt, "None in the log")}</Fact>
        <Fact name="Waiting changes">{`${waiting}${missed > 0 ? `; ${missed} left the log undelivered` : ""}`}</Fact>
        <Fact name="Next attempt">{at(webhook.nextAttemptAt, "None")}</Fact>
        {webhook.previousSecretUntil && (
          <Fact name="Old secret">Signs too, ends {at(webhook.previousSecretUntil, "")}</Fact>
        )}
      </dl>
      <h2>Go to another place in the log</h2>
      <form method="post" action={action} class="actions">
        <Once />
        <input type="hidden" name="do" value="move" />
        <label for="to">Time (UTC)</label>
        <input id="to" name="at" type="datetime-local" value={sent?.fields.get("at") ?? undefined} required />
        <button type="submit">Go back to it</button>
        {failed && <input type="hidden" name="from" value={failed.id} />}
        {failed && (
          <button type="submit" name="to" value="next" formnovalidate>
            Skip the change that failed
          </button>
        )}
        <button type="submit" name="to" value="now" formnovalidate>
          Skip all that wait
        </button>
      </form>
      <h2>Last attempts</h2>
      {attempts.length === 0 && <p>None yet.</p>}
      <ul class="events">
        {attempts.map(({ at: time, type, status, durationMs }) => (
          <li>
            <strong>{status ?? "No answer"}</strong> <code>{type}</code>{" "}
            <span class="hint">
              {`${durationMs} ms, `}
              <Time at={time} now={now} />
            </span>
          </li>
        ))}
      </ul>
      <h2>Change it</h2>
      <WebhookForm action={action} label="Save" webhook={webhook} sent={sent} />
    </Layout>
  );
};

const Do = ({ what, label, danger }: { what: string; label: string; danger?: boolean }) => (
  <button type="submit" name="do" value={what} class={danger && "danger"}>
    {label}
  </button>
);
