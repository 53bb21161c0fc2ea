/** A form's fields with their errors, at the field and in a summary that links to it. */

import type { Child } from "hono/jsx";
import type { FieldError } from "../../http/invalid-request.ts";

/** The error of a field. An error of a part, such as `scopes.0`, belongs to the field, and names the part's number in a list. */
export function messageFor(errors: readonly FieldError[], name: string): string | undefined {
  const error = errors.find(({ path }) => path.split(".")[0] === name);
  const [, place] = error?.path.match(/\.(\d+)$/) ?? [];
  return place === undefined ? error?.message : `number ${Number(place) + 1} ${error?.message}`;
}

/** A message is about its field, or a sentence of its own. */
const sentence = (label: string, message: string): string =>
  /^\p{Lu}/u.test(message) ? message : `${label} ${message}`;

/** Takes the focus when the page opens. `labels` are the fields' labels by name; the id of a field's element is its name. */
export const ErrorSummary = ({
  title,
  errors,
  labels,
}: {
  title: string;
  errors: readonly FieldError[];
  labels: Readonly<Record<string, string>>;
}) => (
  <div class="notice bad" role="alert" tabindex={-1} autofocus>
    <p>
      <strong>{title}</strong>
    </p>
    <ul>
      {Object.entries(labels).map(([name, label]) => {
        const message = messageFor(errors, name);
        return (
          message && (
            <li>
              <a href={`#${name}`}>{sentence(label, message)}</a>
            </li>
          )
        );
      })}
    </ul>
  </div>
);

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly message: string | undefined;
  readonly children?: Child;
};

/** The error replaces the hint, so that neighbours do not move. */
export const Field = ({ name, label, hint, message, children }: FieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    {children}
    {(message || hint) && (
      <p id={`${name}-hint`} class={message ? "error" : "hint"}>
        {message ? sentence(label, message) : hint}
      </p>
    )}
  </div>
);

/** The attributes that connect an input with the text below it. */
export const described = (name: string, message: string | undefined, hint?: string) => ({
  "aria-describedby": message || hint ? `${name}-hint` : undefined,
  "aria-invalid": message ? ("true" as const) : undefined,
});
