/** `/account/webhooks/{id}`: one webhook, its state and its actions. */
import type { Context } from "hono";
import { decodeBase62 } from "../../credentials/base62.ts";
import { RECENT } from "../../database/webhooks/deliveries.ts";
import { deleteWebhook, moveWebhook } from "../../database/webhooks/webhooks.ts";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { toTimestamp } from "../../model/text.ts";
import {
  CHANGE_ID,
  type ShownWebhook,
  TEST_TYPE,
  type Webhook,
  WebhookChanges,
  WebhookMove,
  WebhookTestQuery,
} from "../../model/webhook.ts";
import { isLocal } from "../../model/webhook-url.ts";
import { Confirm } from "../frame/confirm.tsx";
import { Copyable } from "../frame/copyable.tsx";
import { Outcome } from "../frame/done.tsx";
import { Fact } from "../frame/fact.tsx";
import { formKey, Once } from "../frame/form-key.tsx";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { changedSettings, saveOpened } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { DoneBefore } from "../frame/repeated.ts";
import { Time } from "../frame/times.tsx";
import { type Told, tellAt, toldAt } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeTo, changeWebhook, rotateWebhook, showWebhook, testWebhook } from "./api.ts";
import {
  eventInWords,
  eventsOf,
  FIELDS_OF,
  FORMATS,
  Refused,
  toFields,
  toSettings,
  WEBHOOKS,
  WebhookForm,
} from "./form.tsx";
import { isDelivery, noAnswer, Tested, WebhookState, Why, wasTaken } from "./why.tsx";

/** With the secret, if it was just made: only this answer contains it. */
type Shown = Pick<ShownWebhook, "webhook"> & Partial<ShownWebhook>;

export const loadShown = (c: Context<OwnerEnv>, { webhook, secret }: Shown, sent?: SentForm) => ({
  ...{ webhook, secret, sent, isLocal: isLocal(new URL(c.req.url)), told: toldAt(c) },
  /** A test event was just sent. */
  isTested: c.req.method === "GET" && c.req.query("tested") !== undefined,
});

/** What is said of a move to this place. */
const SKIPPED: Readonly<Record<string, Told>> = { next: "change-skipped", now: "changes-skipped" };

export const WEBHOOK_PAGE = page({
  path: `${WEBHOOKS}/:webhookId`,
  needs: "admin",
  load: async (c) => loadShown(c, { webhook: await showWebhook(c, c.req.param("webhookId")) }),
  view: (props) => <WebhookPage {...props} />,

  act: async (c) => {
    const id = c.req.param("webhookId");
    const fields = await readForm(c);
    const what = fields.get("do") ?? "";
    try {
      if (what === "rotate") {
        const rotated = await rotateWebhook(c, id, await formKey(c, fields));
        return await renderPage(c, <WebhookPage {...loadShown(c, rotated)} />, 201);
      }
      if (what === "delete") await changeTo(c, { id, change: deleteWebhook });
      else if (what === "test")
        await testWebhook(c, { id, query: parseOrThrow(WebhookTestQuery, { type: fields.get("type") ?? undefined }) });
      else if (what === "move")
        await changeTo(c, {
          id,
          change: moveWebhook(parseOrThrow(WebhookMove, toMove(fields))),
          idempotencyKey: await formKey(c, fields),
        });
      else if (what === "change") {
        const changes = parseOrThrow(WebhookChanges, changedSettings(fields, toSettings));
        await saveOpened(
          { id, fields, toSettings, toFields, fieldsOf: FIELDS_OF, load: () => showWebhook(c, id) },
          (_, opened) => changeWebhook(c, id, changes, opened),
        );
      } else {
        const paused = { pause: true, resume: false }[what] ?? what;
        await changeWebhook(c, id, parseOrThrow(WebhookChanges, { paused }));
      }
    } catch (error) {
      if (error instanceof DoneBefore) return doneTo(c, fields, "secret-rotated-before");
      throw error;
    }
    return doneTo(c, fields);
  },

  refused: async (c, sent) => loadShown(c, { webhook: await showWebhook(c, c.req.param("webhookId")) }, sent),
});

