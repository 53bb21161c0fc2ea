/** `/account/idea-banks`: every board, and the form for another. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { Done, type JustDone } from "../frame/done.tsx";
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
  readonly done: JustDone | undefined;
};

const LABEL = "Name";
const HINT = "Visible to everyone, for example “Ideas for the app”";

export const IdeaBanksPage = ({ frame, ideaBanks, next, name, errors, done }: Props) => {
  const message = messageFor(errors, "name");
  return (
    <Layout title="Boards" current="idea-banks" {...frame}>
      <Done done={done} />
      {message && <ErrorSummary title="The board was not created." errors={errors} labels={{ name: LABEL }} />}
      <p class="lead">
        {ideaBanks.length === 0
          ? "A board collects ideas and votes, and shows what you ship."
          : "Choose a board to see its ideas."}
      </p>
      <ul class="events members">
        {ideaBanks.map((ideaBank) => (
          <li>
            <div>
              <h2 dir="auto">
                <a href={`/account/idea-banks/${ideaBank.id}`}>{ideaBank.name}</a>
              </h2>
              <p class="hint">
                <span class={`pill ${ideaBank.status === "OPEN" ? "good" : "warn"}`}>
                  {BANK_STATUSES[ideaBank.status][0]}
                </span>{" "}
                {stateInWords(ideaBank)}
              </p>
            </div>
            <p class="buttons">
              <a
                class="button"
                href={`/account/idea-banks/${ideaBank.id}/embed`}
                aria-label={`Embed “${ideaBank.name}”`}
              >
                Embed
              </a>
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
        <h2 id="create">Create a board</h2>
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
            Create board
          </button>
        </form>
      </section>
    </Layout>
  );
};

function stateInWords({ internal, changelogEnabled, approvalRequired }: IdeaBank): string {
  const parts = [internal && "Internal", approvalRequired && "Approval", changelogEnabled && "Changelog"];
  return parts.filter(Boolean).join(" · ");
}
