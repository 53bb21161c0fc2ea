/** The title and the text of an idea, as fields: on its page, and where it is published. */
import type { FieldError } from "../../http/invalid-request.ts";
import { described, Field, messageFor } from "../frame/field.tsx";

/** A form needs up to 32 bytes for a character, because it sends its texts twice: as they are, and as they were. It has two texts of 10,000. */
export const MAX_TEXT_FORM_BYTES = 768 * 1024;

export const TEXT_LABELS = { title: "Title", description: "Description" };

type Props = {
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly rows: number;
  readonly hint?: string;
  /** The idea, where a form has the texts of several: the names of its fields end with it. */
  readonly of?: string;
};

export const textField = (name: keyof typeof TEXT_LABELS, of?: string): string =>
  of === undefined ? name : `${name}-${of}`;

export const TextFields = ({ fields, errors, rows, hint, of }: Props) => {
  const [title, description] = [textField("title", of), textField("description", of)];
  const [wrongTitle, wrongText] = [messageFor(errors, title), messageFor(errors, description)];
  return (
    <>
      <Field name={title} label={TEXT_LABELS.title} message={wrongTitle}>
        <input
          id={title}
          name={title}
          value={fields.get(title) ?? ""}
          required
          maxlength={200}
          autocomplete="off"
          dir="auto"
          {...described(title, wrongTitle)}
        />
      </Field>
      <Field name={description} label={TEXT_LABELS.description} {...(hint && { hint })} message={wrongText}>
        <textarea
          id={description}
          name={description}
          rows={rows}
          dir="auto"
          {...described(description, wrongText, hint)}
        >
          {fields.get(description)}
        </textarea>
      </Field>
    </>
  );
};
