/**
 * `/account/ideas/merge` and `/account/ideas/delete`: what cannot be undone asks first. Each merge and each deletion is a decision of its
 * own, as on the page of the idea.
 */
import type { Context } from "hono";
import { loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import { type FieldError, invalid } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { openOwn } from "../account-databases.ts";
import { noSuchContent } from "../frame/decide.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { ownPage, type Told, tellAt, withParameter } from "../frame/visit.ts";
import { counted, IDEA_STATUSES } from "../frame/words.ts";
import { countChange } from "../identity/limit-owner.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { chosenIn } from "./chosen.ts";
import { DECISION_LABELS, deleteIdea, mergeIdea, pathOf } from "./decide.ts";
import { IDEAS } from "./opened-idea.ts";

/** Each takes a round trip of its own. */
const AT_MOST = 20;

type Props = {
  readonly ideas: readonly QueuedIdea[];
  readonly back: string;
  readonly errors: readonly FieldError[];
};

export const MERGE_SEVERAL_PAGE = page({
  path: `${IDEAS}/merge`,
  needs: "member",
  load: (c) => loadMerge(c, filledIn(c)),
  view: (props) => <MergeSeveralPage {...props} />,

  act: async (c) => {
    const fields = await readForm(c);
    return leadBack(c, fields, { events: await mergeChosen(c, fields), told: "several-merged" });
  },

  refused: (c, { fields, errors }) => loadMerge(c, fields, errors),
});

export const DELETE_SEVERAL_PAGE = page({
  path: `${IDEAS}/delete`,
  needs: "member",
  load: (c) => load(c, filledIn(c)),
  view: (props) => <DeleteSeveralPage {...props} />,

  act: async (c) => {
    const fields = await readForm(c);
    const { ideas } = await load(c, fields);
    const events = await eachOf(c, ideas, (idea) => deleteIdea(c, pathOf(idea)));
    return leadBack(c, fields, { events, told: "several-deleted" });
  },

  refused: (c, { fields, errors }) => load(c, fields, errors),
});

type DoneTogether = { readonly events: readonly string[]; readonly told: Told };

/** A notice with a title is about one idea. */
function leadBack(c: Context<OwnerEnv>, fields: URLSearchParams, { events, told }: DoneTogether): Response {
  const back = ownPage(fields.get("back"), IDEAS);
  const [only, another] = events;
  if (another) return c.redirect(tellAt(back, told), 303);
  return c.redirect(only ? withParameter(back, "undo", only) : back, 303);
}

/** The chosen ideas of the account. Throws `not-found` when none is left, and `invalid-request` for too many. */
async function load(c: Context<OwnerEnv>, fields: URLSearchParams, errors: readonly FieldError[] = []): Promise<Props> {
  const chosen = chosenIn(fields, undefined);
  if (chosen.length > AT_MOST) throw invalid([{ path: "ids", message: `can be ${AT_MOST} ideas at a time` }]);
  const { session, accountId } = await openOwn(c);
  const ideas = await loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) });
  if (ideas.length === 0) throw noSuchContent();
  return { ideas, back: ownPage(fields.get("back"), IDEAS), errors };
}

/** Those that cannot be merged lead back to the list, which says why. */
async function loadMerge(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
  errors?: readonly FieldError[],
): Promise<Props | Response> {
  const props = await load(c, fields, errors);
  const fault = mergeFaultOf(props.ideas);
  return fault === undefined ? props : c.redirect(tellAt(props.back, fault), 303);
}

function mergeFaultOf(ideas: readonly QueuedIdea[]): Told | undefined {
  if (ideas.length < 2) return "merge-needs-two";
  return new Set(ideas.map(({ ideaBankId }) => ideaBankId)).size > 1 ? "merge-needs-one-board" : undefined;
}

/** Returns the events. */
async function mergeChosen(c: Context<OwnerEnv>, fields: URLSearchParams): Promise<readonly string[]> {
  const { ideas } = await load(c, fields);
  // The page says why.
  if (mergeFaultOf(ideas) !== undefined) throw invalid([{ path: "ids", message: "cannot be merged" }]);
  const into = fields.get("into") ?? "";
  if (!ideas.some(({ id }) => id === into)) throw invalid([{ path: "into", message: "was not chosen" }]);
  const others = ideas.filter(({ id }) => id !== into);
  return eachOf(c, others, (idea) => mergeIdea(c, pathOf(idea), into));
}

/** Returns the events. Each of them counts as a change, and the request did already. */
async function eachOf(
  c: Context<OwnerEnv>,
  ideas: readonly QueuedIdea[],
  act: (idea: QueuedIdea) => Promise<string>,
): Promise<readonly string[]> {
  const events: string[] = [];
  for (const [index, idea] of ideas.entries()) {
    if (index > 0) await countChange(c);
    events.push(await act(idea));
  }
  return events;
}

/** The most wanted idea is the one that stays, unless another one is chosen. */
const MergeSeveralPage = ({ ideas, back, errors }: Props) => {
  const [first] = ideas.toSorted((one, other) => other.votes - one.votes);
  return (
    <Layout title={`Merge ${ideas.length} ideas`} current="ideas">
      {errors.length > 0 && (
        <ErrorSummary title="Not everything was merged." errors={errors} labels={DECISION_LABELS} />
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

const DeleteSeveralPage = ({ ideas, back, errors }: Props) => (
  <Layout title={`Delete ${counted(ideas.length, "idea")}?`} current="ideas">
    {errors.length > 0 && (
      <ErrorSummary title="Not everything was deleted." errors={errors} labels={{ ids: "Ideas" }} />
    )}
    <p class="lead">
      Votes, comments and ideas that were merged into them go with them. You can’t undo this. To keep an idea for your
      team, hide it.
    </p>
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

export const Hidden = ({ ideas, back }: Pick<Props, "ideas" | "back">) => (
  <>
    <input type="hidden" name="back" value={back} />
    {ideas.map(({ ideaBankId, id }) => (
      <input type="hidden" name="ids" value={`${ideaBankId}-${id}`} />
    ))}
  </>
);

export const Named = ({ idea: { title, votes, status } }: { readonly idea: QueuedIdea }) => (
  <span>
    <bdi>{title}</bdi>
    <span class="hint">{` ${counted(votes, "vote")} · ${IDEA_STATUSES[status]}`}</span>
  </span>
);
