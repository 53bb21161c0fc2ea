/** The field that names a person, and who may be meant when nobody has the id. */
import type { FieldError } from "../../http/invalid-request.ts";
import { described, Field, messageFor } from "../frame/field.tsx";
import { nameOf } from "../frame/words.ts";
import { NEW_PERSON, type UnknownPerson } from "./named-person.ts";
import { SUGGESTED_PEOPLE_PATH } from "./suggested-people.ts";

export const PERSON_LABELS = { panelistExternalId: "Person", displayName: "Name of the new person" };

type Props = {
  readonly fields: URLSearchParams;
  readonly hint: string;
  readonly errors: readonly FieldError[];
  readonly unknown: UnknownPerson | undefined;
  readonly required?: boolean;
};

export const PersonField = ({ fields, hint, errors, unknown, required = false }: Props) => {
  const message = messageFor(errors, "panelistExternalId");
  return (
    <>
      <Field name="panelistExternalId" label={PERSON_LABELS.panelistExternalId} hint={hint} message={message}>
        <input
          id="panelistExternalId"
          name="panelistExternalId"
          value={fields.get("panelistExternalId") ?? ""}
          required={required}
          maxlength={200}
          autocomplete="off"
          list="people"
          data-from={SUGGESTED_PEOPLE_PATH}
          {...described("panelistExternalId", message, hint)}
        />
        <datalist id="people" />
        <output class="hint" for="panelistExternalId" dir="auto" />
      </Field>
      {unknown && <Choices {...unknown} fields={fields} wrongName={messageFor(errors, "displayName")} />}
    </>
  );
};

type ChoicesProps = UnknownPerson & { readonly fields: URLSearchParams; readonly wrongName: string | undefined };

const NAME_HINT = "Optional. Other people see it.";

const Choices = ({ externalId, found, fields, wrongName }: ChoicesProps) => (
  <fieldset>
    <legend>{found.length > 0 ? "Did you mean" : "No one has this ID yet"}</legend>
    <input type="hidden" name="asked" value={externalId} />
    {found.map((panelist) => (
      <label class="choice">
        <input type="radio" name="person" value={panelist.id} />
        <span>
          <bdi>{nameOf(panelist)}</bdi>
          {panelist.externalId !== null && panelist.displayName !== null && (
            <>
              {" ("}
              <code>{panelist.externalId}</code>)
            </>
          )}
        </span>
      </label>
    ))}
    <label class="choice">
      <input type="radio" name="person" value={NEW_PERSON} checked={wrongName !== undefined} />
      <span>
        Create “<bdi>{externalId}</bdi>” as a new person
        <span class="hint">This becomes their ID in your system.</span>
      </span>
    </label>
    <Field name="displayName" label={PERSON_LABELS.displayName} hint={NAME_HINT} message={wrongName}>
      <input
        id="displayName"
        name="displayName"
        value={fields.get("displayName") ?? ""}
        autocomplete="off"
        dir="auto"
        {...described("displayName", wrongName, NAME_HINT)}
      />
    </Field>
  </fieldset>
);
