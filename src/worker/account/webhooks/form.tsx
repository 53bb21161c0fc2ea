/** The form for a webhook's URL and types, and the settings that it has. */
import type { ACCOUNT_EVENT_TYPES } from "../../model/account-event.ts";
import type { CHANGE_TYPES } from "../../model/change.ts";
import { MESSAGE_TYPES, type MessageType, TEST_TYPE, type Webhook, type WebhookFormat } from "../../model/webhook.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Once } from "../frame/form-key.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import type { SentForm } from "../frame/page.tsx";

export const WEBHOOKS = "/account/webhooks";

export const Refused = ({ sent }: { sent: SentForm | undefined }) =>
  sent && (
    <ErrorSummary
      title="Nothing was changed."
      errors={sent.errors}
      labels={{ url: "URL", types: "Events", format: "Format", to: "Time" }}
    />
  );

type ChangeType = (typeof CHANGE_TYPES)[number];
type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** What each event says, by group, in the order of the form. */
const SENTENCES: Readonly<Record<string, Partial<Record<ChangeType | AccountEventType, string>>>> = {
  Ideas: {
    "proposal.created": "An idea was submitted",
    "proposal.updated": "An idea was edited",
    "proposal.status-changed": "An idea’s status changed",
    "proposal.merged": "An idea was merged into another",
    "proposal.deleted": "An idea was deleted",
  },
  Comments: {
    "comment.created": "Someone commented",
    "comment.updated": "A comment was edited",
    "comment.deleted": "A comment was deleted",
  },
  People: {
    "panelist.created": "A person was added",
    "panelist.updated": "A person was updated",
    "panelist.deleted": "A person was deleted",
  },
  Boards: {
    "ideabank.created": "A board was created",
    "ideabank.updated": "A board’s settings changed",
    "ideabank.deleted": "A board was deleted",
    "visitor-token.expiring": "A board’s visitor token expires soon",
  },
  Surveys: {
    "survey.created": "A survey was created",
    "survey.updated": "A survey was updated",
    "survey.deleted": "A survey was deleted",
    "survey-response.created": "A survey was answered",
    "survey-response.updated": "An answer to a survey was changed",
    "survey-response.deleted": "An answer to a survey was taken back",
  },
  "API keys": {
    "api-key.created": "A key was created",
    "api-key.changed": "A key was changed",
    "api-key.rotated": "A key was rotated",
    "api-key.revoked": "A key was revoked",
    "api-key.expiring": "A key expires soon",
    "api-key.leaked": "A key was found in public",
    "secret.leaked": "A token or secret was found in public",
  },
  "Webhooks and team": {
    "webhook.failing": "Another webhook has failed for a day",
    "webhook.failed": "Another webhook was stopped",
    "member.added": "A member joined",
    "member.removed": "A member was removed",
  },
};

/** What a message tells of. */
const MESSAGES: Readonly<Record<MessageType, string>> = {
  "proposal.created": "An idea was submitted",
  "comment.created": "Someone commented",
  "proposal.status-changed": "An idea’s status changed",
  "proposal.updated": "Your team posted an official response",
  "survey-response.created": "A survey was answered",
};

/** The events that a webhook of this format can be sent, by group. */
export const eventsOf = (format: WebhookFormat): Readonly<Record<string, Readonly<Record<string, string>>>> =>
  format === "slack" ? { Messages: MESSAGES } : SENTENCES;

/** The formats: name and what to know. */
export const FORMATS: Readonly<Record<WebhookFormat, readonly [name: string, hint: string]>> = {
  standard: ["Webhook (JSON, signed)", "Every change, to your own server"],
  slack: ["Slack message", "For Slack, Mattermost, Rocket.Chat and Discord. At most one message a minute"],
};

const IN_WORDS: Readonly<Record<string, string>> = Object.assign({ [TEST_TYPE]: "Ping" }, ...Object.values(SENTENCES));
/** "An idea was submitted". Empty for an unknown type. */
export const eventInWords = (type: string): string => IN_WORDS[type] ?? "";

type Props = {
  readonly action: string;
  readonly label: string;
  readonly webhook?: Webhook;
  readonly sent: SentForm | undefined;
  /** The page is on a developer's machine. */
  readonly isLocal: boolean;
};

