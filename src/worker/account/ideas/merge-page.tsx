/** `/account/idea-banks/{id}/ideas/{id}/merge`: finds the idea that this one repeats, or that repeats this one. */
import type { Context } from "hono";
import { findInQueue, listQueue, loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { openOwn } from "../account-databases.ts";
import { idsOf, noSuchContent } from "../frame/decide.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { counted, IDEA_STATUSES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { NAMELESS } from "./comments.tsx";
import { DECISION_LABELS, mergeIdea } from "./decide.ts";
import { addressOf, IDEA, pathOfIdea } from "./opened-idea.ts";

const CANDIDATES = { limit: 20, after: undefined };
/** An idea of any status may be repeated. */
const ANY = { status: undefined, visibility: undefined, tag: undefined };

export const MERGE_PAGE = page({
  path: `${IDEA}/merge`,
  needs: "member",
  load: (c) => load(c),
  view: (props) => <MergePage {...props} />,

  act: async (c) => {
    const here = pathOfIdea(c);
    const fields = await readForm(c);
    const { back } = readVisit(c);
    const chosen = fields.get("into") ?? "";
    const keepsThis = fields.get("keep") === "this" && chosen !== "";
    const other = keepsThis ? { ...here, ...idsOf({ proposalId: chosen }) } : here;
    const into = keepsThis ? here.proposalId : chosen;
    const event = await mergeIdea(c, other, into);
    const kept = addressOf({ ...here, proposalId: into });
    return c.redirect(withParameter(backTo(kept, back), "undo", event), 303);
  },

  refused: (c, { errors }) => load(c, errors),
});

async function load(c: Context<OwnerEnv>, errors: readonly FieldError[] = []): Promise<Props> {
  const { back } = readVisit(c);
  const { ideaBankId, proposalId } = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const queue = { accountId, ideaBankIds: [ideaBankId] };
  const [idea] = await loadQueued(session, { accountId, ids: [proposalId] });
  if (idea === undefined || idea.ideaBankId !== ideaBankId) throw noSuchContent();
  const q = filledIn(c).get("q")?.slice(0, 200);
  // Together, although the most wanted are needed only where nothing is found.
  const [found, top] = await Promise.all([
    findInQueue(session, queue, q ?? idea.title, { ...ANY, sort: undefined }),
    listQueue(session, queue, { ...ANY, sort: "top" }, CANDIDATES),
  ]);
  const others = (ideas: readonly QueuedIdea[]) => ideas.filter(({ id }) => id !== idea.id);
  const isFound = q !== undefined || others(found).length > 0;
  return {
    ...{ ideaBankId, idea, q: q ?? "", isFound, back, errors },
    candidates: others(isFound ? found : top.items),
  };
}

type Props = {
  readonly ideaBankId: string;
  readonly idea: QueuedIdea;
  /** Empty when nothing was searched for: then the candidates are similar. */
  readonly q: string;
  readonly candidates: readonly QueuedIdea[];
  /** No idea is similar, so the candidates are those with the most votes. */
  readonly isFound: boolean;
  readonly back: string | undefined;
  readonly errors: readonly FieldError[];
};

const MergePage = ({ ideaBankId, idea, q, candidates, isFound, back, errors }: Props) => {
  const path = `/account/idea-banks/${ideaBankId}/ideas/${idea.id}`;
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  return (
    <Layout title={`Merge “${idea.title}” with another idea`} current="ideas">
      <p>
        <a href={`${path}${query}`}>Back to the idea</a>
      </p>
      {errors.length > 0 && <ErrorSummary title="Nothing was merged." errors={errors} labels={DECISION_LABELS} />}
      <section class="written" aria-label="This idea">
        <p class="hint">This idea</p>
        <Described idea={idea} />
      </section>
      <search>
        <form method="get" action={`${path}/merge`} class="filters">
          {back && <input type="hidden" name="back" value={back} />}
          <label>
            Search ideas
            <input type="search" name="q" value={q} maxlength={200} required />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {candidates.length === 0 && <p class="notice">Nothing found. Search for a word from the other idea.</p>}
      {candidates.length > 0 && q === "" && (
        <p class="hint">
          {isFound
            ? "Ideas with a similar title:"
            : "No idea has a similar title. These have the most votes; search for others."}
        </p>
      )}
      {candidates.length > 0 && (
        <form method="post" action={`${path}/merge${query}`} class="create" id="idea">
          <fieldset id="into">
            <legend>
              Choose the other idea. The idea you keep gets both ideas’ votes, one per person, and shows your team both
              ideas’ comments. You can’t undo a merge.
            </legend>
            {candidates.map((each) => (
              <label class="choice">
                <input type="radio" name="into" value={each.id} required />
                <Described idea={each} />
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

/** What tells two ideas with the same title apart. */
const Described = ({ idea }: { readonly idea: QueuedIdea }) => {
  const author = idea.author ?? (idea.authorId === null ? undefined : NAMELESS);
  return (
    <span class="described">
      <bdi>{idea.title}</bdi>
      <span class="hint">
        {` ${counted(idea.votes, "vote")} · ${counted(idea.comments, "comment")} · ${IDEA_STATUSES[idea.status]} · `}
        {author !== undefined && (
          <>
            <bdi>{author}</bdi>
            {" · "}
          </>
        )}
        <Time at={idea.createdAt} />
      </span>
      {idea.beginning && <span dir="auto">{idea.isCut ? `${idea.beginning}…` : idea.beginning}</span>}
    </span>
  );
};
