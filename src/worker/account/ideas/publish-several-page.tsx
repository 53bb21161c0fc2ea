/** `/account/ideas/publish`: what several entries of the changelog will say, before they are published together. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { loadTexts, type Submitted } from "../../database/proposals/proposals.ts";
import { BANKS_AT_MOST, loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import { type FieldError, invalid, parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { ProposalChanges } from "../../model/proposal.ts";
import { openOwn } from "../account-databases.ts";
import { Done, type JustDone, Outcome } from "../frame/done.tsx";
import { inWords } from "../frame/errors-in-words.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page, type SentForm } from "../frame/page.tsx";
import { fieldErrorsOf } from "../frame/render-page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, ownPage, readVisit, type Told, tellAt, withParameter } from "../frame/visit.ts";
import { counted, entries } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { type Chosen, chosenIn } from "./chosen.ts";
import { Hidden, Named } from "./confirm-several-page.tsx";
import { changeIdeas } from "./decide.ts";
import { addressOf, IDEAS, textOf } from "./opened-idea.ts";
import { countToldOf, TellBox, tellsIn, tellsStatus } from "./tell-people.tsx";
import { TEXT_LABELS, TextFields, textField } from "./text-fields.tsx";

const PUBLISH = `${IDEAS}/publish`;

export const PUBLISH_SEVERAL_PAGE = page({
  path: PUBLISH,
  needs: "member",
  load,
  view: (props) => <PublishSeveralPage {...props} />,

  act: async (c) => {
    const fields = await readForm(c, { maxBytes: MAX_FORM_BYTES });
    const back = ownPage(fields.get("back"), IDEAS);
    const chosen = chosenIn(fields, undefined);
    const { event } = await changeIdeas(c, chosen, ({ id }) => toEntry(fields, id), {
      tells: tellsIn(fields),
      keepsSubmitted: true,
      seenOf: ({ id }) => openedText(fields, id),
    });
    if (event === undefined) return c.redirect(tellAt(back, "text-changed"), 303);
    // It shows what is left, and leads on to the list where nothing is.
    const left = backTo(
      `${PUBLISH}?${new URLSearchParams(chosen.map((each) => ["ids", `${each.ideaBankId}-${each.id}`]))}`,
      back,
    );
    return c.redirect(withParameter(tellAt(left, "text-changed"), "undo", event), 303);
  },

  refused: async (c, sent) => load(c, inWords(sent)),
});

/** A hundred ideas, with texts as people write them. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;

/** The text with which the form was opened: nothing in a form of 1.1.0. */
function openedText(fields: URLSearchParams, id: string): Partial<Submitted> {
  const was = fields.get(`was-${id}`);
  if (was === null) return {};
  const opened = new URLSearchParams(was);
  return { title: opened.get("title") ?? "", description: opened.get("description") ?? "" };
}

/** What publishing changes of this idea. Throws `invalid-request`, naming the field. */
function toEntry(fields: URLSearchParams, id: string): ProposalChanges {
  const opened = openedText(fields, id);
  const texts = TEXTS.flatMap((name): [string, string][] => {
    const text = textOf(fields, textField(name, id));
    return opened[name] === undefined || text === opened[name].trim() ? [] : [[name, text]];
  });
  try {
    return parseOrThrow(ProposalChanges, { ...Object.fromEntries(texts), status: "implemented" });
  } catch (error) {
    throw invalid(fieldErrorsOf(error).map(({ path, message }) => ({ path: `${path}-${id}`, message })));
  }
}

const TEXTS = ["title", "description"] as const;

/** What is not published yet: one can be published alone, which leads back here. When nothing is left, it leads back to the list. */
async function load(c: Context<OwnerEnv>, sent?: SentForm): Promise<Props | Response> {
  const visit = readVisit(c);
  const back = sent === undefined ? (visit.back ?? IDEAS) : ownPage(sent.fields.get("back"), IDEAS);
  const here = backTo(visit.here, back);
  const chosen = chosenIn(sent?.fields ?? filledIn(c), undefined);
  const ids = chosen.map(({ id }) => id);
  const [{ publications, others }, texts, toldCount, done] = await Promise.all([
    loadPublications(c, chosen),
    openOwn(c).then(({ session, accountId }) => loadTexts(session, { accountId, ids })),
    countToldOf(c, ids),
    openOwn(c).then((own) => loadJustDone(own, { ...visit, here }, Date.now())),
  ]);
  if (publications.length === 0)
    return c.redirect(visit.undo === undefined ? back : withParameter(back, "undo", visit.undo), 303);
  return {
    ...{ publications, others, texts, toldCount, back, here, done, told: visit.told },
    isTold: tellsStatus(c, sent?.fields ?? new URLSearchParams()),
    fields: sent?.fields ?? new URLSearchParams(),
    errors: sent?.errors ?? [],
  };
}

