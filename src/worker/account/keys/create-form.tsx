/** The form for a new key. A refused form comes back with its values and its errors. */
import type { FieldError } from "../../http/invalid-request.ts";
import { REGIONS } from "../../model/api-key.ts";
import { SCOPES } from "../../model/scope.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { AddressesField, KEY_LABELS, NameField, RateField, ScopesField } from "./key-fields.tsx";
import { regionInWords } from "./key-words.ts";

export type CreateFormProps = {
  /** The signed id of the key that this form creates. Sent twice, it creates one key. */
  readonly newKeyId: string;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  /** Whether the form is unfolded: it was asked for, or was refused. */
  readonly isOpen: boolean;
};

/** The fields' names in the summary of errors. */
export const CREATE_LABELS = { ...KEY_LABELS, expiresInDays: "Expires", region: "Region" };

/** The scopes of a new key unless its owner chooses others. */
const READING = SCOPES.filter((scope) => scope.endsWith(":read"));
const EXPIRIES = { "": "Never", 30: "In 30 days", 90: "In 90 days", 365: "In a year" };

export const CreateForm = ({ newKeyId, fields, errors }: Omit<CreateFormProps, "isOpen">) => {
  const chosen: readonly string[] = fields.has("name") ? fields.getAll("scopes") : READING;
  const [expires, region] = [messageFor(errors, "expiresInDays"), messageFor(errors, "region")];
  const regionHint = "Where its limit is counted: best near the servers that will use it. It cannot be changed.";
  return (
    <form method="post" action="/account/api-keys" class="create">
      <input type="hidden" name="newKeyId" value={newKeyId} />
      <div class="columns">
        <NameField value={fields.get("name") ?? ""} errors={errors} />
        <Field name="expiresInDays" label="Expires" message={expires}>
          <select id="expiresInDays" name="expiresInDays" {...described("expiresInDays", expires)}>
            {Object.entries(EXPIRIES).map(([days, words]) => (
              <option value={days} selected={days === (fields.get("expiresInDays") ?? "90")}>
                {words}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <ScopesField chosen={chosen} errors={errors} />
      <RateField fields={fields} errors={errors} />
      <Field name="region" label={CREATE_LABELS.region} hint={regionHint} message={region}>
        <select id="region" name="region" {...described("region", region, regionHint)}>
          {[null, ...REGIONS].map((each) => (
            <option value={each ?? ""} selected={each === (fields.get("region") || null)}>
              {regionInWords(each)}
            </option>
          ))}
        </select>
      </Field>
      <AddressesField fields={fields} errors={errors} />
      <button type="submit" class="primary">
        Create key
      </button>
    </form>
  );
};
