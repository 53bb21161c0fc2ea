/** A refused new name, with what is wrong about it. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { ApiKey } from "../../model/account.ts";
import { described, ErrorSummary, Field, messageFor } from "./field.tsx";
import { type Frame, Layout } from "./layout.tsx";

type Props = {
  readonly frame: Frame;
  readonly apiKey: ApiKey;
  readonly name: string;
  readonly errors: readonly FieldError[];
};

export const RenamePage = ({ frame, apiKey, name, errors }: Props) => {
  const message = messageFor(errors, "name");
  return (
    <Layout title={`Rename “${apiKey.name}”`} current="keys" {...frame}>
      <ErrorSummary title="The key was not renamed." errors={errors} labels={{ name: "New name" }} />
      <form method="post" action={`/account/api-keys/${apiKey.id}/rename`} class="narrow">
        <Field name="name" label="New name" message={message}>
          <input
            id="name"
            name="name"
            value={name}
            required
            maxlength={100}
            autocomplete="off"
            {...described("name", message)}
          />
        </Field>
        <div class="buttons">
          <button type="submit" class="primary">
            Rename
          </button>
          <a href="/account/api-keys">Keep “{apiKey.name}”</a>
        </div>
      </form>
    </Layout>
  );
};
