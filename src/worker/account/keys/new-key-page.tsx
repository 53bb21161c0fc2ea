/** `/account/api-keys/new`: the form for a new key. A refused form comes back with its values and its errors. */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { signFormId, verifyFormId } from "../../credentials/form-id.ts";
import { createId } from "../../credentials/id.ts";
import { listApiKeys } from "../../database/keys/account-keys.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { type ApiKey, MAX_ACTIVE_KEYS } from "../../model/account-key.ts";
import { REGIONS } from "../../model/api-key.ts";
import { visitAccount } from "../account-databases.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { counted } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { API_KEYS, createKey, loadKey } from "./actions.ts";
import { namingAddresses, toFields, toNewApiKey } from "./forms.ts";
import { AddressesField, KEY_LABELS, NameField, RateField, ScopeChoices } from "./key-fields.tsx";
import { regionInWords } from "./key-words.ts";
import { CUSTOM, PRESETS, presetOf } from "./presets.ts";
import { ShownKeyPage } from "./shown-key-page.tsx";

type Props = {
  /** The signed id of the key that this form creates. Sent twice, it creates one key. Undefined without room for a key. */
  readonly newKeyId: string | undefined;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

export const NEW_KEY_PAGE = page({
  path: `${API_KEYS}/new`,
  needs: "admin",

  load: async (c) => {
    const like = filledIn(c).get("like");
    return loadNew(c, like ? likeKey(await loadKey(c, like), Date.now()) : new URLSearchParams());
  },

  view: ({ newKeyId, fields, errors }) => (
    <Layout title="Create an API key" current="api-keys">
      {errors.length > 0 && <ErrorSummary title="The key wasn’t created." errors={errors} labels={LABELS} />}
      {newKeyId === undefined ? (
        <p class="notice">
          {`You have ${MAX_ACTIVE_KEYS} active keys, the maximum. `}
          <a href={API_KEYS}>Revoke one first</a>
        </p>
      ) : (
        <CreateForm newKeyId={newKeyId} fields={fields} errors={errors} />
      )}
    </Layout>
  ),

  formPath: API_KEYS,

  act: async (c) => {
    const fields = await readForm(c);
    const id = await verifyFormId(fields.get("newKeyId") ?? "", c.var.owner.email, c.get("settings").signingKeys);
    const shown = await createKey(c, toNewApiKey(fields), { chosenId: id });
    const origin = new URL(c.req.url).origin;
    return renderPage(c, <ShownKeyPage shown={shown} rotated={false} origin={origin} />, 201);
  },

  refused: (c, { fields, errors }) => loadNew(c, fields, namingAddresses(errors, fields)),
});

async function loadNew(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
  errors: readonly FieldError[] = [],
): Promise<Props> {
  const { accountId, keys } = await visitAccount(c, listApiKeys);
  const hasRoom = keys.filter(({ state }) => state === "active").length < MAX_ACTIVE_KEYS;
  const { signingKeys } = c.get("settings");
  const newKeyId = hasRoom
    ? await signFormId(createId(accountId, secureRandomBytes), c.var.owner.email, signingKeys)
    : undefined;
  return { newKeyId, fields, errors };
}

const DAY_MS = 86_400_000;

/** The fields for a key like this one. It expires when this one does; after that, in as many days as this one was given. */
function likeKey(apiKey: ApiKey, now: number): URLSearchParams {
  const fields = toFields(apiKey);
  const end = apiKey.expiresAt === null ? undefined : Date.parse(apiKey.expiresAt);
  const days = end && Math.ceil((end - (end > now ? now : Date.parse(apiKey.createdAt))) / DAY_MS);
  fields.set("expiresInDays", String(days ?? ""));
  return fields;
}

/** The fields' names in the summary of errors. */
const LABELS = { ...KEY_LABELS, expiresInDays: "Expires", region: "Region" };
/** The fields that few keys need. */
const FOLDED = ["limit", "windowSeconds", "region", "allowedAddresses"];
const EXPIRIES = { 7: "In 7 days", 30: "In 30 days", 90: "In 90 days", 365: "In a year", "": "Never" };

const CreateForm = ({ newKeyId, fields, errors }: Props) => {
  const [expires, region] = [messageFor(errors, "expiresInDays"), messageFor(errors, "region")];
  const regionHint = "Where requests are counted. Pick the one nearest your servers. It can’t be changed later.";
  const chosen = fields.get("expiresInDays") ?? "90";
  // A refused form opens as it was sent, unless an error is inside.
  const isOpen =
    errors.length > 0 ? FOLDED.some((name) => messageFor(errors, name) !== undefined) : fields.has("limit");
  return (
    <form method="post" action={API_KEYS} class="create">
      <input type="hidden" name="newKeyId" value={newKeyId} />
      <div class="columns">
        <NameField value={fields.get("name") ?? ""} errors={errors} />
        <Field name="expiresInDays" label="Expires" message={expires}>
          <select id="expiresInDays" name="expiresInDays" {...described("expiresInDays", expires)}>
            {/^\d+$/.test(chosen) && !(chosen in EXPIRIES) && (
              <option value={chosen} selected>{`In ${counted(Number(chosen), "day")}`}</option>
            )}
            {Object.entries(EXPIRIES).map(([days, words]) => (
              <option value={days} selected={days === chosen}>
                {words}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Purposes fields={fields} errors={errors} />
      <details class="more" open={isOpen}>
        <summary>Limit, region and addresses</summary>
        <RateField fields={fields} errors={errors} />
        <Field name="region" label={LABELS.region} hint={regionHint} message={region}>
          <select id="region" name="region" {...described("region", region, regionHint)}>
            {[null, ...REGIONS].map((each) => (
              <option value={each ?? ""} selected={each === (fields.get("region") || null)}>
                {regionInWords(each)}
              </option>
            ))}
          </select>
        </Field>
        <AddressesField fields={fields} errors={errors} />
      </details>
      <div class="buttons">
        <button type="submit" class="primary">
          Create key
        </button>
        <a href={API_KEYS}>Cancel</a>
      </div>
    </form>
  );
};

/** The single scopes show while they are chosen, by a style: they need no script. */
const Purposes = ({ fields, errors }: Pick<Props, "fields" | "errors">) => {
  const chosen = presetOf(fields);
  const scopes = messageFor(errors, "scopes");
  return (
    <fieldset id="scopes" class="purposes" tabindex={-1} aria-describedby={scopes && "scopes-hint"}>
      <legend>What is it for?</legend>
      {scopes && (
        <p id="scopes-hint" class="error">
          {`Scopes ${scopes}`}
        </p>
      )}
      {Object.entries(PRESETS).map(([value, { name, use, scopes: preset }]) => (
        <label class="choice">
          <input type="radio" name="preset" value={value} checked={value === chosen} />
          <span>
            {name}
            <span class="hint">{use}</span>
            {value !== "all" && <code class="hint">{preset.join(", ")}</code>}
          </span>
        </label>
      ))}
      <label class="choice">
        <input type="radio" name="preset" value={CUSTOM} checked={chosen === CUSTOM} />
        <span>Choose scopes yourself</span>
      </label>
      <fieldset class="scopes">
        <legend class="unseen">Scopes</legend>
        <ScopeChoices chosen={fields.getAll("scopes")} />
      </fieldset>
    </fieldset>
  );
};
