/** The form for a new key. What was typed comes back with what is wrong about it. */
import type { Child } from "hono/jsx";
import type { FieldError } from "../../http/invalid-request.ts";
import { SCOPES } from "../../model/scope.ts";

export type CreateFormProps = {
  /** The id of the key that this form creates: sent twice, it creates one. */
  readonly newKeyId: string;
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

const EXPIRIES = { "": "never", 30: "in 30 days", 90: "in 90 days", 365: "in a year" };

export const CreateForm = ({ newKeyId, fields, errors }: CreateFormProps) => {
  const messageFor = (path: string) => errors.find((error) => error.path.split(".")[0] === path)?.message;
  const chosen: readonly string[] = fields.has("name") ? fields.getAll("scopes") : SCOPES;
  return (
    <section aria-labelledby="create">
      <h2 id="create">Create a key</h2>
      {errors.length > 0 && (
        <p class="notice bad" role="alert">
          The key was not created: look at the fields that are marked.
        </p>
      )}
      <form method="post" action="/account/api-keys" class="create">
        <input type="hidden" name="newKeyId" value={newKeyId} />
        <Field name="name" label="Name" message={messageFor("name") ?? "What will use it? “CRM import”, for example."}>
          <input
            id="name"
            name="name"
            value={fields.get("name") ?? ""}
            required
            maxlength={100}
            autocomplete="off"
            aria-describedby="name-hint"
            aria-invalid={messageFor("name") ? "true" : undefined}
          />
        </Field>
        <fieldset>
          <legend>Scopes</legend>
          {messageFor("scopes") && <p class="error">{messageFor("scopes")}</p>}
          {SCOPES.map((scope) => (
            <label class="choice">
              <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />
              {scope}
            </label>
          ))}
        </fieldset>
        <div class="row">
          <NumberField
            name="limit"
            label="Requests"
            fields={fields}
            initial="600"
            max={10_000}
            message={messageFor("limit")}
          />
          <NumberField
            name="windowSeconds"
            label="per … seconds"
            fields={fields}
            initial="60"
            max={3_600}
            message={messageFor("windowSeconds")}
          />
          <Field name="expiresInDays" label="Expires" message={messageFor("expiresInDays")}>
            <select id="expiresInDays" name="expiresInDays">
              {Object.entries(EXPIRIES).map(([days, words]) => (
                <option value={days} selected={days === (fields.get("expiresInDays") ?? "")}>
                  {words}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <button type="submit" class="primary">
          Create key
        </button>
      </form>
    </section>
  );
};

type FieldProps = { name: string; label: string; message: string | undefined; children?: Child };

const Field = ({ name, label, message, children }: FieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    {children}
    {message && (
      <p id={`${name}-hint`} class="hint">
        {message}
      </p>
    )}
  </div>
);

type NumberFieldProps = Omit<FieldProps, "children"> & { fields: URLSearchParams; initial: string; max: number };

const NumberField = ({ name, label, fields, initial, max, message }: NumberFieldProps) => (
  <Field name={name} label={label} message={message}>
    <input
      id={name}
      name={name}
      type="number"
      min={1}
      max={max}
      value={fields.get(name) ?? initial}
      required
      aria-describedby={message ? `${name}-hint` : undefined}
      aria-invalid={message ? "true" : undefined}
    />
  </Field>
);
