/** `/account/approval/{id}`: one waiting proposal, beside those that it may repeat. */
import type { PendingProposal } from "../../database/pending-proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import type { Proposal } from "../../model/proposal.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { backTo } from "../frame/visit.ts";
import { counted } from "../frame/words.ts";
import { About, Decide, Seen } from "./approval-page.tsx";

type Props = {
  readonly frame: Frame;
  readonly proposal: PendingProposal;
  readonly similar: readonly Proposal[];
  readonly now: number;
  /** The refused form; empty when the page opens. */
  readonly sent: URLSearchParams;
  readonly errors: readonly FieldError[];
};

const LABEL = "Official response";
const LABELS = { response: LABEL, proposal: "The idea" };
const HINT = "Optional. Visible to everyone who can see the idea.";

export const ReviewPage = ({ frame, proposal, similar, now, sent, errors }: Props) => {
  const message = messageFor(errors, "response");
  const action = `/account/approval/${proposal.id}`;
  const idea = `/account/idea-banks/${proposal.ideaBankId}/ideas/${proposal.id}`;
  const merge = (
    <a class="button" href={backTo(`${idea}/merge`, "/account/approval")}>
      Merge with another idea…
    </a>
  );
  return (
    <Layout title={proposal.title} current="approval" {...frame}>
      <p>
        <a href="/account/approval">Waiting for approval</a>
      </p>
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      <div id="proposal">
        <About proposal={proposal} here={action} now={now} />
      </div>
      <form method="post" action={action} class="create">
        <Field name="response" label={LABEL} hint={HINT} message={message}>
          <textarea
            id="response"
            name="response"
            data-draft=""
            rows={4}
            dir="auto"
            {...described("response", message, HINT)}
          >
            {sent.get("response")}
          </textarea>
        </Field>
        <Decide proposal={proposal} />
      </form>
      {similar.length === 0 ? (
        <p>{merge}</p>
      ) : (
        <form method="post" action={action} class="create">
          <fieldset>
            <legend>Already suggested? Merge this idea and its votes into another. You can’t undo this.</legend>
            {similar.map(({ id, title, votes }) => (
              <label class="choice">
                <input type="radio" name="into" value={id} required />
                <span>
                  <bdi>{title}</bdi>
                  <span class="hint">{` ${counted(votes, "vote")}`}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <div class="buttons">
            <Seen edits={proposal.edits} />
            <button type="submit">Merge</button>
            {merge}
          </div>
        </form>
      )}
    </Layout>
  );
};