/** The page after a form was done; the same when it is sent again. */
function doneTo(c: Context<OwnerEnv>, fields: URLSearchParams, rotated?: Told): Response {
  const page = `${WEBHOOKS}/${c.req.param("webhookId")}`;
  const what = fields.get("do");
  if (what === "delete") return c.redirect(tellAt(WEBHOOKS, "webhook-deleted"), 303);
  if (what === "test") return c.redirect(`${page}?tested`, 303);
  const told = what === "rotate" ? rotated : what === "move" ? SKIPPED[fields.get("to") ?? ""] : undefined;
  return c.redirect(told ? tellAt(page, told) : page, 303);
}

/**
 * The target is a button's value, or the field's minute in UTC. Skipping one change names that change, so that a second click
 * skips no other.
 */
const toMove = (fields: URLSearchParams) => {
  const [to, from] = [fields.get("to"), fields.get("from")];
  return to === "next" && from !== null ? { to, from } : { to: to ?? `${fields.get("at")}:00.000Z` };
};

export const WebhookPage = ({ webhook, secret, sent, isLocal, told, isTested }: ReturnType<typeof loadShown>) => {
  const { id, url, format, state, attempts, waiting, missed } = webhook;
  const isSlack = format === "slack";
  // The last failed attempt is about the next change. Tests are left out.
  const failed = webhook.failingSince ? attempts.find(({ id }) => id.startsWith("chg_")) : undefined;
  const action = `${WEBHOOKS}/${id}`;
  const at = (time: string | null, none: string) => (time ? <Time at={time} /> : none);
  return (
    <Layout title={url} current="webhooks">
      {secret && !isSlack && (
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
      <Why webhook={webhook} />
      <form method="post" action={action} class="actions">
        <label for="type">Test event</label>
        <select id="type" name="type">
          <option value={TEST_TYPE}>{eventInWords(TEST_TYPE)}</option>
          {Object.entries(eventsOf(format)).map(([group, sentences]) => (
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
        {!isSlack && <Do what="rotate" label="Rotate secret" />}
        <Confirm
          says={`${isSlack ? "Messages stop." : "Deliveries stop and the secret is deleted."} You can’t undo this.`}
          buttons={[["delete", "Delete this webhook"]]}
        />
      </form>
      <dl>
        {isSlack && <Fact name="Format">{FORMATS.slack[0]}</Fact>}
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
          {webhook.nextAttemptAt && Date.parse(webhook.nextAttemptAt) <= useFrame().now
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
      {isSlack && (
        <p class="hint">
          At most one message a minute. If it isn’t clear whether a message arrived, it’s sent once more. After that,
          the next one is sent.
        </p>
      )}
      {attempts.length === 0 && <p>None yet.</p>}
      <ul class="events">
        {attempts.map(({ at: time, id: change, type, status, durationMs, url: called, changes = 1 }, index) => (
          <li>
            <strong>{status ?? noAnswer(durationMs)}</strong> {eventInWords(type)} <code>{type}</code>{" "}
            {changes > 1 && `and ${changes - 1} more `}
            {isSlack && isGivenUp(attempts, index) && <span class="hint">Not sent again: it may have arrived</span>}
            {called && <span class="hint called">{`POST ${called}`}</span>}
            <span class="hint">
              {`${durationMs} ms, `}
              <Time at={time} />
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

/** Whether this was the second attempt of a message that may have arrived. */
const isGivenUp = (attempts: Webhook["attempts"], index: number): boolean =>
  attempts.slice(index).filter(({ id, status }) => id === attempts[index]?.id && (status === null || status >= 500))
    .length > 1;

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

const Do = ({ what, label }: { what: string; label: string }) => (
  <button type="submit" name="do" value={what}>
    {label}
  </button>
);