/** A board, and the ideas whose entries appear in its changelog when they become Done. */
type Publication = { readonly board: IdeaBank; readonly ideas: readonly QueuedIdea[] };

/** What setting the status Done publishes, board by board; `others` become Done without an entry. */
export async function loadPublications(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
): Promise<{ readonly publications: readonly Publication[]; readonly others: readonly QueuedIdea[] }> {
  const { session, accountId } = await openOwn(c);
  const [queued, newest] = await Promise.all([
    loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) }),
    listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } }),
  ]);
  const ideas = queued.filter(({ status }) => status !== "implemented");
  const ideaBankIds = [...new Set(ideas.map(({ ideaBankId }) => ideaBankId))];
  // A board that is not among the newest is read by itself.
  const boards = await Promise.all(
    ideaBankIds.map((one) => newest.items.find(({ id }) => id === one) ?? loadIdeaBank(session, accountId, one)),
  );
  const publications = boards
    .filter((board) => board !== null)
    .filter(({ changelogEnabled }) => changelogEnabled)
    .map((board) => ({
      board,
      ideas: ideas.filter(({ ideaBankId, visibility }) => ideaBankId === board.id && visibility === "public"),
    }))
    .filter((publication) => publication.ideas.length > 0);
  const published = new Set(publications.flatMap((each) => each.ideas));
  return { publications, others: ideas.filter((idea) => !published.has(idea)) };
}

type Props = {
  readonly publications: readonly Publication[];
  /** They become Done without an entry. */
  readonly others: readonly QueuedIdea[];
  /** The whole texts, by the ideas' identifiers. */
  readonly texts: ReadonlyMap<string, Submitted>;
  /** How many people are told by e-mail, and whether they are to be told. */
  readonly toldCount: number;
  readonly isTold: boolean;
  readonly back: string;
  /** This page, as a link. */
  readonly here: string;
  readonly done: JustDone | undefined;
  readonly told: Told | undefined;
  /** The form that was refused; empty when the page opens. */
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
};

const PublishSeveralPage = (props: Props) => {
  const { publications, others, toldCount, isTold, back, done, told, errors } = props;
  const ideas = publications.flatMap((each) => each.ideas);
  const labels = Object.fromEntries(
    ideas.flatMap(({ id, title }) => TEXTS.map((name) => [textField(name, id), `${TEXT_LABELS[name]} of “${title}”`])),
  );
  return (
    <Layout title={`Publish ${entries(ideas.length)}?`} current="ideas">
      <Done done={done} boards={publications.map(({ board }) => board)} />
      <Outcome told={told} />
      {errors.length > 0 && <ErrorSummary title="Nothing was published." errors={errors} labels={labels} />}
      <form method="post" action={PUBLISH} class="create">
        <Hidden ideas={[...ideas, ...others]} back={back} />
        {publications.map(({ board, ideas }) => (
          <>
            <p class="lead">
              {ideas.length === 1 ? "This goes out on " : `These ${ideas.length} go out on `}
              <bdi>{board.name}</bdi> in your customers’ words. Make them yours:
            </p>
            {ideas.map((idea) => (
              <Entry {...props} idea={idea} />
            ))}
          </>
        ))}
        {others.length > 0 && (
          <p class="hint">
            {`${counted(others.length, "other idea")} will be set to Done without an entry: not public, or on a board without a changelog.`}
          </p>
        )}
        <TellBox name="tellStatus" count={toldCount} isTicked={isTold} />
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

/** The title and the text of an idea, as they will stand in the changelog. */
const Entry = ({ idea, texts, fields, errors, here }: Props & { readonly idea: QueuedIdea }) => {
  const { title, description } = texts.get(idea.id) ?? { title: idea.title, description: idea.beginning };
  const opened = new URLSearchParams([
    [textField("title", idea.id), title],
    [textField("description", idea.id), description],
  ]);
  const was = `was-${idea.id}`;
  return (
    <fieldset>
      <legend>
        <Named idea={idea} />{" "}
        <a
          href={backTo(`${addressOf({ ideaBankId: idea.ideaBankId, proposalId: idea.id })}/publish`, here)}
          aria-label={`Publish on its own: “${idea.title}”`}
        >
          Publish on its own
        </a>
      </legend>
      <input
        type="hidden"
        name={was}
        value={fields.get(was) ?? new URLSearchParams({ title, description }).toString()}
      />
      <TextFields fields={fields.has(was) ? fields : opened} errors={errors} rows={4} of={idea.id} />
    </fieldset>
  );
};