export const WebhookForm = ({ action, label, webhook, sent, isLocal }: Props) => {
  // On a webhook's page, the refused form may be another one.
  const own = webhook === undefined || sent?.fields.get("do") === "change" ? sent : undefined;
  const fields = own?.fields ?? toFields(webhook);
  const message = messageFor(own?.errors ?? [], "url");
  const hint = `https:// with a public host name${isLocal ? ", or http://localhost with another port" : ""}`;
  const isSlack = fields.get("format") === "slack";
  return (
    <form method="post" action={action} class="create">
      <Once />
      {webhook ? (
        <>
          <OpenedWith fields={fields} />
          <input type="hidden" name="format" value={webhook.format} />
        </>
      ) : (
        <fieldset id="format" class="formats">
          <legend>Format</legend>
          {Object.entries(FORMATS).map(([format, [name, about]]) => (
            <label class="choice">
              <input type="radio" name="format" value={format} checked={isSlack === (format === "slack")} />
              <span>
                {name}
                <span class="hint">{about}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <Field name="url" label="URL" hint={hint} message={message}>
        <input
          id="url"
          name="url"
          value={fields.get("url") ?? ""}
          required
          inputmode="url"
          autocomplete="off"
          {...described("url", message, hint)}
        />
      </Field>
      {(!webhook || isSlack) && (
        <>
          <AddressHelp isKnown={webhook !== undefined} />
          <fieldset id={isSlack ? "types" : "told"} class="of-slack">
            <legend>Messages</legend>
            {MESSAGE_TYPES.map((type) => (
              <label class="choice">
                <input type="checkbox" name="told" value={type} checked={fields.has("told", type)} />
                <span>{MESSAGES[type]}</span>
              </label>
            ))}
          </fieldset>
        </>
      )}
      {!(webhook && isSlack) && <Events fields={fields} id={isSlack ? "events" : "types"} />}
      <button type="submit" name="do" value="change" class="primary">
        {label}
      </button>
    </form>
  );
};

const AddressHelp = ({ isKnown }: { isKnown: boolean }) => (
  <div class="of-slack hint">
    <p>
      {isKnown ? "Only the end of the address is shown, because it works like a password. " : ""}
      {isKnown ? "Leave it to keep it, or paste another." : "Create an incoming webhook and paste its address:"}
    </p>
    <ul>
      <li>Slack: your app’s settings, Incoming Webhooks, Add New Webhook</li>
      <li>Mattermost, Rocket.Chat: Integrations, Incoming Webhook</li>
      <li>
        Discord: the channel’s settings, Integrations, Webhooks. Add <code>/slack</code> to the end of the address
      </li>
    </ul>
    {!isKnown && <p>It works like a password, so you won’t see all of it again.</p>}
  </div>
);

const Events = ({ fields, id }: { fields: URLSearchParams; id: string }) => (
  <fieldset id={id} class="events-choice of-standard">
    <legend>Events</legend>
    <label class="choice">
      <input type="radio" name="events" value="all" checked={fields.get("events") !== "chosen"} />
      <span>
        Everything that happens on your boards
        <span class="hint">Not events of the account</span>
      </span>
    </label>
    <label class="choice">
      <input type="radio" name="events" value="chosen" checked={fields.get("events") === "chosen"} />
      <span>
        Choose events
        <span class="hint">Including those of the account, such as an expiring key</span>
      </span>
    </label>
    <div class="scopes">
      {Object.entries(SENTENCES).map(([group, sentences]) => (
        <fieldset class="scope-group">
          <legend>{group}</legend>
          {Object.entries(sentences).map(([type, sentence]) => (
            <label class="choice">
              <input type="checkbox" name="types" value={type} checked={fields.has("types", type)} />
              <span>
                {sentence}
                <span class="hint">{type}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  </fieldset>
);

/** The fields of a setting that has several. */
export const FIELDS_OF = { types: ["events", "types", "told"] };

/** The values with which the form opens. */
export function toFields(webhook: Webhook | undefined): URLSearchParams {
  const fields = new URLSearchParams({ url: webhook?.url ?? "", events: webhook?.types ? "chosen" : "all" });
  fields.set("format", webhook?.format ?? "standard");
  for (const type of webhook?.types ?? []) fields.append("types", type);
  for (const type of webhook?.types ?? MESSAGE_TYPES) fields.append("told", type);
  return fields;
}

/** When no type is chosen, all types are meant, unless the form says that some are chosen. Of messages, all boxes mean all types. */
export function toSettings(fields: URLSearchParams) {
  if (fields.get("format") === "slack") {
    const told = fields.getAll("told");
    return { url: fields.get("url"), types: told.length === MESSAGE_TYPES.length ? null : told };
  }
  const types = fields.getAll("types");
  if (fields.get("events") === "all") return { url: fields.get("url"), types: null };
  return { url: fields.get("url"), types: types.length > 0 || fields.get("events") === "chosen" ? types : null };
}
