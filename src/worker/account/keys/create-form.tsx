/** `/account/api-keys/new`: the form for a new key. A refused form comes back with its values and its errors. */
import type { FieldError } from "../../http/invalid-request.ts";
import { MAX_ACTIVE_KEYS } from "../../model/account.ts";
import { REGIONS } from "../../model/api-key.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { counted } from "../frame/words.ts";
import { AddressesField, KEY_LABELS, NameField, RateField, ScopeChoices } from "./key-fields.tsx";
import { regionInWords } from "./key-words.ts";
import { CUSTOM, PRESETS, presetOf } from "./presets.ts";

type Props = {
  readonly frame: Frame;
  /** The signed id of the key that this form creates. Sent twice, it creates one key. Undefined without room for a key. */
  readonly newKeyId: string | undefined;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

/** The fields' names in the summary of errors. */
const LABELS = { ...KEY_LABELS, expiresInDays: "Expires", region: "Region" };
/** The fields that few keys need. */
const FOLDED = ["limit", "windowSeconds", "region", "allowedAddresses"];
const EXPIRIES = { 7: "In 7 days", 30: "In 30 days", 90: "In 90 days", 365: "In a year", "": "Never" };

export const NewKeyPage = ({ frame, newKeyId, fields, errors }: Props) => (
  <Layout title="Create an API key" current="api-keys" {...frame}>
    {errors.length > 0 && <ErrorSummary title="The key wasn’t created." errors={errors} labels={LABELS} />}
    {newKeyId === undefined ? (
      <p class="notice">
        {`You have ${MAX_ACTIVE_KEYS} active keys, the maximum. `}
        <a href="/account/api-keys">Revoke one first</a>
      </p>
    ) : (
      <CreateForm newKeyId={newKeyId} fields={fields} errors={errors} />
    )}
  </Layout>
);

const CreateForm = ({ newKeyId, fields, errors }: Omit<Props, "frame">) => {
  const [expires, region] = [messageFor(errors, "expiresInDays"), messageFor(errors, "region")];
  const regionHint = "Where requests are counted. Pick the one nearest your servers. It can’t be changed later.";
  const chosen = fields.get("expiresInDays") ?? "90";
  // A refused form opens as it was sent, unless an error is inside.
  const isOpen =
    errors.length > 0 ? FOLDED.some((name) => messageFor(errors, name) !== undefined) : fields.has("limit");
  return (
    <form method="post" action="/account/api-keys" class="create">
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
        <a href="/account/api-keys">Cancel</a>
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
