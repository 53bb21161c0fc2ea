/** `/account/idea-banks`: every idea bank, and the form for another. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Once } from "../frame/form-key.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { BANK_STATUSES } from "../frame/words.ts";

type Props = {
  readonly frame: Frame;
  readonly ideaBanks: readonly IdeaBank[];
  readonly next: string | undefined;
  /** The refused name; empty when the page opens. */
  readonly name: string;
  readonly errors: readonly FieldError[];
};

const LABEL = "Name";
const HINT = "People see it: “Ideas for the app”, for example.";

export const IdeaBanksPage = ({ frame, ideaBanks, next, name, errors }: Props) => {
  const message = messageFor(errors, "name");
  return (
    <Layout title="Idea banks" current="idea-banks" {...frame}>
      {message && <ErrorSummary title="The idea bank was not created." errors={errors} labels={{ name: LABEL }} />}
      <p class="lead">
        {ideaBanks.length === 0
          ? "An idea bank collects what people wish for. Create the first one below."
          : "Open one to work through its ideas."}
      </p>
      <ul class="events members">
        {ideaBanks.map((ideaBank) => (
          <li>
            <div>
              <h2 dir="auto">
                <a href={`/account/idea-banks/${ideaBank.id}`}>{ideaBank.name}</a>
              </h2>
              <p class="hint">{stateInWords(ideaBank)}</p>
            </div>
            <p class="buttons">
              <a
                class="button"
                href={`/account/idea-banks/${ideaBank.id}/settings`}
                aria-label={`Settings of “${ideaBank.name}”`}
              >
                Settings
              </a>
            </p>
          </li>
        ))}
      </ul>
      {next && (
        <p>
          <a href={`/account/idea-banks?cursor=${next}`}>Older</a>
        </p>
      )}
      <section aria-labelledby="create">
        <h2 id="create">Create an idea bank</h2>
        <form method="post" action="/account/idea-banks" class="narrow">
          <Once />
          <Field name="name" label={LABEL} hint={HINT} message={message}>
            <input
              id="name"
              name="name"
              value={name}
              required
              maxlength={100}
              autocomplete="off"
              {...described("name", message, HINT)}
            />
          </Field>
          <button type="submit" class="primary">
            Create idea bank
          </button>
        </form>
      </section>
    </Layout>
  );
};

function stateInWords({ status, internal, changelogEnabled, approvalRequired }: IdeaBank): string {
  const parts = [
    BANK_STATUSES[status][0],
    internal && "internal",
    approvalRequired && "ideas wait for approval",
    changelogEnabled && "with a changelog",
  ];
  return parts.filter(Boolean).join(", ");
}
