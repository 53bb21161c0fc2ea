/** `/account/idea-banks/{id}/ideas/{id}/merge`: finds the idea that this one repeats, or that repeats this one. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Proposal } from "../../model/proposal.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { counted, IDEA_STATUSES } from "../frame/words.ts";

type Props = {
  readonly frame: Frame;
  readonly ideaBankId: string;
  readonly idea: Proposal;
  /** Empty when nothing was searched for: then the candidates are similar. */
  readonly q: string;
  readonly candidates: readonly Proposal[];
  /** No idea is similar, so the candidates are those with the most votes. */
  readonly isFound: boolean;
  readonly back: string | undefined;
  readonly errors: readonly FieldError[];
};

export const MergePage = ({ frame, ideaBankId, idea, q, candidates, isFound, back, errors }: Props) => {
  const path = `/account/idea-banks/${ideaBankId}/ideas/${idea.id}`;
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  return (
    <Layout title={`Merge “${idea.title}” with another idea`} current="ideas" {...frame}>
      <p>
        <a href={`${path}${query}`}>Back to the idea</a>
      </p>
      {errors.length > 0 && (
        <ErrorSummary title="Nothing was merged." errors={errors} labels={{ into: "The other idea" }} />
      )}
      <search>
        <form method="get" action={`${path}/merge`} class="filters">
          {back && <input type="hidden" name="back" value={back} />}
          <label>
            Search titles
            <input type="search" name="q" value={q} maxlength={200} required />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {candidates.length === 0 && <p class="notice">Nothing found. Search for a word from the other idea’s title.</p>}
      {candidates.length > 0 && q === "" && (
        <p class="hint">
          {isFound
            ? "Ideas with a similar title:"
            : "No idea has a similar title. These have the most votes; search for others."}
        </p>
      )}
      {candidates.length > 0 && (
        <form method="post" action={`${path}/merge${query}`} class="create">
          <fieldset id="into">
            <legend>
              Choose the other idea. The idea you keep gets both ideas’ votes, one per person. Comments stay where they
              were posted. You can’t undo a merge.
            </legend>
            {candidates.map(({ id, title, status, votes }, index) => (
              <label class="choice">
                <input type="radio" name="into" value={id} required checked={isFound && index === 0} />
                <span>
                  <bdi>{title}</bdi>
                  <span class="hint">{` ${counted(votes, "vote")} · ${IDEA_STATUSES[status]}`}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <div class="buttons">
            <button type="submit" class="primary">
              Merge into the chosen idea
            </button>
            <button type="submit" name="keep" value="this">
              Merge the chosen idea into this one
            </button>
          </div>
        </form>
      )}
    </Layout>
  );
};
