/** The form for a webhook's URL and types. */
import type { FieldError } from "../../http/invalid-request.ts";
import { ACCOUNT_EVENT_TYPES } from "../../model/account-event.ts";
import { CHANGE_TYPES } from "../../model/change.ts";
import type { Webhook } from "../../model/webhook.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Once } from "../frame/form-key.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";

/** A refused form, with its errors. */
export type SentForm = { readonly fields: URLSearchParams; readonly errors: readonly FieldError[] };

export const Refused = ({ sent }: { sent: SentForm | undefined }) =>
  sent && <ErrorSummary title="Nothing was changed." errors={sent.errors} labels={{ url: "URL", to: "Time" }} />;

const CHOICES = {
  Types: {
    hint: "Leave empty for all types, also those that are added later. As soon as something is ticked, only what is ticked is sent.",
    types: CHANGE_TYPES,
  },
  "Account events": { hint: "Sent only where they are ticked.", types: ACCOUNT_EVENT_TYPES },
};

type Props = {
  readonly action: string;
  readonly label: string;
  readonly webhook?: Webhook;
  readonly sent: SentForm | undefined;
};

export const WebhookForm = ({ action, label, webhook, sent }: Props) => {
  // On a webhook's page, the refused form may be another one.
  const own = webhook === undefined || sent?.fields.get("do") === "change" ? sent : undefined;
  const fields = own?.fields ?? toFields(webhook);
  const message = messageFor(own?.errors ?? [], "url");
  const hint = "https://, and a public host name.";
  return (
    <form method="post" action={action} class="create">
      <Once />
      {webhook && <OpenedWith fields={fields} />}
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
      {Object.entries(CHOICES).map(([legend, { hint, types }]) => (
        <fieldset class="scopes">
          <legend>{legend}</legend>
          <p class="hint">{hint}</p>
          {types.map((type) => (
            <label class="choice">
              <input type="checkbox" name="types" value={type} checked={fields.has("types", type)} />
              <code>{type}</code>
            </label>
          ))}
        </fieldset>
      ))}
      <button type="submit" name="do" value="change" class="primary">
        {label}
      </button>
    </form>
  );
};

function toFields(webhook: Webhook | undefined): URLSearchParams {
  const fields = new URLSearchParams({ url: webhook?.url ?? "" });
  for (const type of webhook?.types ?? []) fields.append("types", type);
  return fields;
}
