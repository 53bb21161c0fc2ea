/** `/account/api-keys/{id}/change`: the settings of a key that can be changed without a new secret. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { ApiKey } from "../../model/account.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { exactTime, Time } from "../frame/times.tsx";
import { AddressesField, KEY_LABELS, NameField, RateField, ScopesField } from "./key-fields.tsx";

type Props = {
  readonly frame: Frame;
  readonly apiKey: ApiKey;
  /** The refused form; undefined when the page opens. */
  readonly sent: URLSearchParams | undefined;
  readonly errors: readonly FieldError[];
};

const LABELS = { ...KEY_LABELS, expiresAt: "Expires" };
const EXPIRIES = {
  1: "In a day",
  7: "In 7 days",
  30: "In 30 days",
  90: "In 90 days",
  365: "In a year",
  never: "Never",
};

export const ChangePage = ({ frame, apiKey, sent, errors }: Props) => {
  const fields = sent ?? toFields(apiKey);
  const { id, name, expiresAt } = apiKey;
  const expires = messageFor(errors, "expiresAt");
  const pauseHint = "Requests are refused (403) until you resume it. It still counts as an active key.";
  return (
    <Layout title={`Edit “${name}”`} current="api-keys" {...frame}>
      {errors.length > 0 && <ErrorSummary title="The key wasn’t changed." errors={errors} labels={LABELS} />}
      <p class="lead">The secret stays the same. Changes apply at once.</p>
      <form method="post" action={`/account/api-keys/${id}/change`} class="create">
        <OpenedWith fields={fields} />
        <div class="columns">
          <NameField value={fields.get("name") ?? ""} errors={errors} />
          <Field name="expiresAt" label={LABELS.expiresAt} message={expires}>
            <select id="expiresAt" name="expiresAt" {...described("expiresAt", expires)}>
              <option value="">{expiresAt ? `Keep: ${exactTime(expiresAt)}` : "Keep: never"}</option>
              {Object.entries(EXPIRIES).map(([value, words]) => (
                <option value={value} selected={value === fields.get("expiresAt")}>
                  {words}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <ScopesField chosen={fields.getAll("scopes")} errors={errors} />
        <RateField fields={fields} errors={errors} />
        <AddressesField fields={fields} errors={errors} />
        <label class="choice">
          <input type="checkbox" name="paused" checked={fields.has("paused")} />
          <span>
            Paused
            <span class="hint">{pauseHint}</span>
          </span>
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <a href="/account/api-keys">Cancel</a>
        </div>
      </form>
    </Layout>
  );
};

/** The form with a key’s settings. */
export function toFields({ name, scopes, limit, windowSeconds, pausedAt, allowedAddresses }: ApiKey): URLSearchParams {
  const fields = new URLSearchParams({ name, limit: String(limit), windowSeconds: String(windowSeconds) });
  for (const scope of scopes) fields.append("scopes", scope);
  fields.set("allowedAddresses", (allowedAddresses ?? []).join("\n"));
  if (pausedAt !== null) fields.set("paused", "on");
  return fields;
}

/** The confirmation before a key is revoked. It names the key, and tells whether it is still in use. */
export const RevokePage = ({ frame, apiKey, now }: { frame: Frame; apiKey: ApiKey; now: number }) => (
  <Layout title={`Revoke “${apiKey.name}”?`} current="api-keys" {...frame}>
    <p>
      <code>{`ibk_${apiKey.id}…${apiKey.lastFour}`}</code>
      {apiKey.lastUsedAt ? " was last used " : " was never used."}
      {apiKey.lastUsedAt && <Time at={apiKey.lastUsedAt} now={now} />}
    </p>
    <p>Everything that uses this key stops working at once. This can’t be undone.</p>
    {apiKey.scopes.includes("panelists:write") && (
      <p>
        Tokens it issued keep working, and so do those signed with a secret it has read.{" "}
        <a href={`/account/api-keys/${apiKey.id}/leaked`}>Did it leak?</a>
      </p>
    )}
    <form method="post" action={`/account/api-keys/${apiKey.id}/revoke`} class="confirm">
      <button type="submit" class="danger">
        Revoke key
      </button>
      <a href="/account/api-keys">Cancel</a>
    </form>
  </Layout>
);
