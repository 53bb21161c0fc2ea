/** The form for a new key. What was typed comes back with what is wrong about it. */
import type { FieldError } from "../../http/invalid-request.ts";
import { REGIONS } from "../../model/api-key.ts";
import { SCOPES } from "../../model/scope.ts";
import { described, Field, messageFor } from "./field.tsx";
import { rateInWords, regionInWords, SCOPE_GROUPS } from "./key-words.ts";

export type CreateFormProps = {
  /** Signed: the id of the key that this form creates. Sent twice, it creates one. */
  readonly newKeyId: string;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

/** What the summary of errors calls the fields. */
export const CREATE_LABELS = {
  name: "Name",
  scopes: "Scopes",
  limit: "Requests",
  windowSeconds: "Seconds",
  expiresInDays: "Expires",
  region: "Region",
};

const EXPIRIES = { "": "Never", 30: "In 30 days", 90: "In 90 days", 365: "In a year" };

/** `limit/windowSeconds`, the common ones first. */
const RATES: readonly [number, number][] = [
  [600, 60],
  [60, 60],
  [3_000, 60],
  [10, 1],
  [1_000, 3_600],
];
const DEFAULT_RATE = "600/60";
const OTHER_RATE = "other";

export const CreateForm = ({ newKeyId, fields, errors }: CreateFormProps) => {
  const chosen: readonly string[] = fields.has("name") ? fields.getAll("scopes") : SCOPES;
  const rate = fields.get("rate") ?? (fields.has("limit") ? OTHER_RATE : DEFAULT_RATE);
  const [name, scopes, limit, windowSeconds, expires, region] = Object.keys(CREATE_LABELS).map((field) =>
    messageFor(errors, field),
  );
  const regionHint = "Where its limit is counted: best near the servers that will use it. It cannot be changed.";
  const nameHint = "What will use it? “CRM import”, for example.";
  return (
    <form method="post" action="/account/api-keys" class="create">
      <input type="hidden" name="newKeyId" value={newKeyId} />
      <div class="columns">
        <Field name="name" label="Name" hint={nameHint} message={name}>
          <input
            id="name"
            name="name"
            value={fields.get("name") ?? ""}
            required
            maxlength={100}
            autocomplete="off"
            {...described("name", name, nameHint)}
          />
        </Field>
        <Field name="expiresInDays" label="Expires" message={expires}>
          <select id="expiresInDays" name="expiresInDays" {...described("expiresInDays", expires)}>
            {Object.entries(EXPIRIES).map(([days, words]) => (
              <option value={days} selected={days === (fields.get("expiresInDays") ?? "")}>
                {words}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <fieldset id="scopes" class="scopes" tabindex={-1} aria-describedby="scopes-hint">
        <legend>Scopes</legend>
        <p id="scopes-hint" class={scopes ? "error" : "hint"}>
          {scopes ? `Scopes ${scopes}` : "What the key may do. Take away what its user does not need."}
        </p>
        {SCOPE_GROUPS.map(({ noun, scopes: known }) => (
          <fieldset class="scope-group">
            <legend>{noun}</legend>
            {known.map(([scope, phrase]) => (
              <label class="choice">
                <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
                <span>
                  <code>{scope}</code>
                  <span class="hint">{phrase}</span>
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </fieldset>
      <div class="columns rate">
        <Field name="rate" label="Limit" message={undefined}>
          <select id="rate" name="rate">
            {RATES.map(([requests, seconds]) => (
              <option value={`${requests}/${seconds}`} selected={rate === `${requests}/${seconds}`}>
                {rateInWords(requests, seconds)}
              </option>
            ))}
            <option value={OTHER_RATE} selected={rate === OTHER_RATE}>
              Another limit…
            </option>
          </select>
        </Field>
        <div class="other-rate">
          <NumberField name="limit" fields={fields} initial="600" message={limit} hint="At most 10,000" />
          <NumberField
            name="windowSeconds"
            fields={fields}
            initial="60"
            message={windowSeconds}
            hint="1 to 3,600: the length of the window"
          />
        </div>
      </div>
      <Field name="region" label={CREATE_LABELS.region} hint={regionHint} message={region}>
        <select id="region" name="region" {...described("region", region, regionHint)}>
          {[null, ...REGIONS].map((each) => (
            <option value={each ?? ""} selected={each === (fields.get("region") || null)}>
              {regionInWords(each)}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="primary">
        Create key
      </button>
    </form>
  );
};

type NumberFieldProps = {
  readonly name: "limit" | "windowSeconds";
  readonly fields: URLSearchParams;
  readonly initial: string;
  readonly hint: string;
  readonly message: string | undefined;
};

/** Not checked by the browser: it could not say what is wrong with a field that the chosen limit hides. */
const NumberField = ({ name, fields, initial, hint, message }: NumberFieldProps) => (
  <Field name={name} label={CREATE_LABELS[name]} hint={hint} message={message}>
    <input
      id={name}
      name={name}
      inputmode="numeric"
      autocomplete="off"
      value={fields.get(name) ?? initial}
      {...described(name, message, hint)}
    />
  </Field>
);
