/** `/account/api-keys/{id}/change`: the settings of a key that can be changed without a new secret. */
import type { Context } from "hono";
import { readForm } from "../../http/read-body.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { OpenedWith, saveOpened } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { exactTime } from "../frame/times.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { API_KEYS, changeKey, loadKey } from "./actions.ts";
import { FIELDS_OF, namingAddresses, toChangeable, toFields, toKeyChanges, toOpened } from "./forms.ts";
import { AddressesField, KEY_LABELS, NameField, RateField, ScopesField } from "./key-fields.tsx";

const PATH = `${API_KEYS}/:apiKeyId/change`;
const LABELS = { ...KEY_LABELS, expiresAt: "Expires" };
const EXPIRIES = {
  1: "In a day",
  7: "In 7 days",
  30: "In 30 days",
  90: "In 90 days",
  365: "In a year",
  never: "Never",
};

async function load(c: Context<OwnerEnv, typeof PATH>, sent?: SentForm) {
  const apiKey = await loadKey(c, c.req.param("apiKeyId"));
  const errors = sent ? namingAddresses(sent.errors, sent.fields) : [];
  return { apiKey, fields: sent?.fields ?? toFields(apiKey), errors };
}

export const CHANGE_KEY_PAGE = page({
  path: PATH,
  needs: "admin",
  load,

  view: ({ apiKey, fields, errors }) => {
    const { id, name, expiresAt } = apiKey;
    const expires = messageFor(errors, "expiresAt");
    const pauseHint = "Requests are refused (403) until you resume it. It still counts as an active key.";
    return (
      <Layout title={`Edit “${name}”`} current="api-keys">
        {errors.length > 0 && <ErrorSummary title="The key wasn’t changed." errors={errors} labels={LABELS} />}
        <p class="lead">The secret stays the same. Changes apply at once.</p>
        <form method="post" action={`${API_KEYS}/${id}/change`} class="create">
          <OpenedWith fields={fields.has("was") ? fields : toOpened(apiKey)} />
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
            <a href={API_KEYS}>Cancel</a>
          </div>
        </form>
      </Layout>
    );
  },

  act: async (c) => {
    const id = c.req.param("apiKeyId");
    const fields = await readForm(c);
    const now = Date.now();
    const changes = toKeyChanges(fields, now);
    const load = async () => {
      const apiKey = await loadKey(c, id);
      return { ...apiKey, paused: apiKey.pausedAt !== null };
    };
    const toSettings = (each: URLSearchParams) => toChangeable(each, now);
    await saveOpened({ id, fields, toSettings, load, toFields: toOpened, fieldsOf: FIELDS_OF }, (_, opened) =>
      changeKey(c, id, changes, opened),
    );
    return c.redirect(`${API_KEYS}?done=changed&key=${id}`, 303);
  },

  refused: load,
});
