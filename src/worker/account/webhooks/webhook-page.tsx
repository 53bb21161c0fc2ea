/** `/account/webhooks/{id}`: one webhook, its state and its actions. */

import { decodeBase62 } from "../../credentials/base62.ts";
import { RECENT } from "../../database/webhook-deliveries.ts";
import { toTimestamp } from "../../model/text.ts";
import { CHANGE_ID, TEST_TYPE, type Webhook } from "../../model/webhook.ts";
import { Copyable } from "../frame/copyable.tsx";
import { Outcome } from "../frame/done.tsx";
import { Fact } from "../frame/fact.tsx";
import { Once } from "../frame/form-key.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import type { Told } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import { eventInWords, Refused, SENTENCES, type SentForm, WebhookForm } from "./form.tsx";
import { isDelivery, noAnswer, Tested, Why, wasTaken } from "./why.tsx";

type Props = {
  readonly frame: Frame;
  readonly webhook: Webhook;
  /** A new secret, which only this answer shows. */
  readonly secret?: string | undefined;
  readonly sent?: SentForm | undefined;
  readonly isLocal: boolean;
  readonly told: Told | undefined;
  /** A test event was just sent. */
  readonly isTested: boolean;
  readonly now: number;
};

export const WebhookPage = ({ frame, webhook, secret, sent, isLocal, told, isTested, now }: Props) => {
  const { id, url, state, attempts, waiting, missed } = webhook;
  // The last failed attempt is about the next change. Tests are left out.
  const failed = webhook.failingSince ? attempts.find(({ id }) => id.startsWith("chg_")) : undefined;
  const action = `/account/webhooks/${id}`;
  const at = (time: string | null, none: string) => (time ? <Time at={time} now={now} /> : none);
  return (
    <Layout title={url} current="webhooks" {...frame}>
      {secret && (
        <div class="notice good" role="status">
          <p>
            Copy the secret now. You won’t see it again. Your endpoint verifies deliveries with it, for example with a{" "}
            <a href="https://www.standardwebhooks.com" target="_blank" rel="noopener">
              Standard Webhooks library
            </a>
            .
          </p>
          <Copyable id="secret" label="secret" text={secret} />
        </div>
      )}
      <Refused sent={sent} />
      <Outcome told={told} />
      {isTested && <Tested webhook={webhook} />}
      <WebhookState webhook={webhook} />
      <Why webhook={webhook} now={now} />
      <form method="post" action={action} class="actions">
        <label for="type">Test event</label>
        <select id="type" name="type">
          <option value={TEST_TYPE}>{eventInWords(TEST_TYPE)}</option>
          {Object.entries(SENTENCES).map(([group, sentences]) => (
            <optgroup label={group}>
              {Object.entries(sentences).map(([type, sentence]) => (
                <option value={type}>{sentence}</option>
              ))}
            </optgroup>
          ))}
        </select>
        <Do what="test" label="Send test event" />
      </form>
      <form method="post" action={action} class="actions">
        <Once />
        <Do what={state === "active" ? "pause" : "resume"} label={state === "active" ? "Pause" : "Resume"} />
        {state === "active" && webhook.failingSince && <Do what="resume" label="Try again" />}
        <Do what="rotate" label="Rotate secret" />
        <details>
          <summary class="danger">Delete…</summary>
          <p>Deliveries stop and the secret is deleted. You can’t undo this.</p>
          <Do what="delete" label="Delete this webhook" danger />
        </details>
      </form>
      <dl>
        {webhook.failingSince && <Fact name="Failing since">{at(webhook.failingSince, "")}</Fact>}
        <Fact name="Last delivered change">
          {hasDelivered(webhook) ? at(webhook.reachedAt, "No longer in the log") : "None yet"}
        </Fact>
        <Fact name="Created">
          {at(webhook.createdAt, "")}
          {webhook.createdBy && ` by ${webhook.createdBy}`}
        </Fact>
        <Fact name="Waiting changes">{`${waiting}${missed > 0 ? `; ${missed} expired undelivered` : ""}`}</Fact>
        <Fact name="Next attempt">
          {webhook.nextAttemptAt && Date.parse(webhook.nextAttemptAt) <= now
            ? "In less than a minute"
            : at(webhook.nextAttemptAt, "None")}
        </Fact>
        {webhook.previousSecretUntil && (
          <Fact name="Old secret">Also signs deliveries, stops {at(webhook.previousSecretUntil, "")}</Fact>
        )}
      </dl>
      <h2>Replay or skip changes</h2>
      <form method="post" action={action} class="actions">
        <Once />
        <input type="hidden" name="do" value="move" />
        <label for="to">Time (UTC)</label>
        <input id="to" name="at" type="datetime-local" value={sent?.fields.get("at") ?? undefined} required />
        <button type="submit">Replay from then</button>
        {failed && <input type="hidden" name="from" value={failed.id} />}
        {failed && (
          <button type="submit" name="to" value="next" formnovalidate>
            Skip the failed change
          </button>
        )}
        {waiting > 0 && (
          <details>
            <summary>Skip all waiting changes…</summary>
            <p>
              {`Skip ${counted(waiting, "change")}? Your endpoint won’t get ${waiting === 1 ? "it" : "them"}. `}
              You can replay changes for 30 days.
            </p>
            <div class="buttons">
              <button type="submit" name="to" value="now" formnovalidate>
                {`Skip ${counted(waiting, "change")}`}
              </button>
              <a href={action}>Cancel</a>
            </div>
          </details>
        )}
      </form>
      <h2>Last attempts</h2>
      {attempts.length === 0 && <p>None yet.</p>}
      <ul class="events">
        {attempts.map(({ at: time, id: change, type, status, durationMs, url: called }) => (
          <li>
            <strong>{status ?? noAnswer(durationMs)}</strong> {eventInWords(type)} <code>{type}</code>{" "}
            {called && <span class="hint called">{`POST ${called}`}</span>}
            <span class="hint">
              {`${durationMs} ms, `}
              <Time at={time} now={now} />
            </span>
            <Replay action={action} change={change} />
          </li>
        ))}
      </ul>
      <h2>Settings</h2>
      <WebhookForm action={action} label="Save" {...{ webhook, sent, isLocal }} />
    </Layout>
  );
};

