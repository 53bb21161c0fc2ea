/** `/account/ideas/merge`, `/account/ideas/delete` and `/account/ideas/publish`: what cannot be undone, and what is published, asks first. */

import type { QueuedIdea } from "../../database/queue.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { firstLine } from "../../model/light-formatting.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { ErrorSummary } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { counted, entries, IDEA_STATUSES } from "../frame/words.ts";
import type { Publication } from "./decide-several.ts";

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

type PublishProps = {
  readonly frame: Frame;
  readonly publications: readonly Publication[];
  /** They become Done without an entry. */
  readonly others: readonly QueuedIdea[];
  readonly back: string;
  /** This page, as a link. */
  readonly here: string;
  readonly done: JustDone | undefined;
};

export const PublishSeveralPage = ({ frame, publications, others, back, here, done }: PublishProps) => {
  const ideas = publications.flatMap((each) => each.ideas);
  return (
    <Layout title={`Publish ${entries(ideas.length)}?`} current="ideas" {...frame}>
      <Done done={done} boards={publications.map(({ board }) => board)} />
      {publications.map(({ board, ideas }) => (
        <>
          <p class="lead">
            {`Publishes ${ideas.length} changelog ${ideas.length === 1 ? "entry" : "entries"} on `}
            <bdi>{board.name}</bdi>, with the title and text of each idea as they are:
          </p>
          <ul>
            {ideas.map((idea) => (
              <li>
                <Named idea={idea} />{" "}
                <a
                  href={`/account/idea-banks/${board.id}/ideas/${idea.id}/publish?${new URLSearchParams({ back: here })}`}
                  aria-label={`Edit and publish “${idea.title}” on its own`}
                >
                  Edit and publish on its own
                </a>
                {idea.beginning && (
                  <p class="beginning" dir="auto">
                    {firstLine(idea.beginning)}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      ))}
      {others.length > 0 && (
        <p class="hint">
          {`${counted(others.length, "other idea")} will be set to Done without an entry: not public, or on a board without a changelog.`}
        </p>
      )}
      <form method="post" action="/account/ideas/publish">
        <Hidden ideas={[...ideas, ...others]} back={back} />
        <div class="buttons">
          <button type="submit" class="primary">
            {`Publish ${entries(ideas.length)}`}
          </button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </Layout>
  );
};

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
