/** The field that names a person, and who may be meant when nobody has the id. */
import { described, Field } from "../frame/field.tsx";
import { nameOf } from "../frame/words.ts";
import { NEW_PERSON, type UnknownPerson } from "./named-person.ts";

export const PERSON_LABEL = "Person";

/** The error when there are choices. */
export const UNKNOWN_PERSON = {
  path: "panelistExternalId",
  message: "has no match. Choose below",
};

type Props = {
  readonly fields: URLSearchParams;
  readonly hint: string;
  readonly message: string | undefined;
  readonly unknown: UnknownPerson | undefined;
  readonly required?: boolean;
};

export const PersonField = ({ fields, hint, message, unknown, required = false }: Props) => (
  <>
    <Field name="panelistExternalId" label={PERSON_LABEL} hint={hint} message={message}>
      <input
        id="panelistExternalId"
        name="panelistExternalId"
        value={fields.get("panelistExternalId") ?? ""}
        required={required}
        maxlength={200}
        autocomplete="off"
        {...described("panelistExternalId", message, hint)}
      />
    </Field>
    {unknown && <Choices {...unknown} />}
  </>
);

const Choices = ({ externalId, found }: UnknownPerson) => (
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
      <input type="radio" name="person" value={NEW_PERSON} />
      <span>
        Create “<bdi>{externalId}</bdi>” as a new person
        <span class="hint">This becomes their ID in your system.</span>
      </span>
    </label>
  </fieldset>
);
