/** The fields of a key that can be changed later, for the form that creates a key and the one that changes it. */
import type { FieldError } from "../../http/invalid-request.ts";
import { MAX_BLOCKS } from "../../model/allowed-addresses.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { rateInWords } from "../frame/words.ts";
import { SCOPE_GROUPS } from "./key-words.ts";

/** The fields' names in the summary of errors. */
export const KEY_LABELS = {
  name: "Name",
  scopes: "Scopes",
  limit: "Requests",
  windowSeconds: "Seconds",
  allowedAddresses: "Allowed addresses",
};

/** `value` and `chosen` are the values with which the form opens. */
type FieldsProps = { readonly fields: URLSearchParams; readonly errors: readonly FieldError[] };

export const NameField = ({ value, errors }: { readonly value: string } & Pick<FieldsProps, "errors">) => {
  const message = messageFor(errors, "name");
  const hint = "What the key is for, such as “CRM import”";
  return (
    <Field name="name" label={KEY_LABELS.name} hint={hint} message={message}>
      <input
        id="name"
        name="name"
        value={value}
        required
        maxlength={100}
        autocomplete="off"
        {...described("name", message, hint)}
      />
    </Field>
  );
};

export const ScopesField = ({
  chosen,
  errors,
}: { readonly chosen: readonly string[] } & Pick<FieldsProps, "errors">) => {
  const scopes = messageFor(errors, "scopes");
  return (
    <fieldset id="scopes" class="scopes" tabindex={-1} aria-describedby="scopes-hint">
      <legend>Scopes</legend>
      <p id="scopes-hint" class={scopes ? "error" : "hint"}>
        {scopes ? `Scopes ${scopes}` : "Untick what it doesn’t need."}
      </p>
      <ScopeChoices chosen={chosen} />
    </fieldset>
  );
};

/** Each single scope, by noun. */
export const ScopeChoices = ({ chosen }: { readonly chosen: readonly string[] }) => (
  <>
    {SCOPE_GROUPS.map(({ noun, scopes: known }) => (
      <fieldset class="scope-group">
        <legend>{noun}</legend>
        {known.map(([scope, phrase]) => (
          <label class="choice">
            <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
            <span>
              {phrase}
              <code class="hint">{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
    ))}
  </>
);

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

/** The limit: a common one, or another in two fields of its own. */
export const RateField = ({ fields, errors }: FieldsProps) => {
  const given = `${fields.get("limit")}/${fields.get("windowSeconds")}`;
  const isCommon = RATES.some(([requests, seconds]) => given === `${requests}/${seconds}`);
  const rate = fields.get("rate") ?? (fields.has("limit") ? (isCommon ? given : OTHER_RATE) : DEFAULT_RATE);
  const [limit, windowSeconds] = [messageFor(errors, "limit"), messageFor(errors, "windowSeconds")];
  return (
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
        <NumberField name="limit" fields={fields} initial="600" message={limit} hint="Up to 10,000" />
        <NumberField
          name="windowSeconds"
          fields={fields}
          initial="60"
          message={windowSeconds}
          hint="Counted over 1 to 3,600 seconds"
        />
      </div>
    </div>
  );
};

export const AddressesField = ({ fields, errors }: FieldsProps) => {
  const message = messageFor(errors, "allowedAddresses");
  const hint = `IP addresses or CIDR blocks, one per line, up to ${MAX_BLOCKS}. Leave empty to allow any address.`;
  return (
    <Field name="allowedAddresses" label={KEY_LABELS.allowedAddresses} hint={hint} message={message}>
      <textarea
        id="allowedAddresses"
        name="allowedAddresses"
        rows={3}
        autocomplete="off"
        spellcheck={false}
        {...described("allowedAddresses", message, hint)}
      >
        {fields.get("allowedAddresses") ?? ""}
      </textarea>
    </Field>
  );
};

type NumberFieldProps = {
  readonly name: "limit" | "windowSeconds";
  readonly fields: URLSearchParams;
  readonly initial: string;
  readonly hint: string;
  readonly message: string | undefined;
};

/** The browser does not check it, because it could not show an error at a field that the chosen limit hides. */
const NumberField = ({ name, fields, initial, hint, message }: NumberFieldProps) => (
  <Field name={name} label={KEY_LABELS[name]} hint={hint} message={message}>
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
