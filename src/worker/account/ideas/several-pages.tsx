/** `/account/ideas/merge` and `/account/ideas/delete`: what cannot be undone asks first. */

import type { QueuedIdea } from "../../database/queue.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { counted, IDEA_STATUSES } from "../frame/words.ts";

type Props = {
  readonly frame: Frame;
  readonly ideas: readonly QueuedIdea[];
  readonly back: string;
  readonly errors: readonly FieldError[];
};

/** The most wanted idea is the one that stays, unless another one is chosen. */
export const MergeSeveralPage = ({ frame, ideas, back, errors }: Props) => {
  const [first] = ideas.toSorted((one, other) => other.votes - one.votes);
  return (
    <Layout title={`Merge ${ideas.length} ideas`} current="ideas" {...frame}>
      {errors.length > 0 && (
        <ErrorSummary title="Not everything was merged." errors={errors} labels={{ into: "The idea" }} />
      )}
      <p class="lead">
        Choose the idea to keep. It gets the others’ votes, one per person, and their pages lead to it. Comments stay
        where they were posted. You can’t undo a merge.
      </p>
      <form method="post" action="/account/ideas/merge" class="create">
        <Hidden ideas={ideas} back={back} />
        <fieldset id="into">
          <legend>Keep</legend>
          {ideas.map((idea) => (
            <label class="choice">
              <input type="radio" name="into" value={idea.id} required checked={idea === first} />
              <Named idea={idea} />
            </label>
          ))}
        </fieldset>
        <div class="buttons">
          <button type="submit" class="primary">
            {`Merge ${ideas.length} ideas`}
          </button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </Layout>
  );
};

export const DeleteSeveralPage = ({ frame, ideas, back, errors }: Props) => (
  <Layout title={`Delete ${counted(ideas.length, "idea")}?`} current="ideas" {...frame}>
    {errors.length > 0 && (
      <ErrorSummary title="Not everything was deleted." errors={errors} labels={{ ids: "Ideas" }} />
    )}
    <p class="lead">Votes and comments go with them. You can’t undo this. To keep an idea for your team, hide it.</p>
    <ul>
      {ideas.map((idea) => (
        <li>
          <Named idea={idea} />
        </li>
      ))}
    </ul>
    <form method="post" action="/account/ideas/delete">
      <Hidden ideas={ideas} back={back} />
      <div class="buttons">
        <button type="submit" class="danger">
          {`Delete ${counted(ideas.length, "idea")}`}
        </button>
        <a href={back}>Cancel</a>
      </div>
    </form>
  </Layout>
);

const Hidden = ({ ideas, back }: Pick<Props, "ideas" | "back">) => (
  <>
    <input type="hidden" name="back" value={back} />
    {ideas.map(({ ideaBankId, id }) => (
      <input type="hidden" name="ids" value={`${ideaBankId}-${id}`} />
    ))}
  </>
);

const Named = ({ idea: { title, votes, status } }: { readonly idea: QueuedIdea }) => (
  <span>
    <bdi>{title}</bdi>
    <span class="hint">{` ${counted(votes, "vote")} · ${IDEA_STATUSES[status]}`}</span>
  </span>
);