/** Its place moves on past changes that it was not sent, too. Of more attempts than are kept, one is taken to have succeeded. */
const hasDelivered = ({ attempts }: Webhook): boolean =>
  attempts.length === RECENT || attempts.some((attempt) => isDelivery(attempt) && wasTaken(attempt));

/** Sends this change again, and those that came after it. A test is no change. */
const Replay = ({ action, change }: { action: string; change: string }) => {
  const [, , , time] = CHANGE_ID.exec(change) ?? [];
  return time === undefined ? null : (
    <form method="post" action={action}>
      <Once />
      <input type="hidden" name="do" value="move" />
      <button type="submit" name="to" value={toTimestamp(decodeBase62(time))}>
        Replay from here
      </button>
    </form>
  );
};

const Do = ({ what, label, danger }: { what: string; label: string; danger?: boolean }) => (
  <button type="submit" name="do" value={what} class={danger ? "danger" : undefined}>
    {label}
  </button>
);

const WORDS: Readonly<Record<Webhook["state"], string>> = {
  active: "Active",
  paused: "Paused",
  failed: "Stopped after five days of failures",
  ended: "Ended: your endpoint returned 410",
};

/** The state of a webhook, in a few words. A test changes no state, so its failure is told beside it. */
export const WebhookState = ({ webhook: { state, failingSince, attempts } }: { webhook: Webhook }) => {
  const [last] = attempts;
  const isFailing = state === "active" && failingSince;
  const hasFailedTest = state === "active" && !isFailing && last && !isDelivery(last) && !wasTaken(last);
  return (
    <p class={state === "active" && !isFailing && !hasFailedTest ? "hint" : "paused"}>
      {isFailing ? "Failing" : WORDS[state]}
      {hasFailedTest && ". The last test event failed."}
    </p>
  );
};
