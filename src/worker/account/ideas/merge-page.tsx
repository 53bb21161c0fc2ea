/** `/account/idea-banks/{id}/ideas/{id}/merge`: finds the idea that this one repeats, or that repeats this one. */
import type { Context } from "hono";
import { listProposals } from "../../database/proposals/proposals.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Proposal, ProposalFilter } from "../../model/proposal.ts";
import { idsOf } from "../frame/decide.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { backTo, readVisit, withParameter } from "../frame/visit.ts";
import { counted, IDEA_STATUSES } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { DECISION_LABELS, mergeIdea } from "./decide.ts";
import { addressOf, IDEA, loadIdea, pathOfIdea } from "./opened-idea.ts";

const CANDIDATES = { limit: 20, after: undefined };

export const MERGE_PAGE = page({
  path: `${IDEA}/merge`,
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
  const { path, session, accountId, idea } = await loadIdea(c);
  const q = c.req.query("q")?.slice(0, 200);
  const list = async (filter: ProposalFilter) => {
    const listed = await listProposals(session, {
      ...{ accountId, ideaBankId: path.ideaBankId, filter },
      request: CANDIDATES,
    });
    return (listed?.items ?? []).filter(({ id }) => id !== idea.id);
  };
  // Together, although the others are needed only where nothing is found.
  const [found, others] = await Promise.all([
    list({ q: q ?? idea.title }),
    q === undefined ? list({ sort: "top" }) : [],
  ]);
  const isFound = found.length > 0 || q !== undefined;
  const candidates = isFound ? found : others;
  return { ideaBankId: path.ideaBankId, idea, q: q ?? "", candidates, isFound, back, errors };
}

type Props = {
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

const MergePage = ({ ideaBankId, idea, q, candidates, isFound, back, errors }: Props) => {
  const path = `/account/idea-banks/${ideaBankId}/ideas/${idea.id}`;
  const query = back ? `?back=${encodeURIComponent(back)}` : "";
  return (
    <Layout title={`Merge “${idea.title}” with another idea`} current="ideas">
      <p>
        <a href={`${path}${query}`}>Back to the idea</a>
      </p>
      {errors.length > 0 && <ErrorSummary title="Nothing was merged." errors={errors} labels={DECISION_LABELS} />}
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
        <form method="post" action={`${path}/merge${query}`} class="create" id="idea">
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
