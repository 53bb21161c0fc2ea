/** The box in which members set a person's e-mail address, or take it away. */
import type { Panelist } from "../../model/panelist.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { useMay } from "../frame/frame.ts";
import { OpenedWith } from "../frame/opened-form.tsx";
import type { SentForm } from "../frame/page.tsx";

type Props = {
  readonly panelist: Panelist;
  readonly action: string;
  /** The form that was refused, and its errors. */
  readonly refused: SentForm | undefined;
};

const LABELS = { email: "Email address" };
const HINT = "Only your team sees it. Leave empty for none.";
const VERIFIED_HINT =
  "They sign in with this address. If you change it, signing in by email no longer leads to this person. Leave empty for none.";

export const AddressForm = ({ panelist: { email, emailVerified }, action, refused }: Props) => {
  if (!useMay("member")) return null;
  const stored = new URLSearchParams({ email: email ?? "" });
  const fields = refused === undefined ? stored : refused.fields;
  const hint = emailVerified ? VERIFIED_HINT : HINT;
  const errors = refused?.errors ?? [];
  const message = messageFor(errors, "email");
  return (
    <form method="post" action={action} class="create">
      <h2>Email</h2>
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      {/* Of a form that was refused, too: the page shows the address as it is now. */}
      <OpenedWith fields={stored} />
      <Field name="email" label={LABELS.email} hint={hint} message={message}>
        <input
          id="email"
          name="email"
          type="email"
          value={fields.get("email") ?? ""}
          maxlength={254}
          autocomplete="off"
          {...described("email", message, hint)}
        />
      </Field>
      <button type="submit" name="do" value="email">
        Save
      </button>
    </form>
  );
};
