/** A form's fields and what is wrong with them, at the field and in a summary that links to it. */

import type { FieldError } from "../../http/invalid-request.ts";
import type { Child } from "../jsx-runtime.ts";

/** What is wrong with a field; an error of a part of it, as `scopes.0`, is the field's, and says the number of one of a list. */
export function messageFor(errors: readonly FieldError[], name: string): string | undefined {
  const error = errors.find(({ path }) => path.split(".")[0] === name);
  const [, place] = error?.path.match(/\.(\d+)$/) ?? [];
  return place === undefined ? error?.message : `number ${Number(place) + 1} ${error?.message}`;
}

/** Takes the focus when the page opens. `labels` are the fields' by name; the field's element has its name as id. */
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
              <a href={`#${name}`}>{`${label} ${message}`}</a>
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

/** The error stands in the place of the hint, so that neighbours stay where they are. */
export const Field = ({ name, label, hint, message, children }: FieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    {children}
    {(message || hint) && (
      <p id={`${name}-hint`} class={message ? "error" : "hint"}>
        {message ? `${label} ${message}` : hint}
      </p>
    )}
  </div>
);

/** What an input says of the text below it. */
export const described = (name: string, message: string | undefined, hint?: string) => ({
  "aria-describedby": message || hint ? `${name}-hint` : undefined,
  "aria-invalid": message ? ("true" as const) : undefined,
});
